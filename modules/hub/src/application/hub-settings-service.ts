import { AutoApiController, Settings } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import { StoredSettings } from '@keel/setting-management/contracts'
import {
  HubSettingPermissions,
  HubSettings,
  HubSettingsAppService,
  type HubSettingsDto,
} from '../contracts/index.js'

const { RejectDuplicateDocuments, DeletedRowsRetentionDays } = HubSettings

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
    }
  }

  async update({ rejectDuplicateDocuments, deletedRowsRetentionDays }: HubSettingsDto): Promise<void> {
    await this.stored.setForEverybody({
      [RejectDuplicateDocuments.name]: rejectDuplicateDocuments,
      [DeletedRowsRetentionDays.name]: deletedRowsRetentionDays,
    })
  }
}
