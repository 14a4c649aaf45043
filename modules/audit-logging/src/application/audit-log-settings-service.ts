import { AutoApiController, RequiresFeature, Settings } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import { StoredSettings } from '@keel/setting-management/contracts'
import {
  AuditLoggingFeatures,
  AuditLoggingPermissions,
  AuditLoggingSettings,
  AuditLogSettingsAppService,
  type AuditLogSettingsDto,
} from '../contracts/index.js'

const { IsExpiredDeleterEnabled, ExpiredDeleterPeriod } = AuditLoggingSettings

@AutoApiController(AuditLogSettingsAppService)
@RequiresPermission(AuditLoggingPermissions.SettingManagement)
@RequiresFeature(AuditLoggingFeatures.Enable.name)
export class AuditLogSettingsService implements AuditLogSettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
  ) {}

  async get(): Promise<AuditLogSettingsDto> {
    return {
      isExpiredDeleterEnabled: await this.settings.isOn(IsExpiredDeleterEnabled),
      expiredDeleterPeriod: Number(await this.settings.valueOf(ExpiredDeleterPeriod.name)),
    }
  }

  async update({ isExpiredDeleterEnabled, expiredDeleterPeriod }: AuditLogSettingsDto): Promise<void> {
    await this.stored.setForEverybody({
      [IsExpiredDeleterEnabled.name]: isExpiredDeleterEnabled,
      [ExpiredDeleterPeriod.name]: expiredDeleterPeriod,
    })
  }
}
