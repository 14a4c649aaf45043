import { AutoApiController, Settings } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import { StoredSettings } from '@keel/setting-management/contracts'
import {
  HubSettingPermissions,
  HubSettings,
  HubSettingsAppService,
  type HubSettingsDto,
} from '../contracts/index.js'

const {
  RejectDuplicateDocuments,
  DeletedRowsRetentionDays,
  DeletedFilesRetentionDays,
  DocumentExpiryReminderDays,
  RequirePod,
  RequireVgm,
  UseRadiativeForcing,
} = HubSettings

@AutoApiController(HubSettingsAppService)
@RequiresPermission(HubSettingPermissions.SettingManagement)
export class HubSettingsService implements HubSettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
  ) {}

  async get(): Promise<HubSettingsDto> {
    return {
      rejectDuplicateDocuments: await this.settings.isOn(RejectDuplicateDocuments),
      deletedRowsRetentionDays: Number(await this.settings.valueOf(DeletedRowsRetentionDays.name)),
      deletedFilesRetentionDays: Number(await this.settings.valueOf(DeletedFilesRetentionDays.name)),
      expiryReminderDays: String(await this.settings.valueOf(DocumentExpiryReminderDays.name)),
      requirePod: await this.settings.isOn(RequirePod),
      requireVgm: await this.settings.isOn(RequireVgm),
      useRadiativeForcing: await this.settings.isOn(UseRadiativeForcing),
    }
  }

  async update(input: HubSettingsDto): Promise<void> {
    const { rejectDuplicateDocuments, deletedRowsRetentionDays, requirePod, requireVgm } = input
    const { useRadiativeForcing, deletedFilesRetentionDays, expiryReminderDays } = input
    await this.stored.setForEverybody({
      [RejectDuplicateDocuments.name]: rejectDuplicateDocuments,
      [DeletedRowsRetentionDays.name]: deletedRowsRetentionDays,
      ...(deletedFilesRetentionDays !== undefined && {
        [DeletedFilesRetentionDays.name]: deletedFilesRetentionDays,
      }),
      ...(expiryReminderDays !== undefined && { [DocumentExpiryReminderDays.name]: expiryReminderDays }),
      ...(requirePod !== undefined && { [RequirePod.name]: requirePod }),
      ...(requireVgm !== undefined && { [RequireVgm.name]: requireVgm }),
      ...(useRadiativeForcing !== undefined && { [UseRadiativeForcing.name]: useRadiativeForcing }),
    })
  }
}
