import { AutoApiController, Settings } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import { StoredSettings } from '@keel/setting-management/contracts'
import {
  HubSettingPermissions,
  HubSettings,
  HubSettingsAppService,
  type HubSettingsDto,
} from '../contracts/index.js'

const { RejectDuplicateDocuments, DeletedRowsRetentionDays, RequirePod } = HubSettings

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
      requirePod: await this.settings.isOn(RequirePod),
    }
  }

  async update(input: HubSettingsDto): Promise<void> {
    const { rejectDuplicateDocuments, deletedRowsRetentionDays, requirePod } = input
    await this.stored.setForEverybody({
      [RejectDuplicateDocuments.name]: rejectDuplicateDocuments,
      [DeletedRowsRetentionDays.name]: deletedRowsRetentionDays,
      ...(requirePod !== undefined && { [RequirePod.name]: requirePod }),
    })
  }
}
