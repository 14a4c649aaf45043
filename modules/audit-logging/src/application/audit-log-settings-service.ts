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
    const [isEnabled, period] = await Promise.all(
      [IsExpiredDeleterEnabled, ExpiredDeleterPeriod].map(({ name }) => this.settings.valueOf(name)),
    )
    return {
      isExpiredDeleterEnabled: isEnabled?.toLowerCase() === 'true',
      expiredDeleterPeriod: Number(period),
    }
  }

  async update({ isExpiredDeleterEnabled, expiredDeleterPeriod }: AuditLogSettingsDto): Promise<void> {
    await this.stored.setForEverybody({
      [IsExpiredDeleterEnabled.name]: isExpiredDeleterEnabled,
      [ExpiredDeleterPeriod.name]: expiredDeleterPeriod,
    })
  }
}
