import { AutoApiController, RequiresFeature, Settings } from '@keel/framework'
import { faultOf, type NameValue, ValidationError } from '@keel/framework/contracts'
import { PlatformFeatures, PlatformSettings, timeZones } from '@keel/framework/http'
import { RequiresPermission } from '@keel/framework/security'
import {
  SettingManagementPermissions,
  StoredSettings,
  TimeZoneSettingsAppService,
} from '../contracts/index.js'

const { name: setting, read } = PlatformSettings.TimeZone

@AutoApiController(TimeZoneSettingsAppService)
@RequiresPermission(SettingManagementPermissions.TimeZone)
@RequiresFeature(PlatformFeatures.SettingManagement.name)
export class TimeZoneSettingsService implements TimeZoneSettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
  ) {}

  async get(): Promise<string> {
    return (await this.settings.valueOf(setting)) || 'UTC'
  }

  async getTimezones(): Promise<NameValue[]> {
    return timeZones()
  }

  async update(timezone: string): Promise<void> {
    const zone = timezone.toLowerCase() === 'unspecified' ? null : timezone
    if (zone !== null && read(zone) === undefined)
      throw new ValidationError([faultOf('timezone', 'SettingManagement:Validation:TimeZone', { zone })])
    await this.stored.setForEverybody({ [setting]: zone })
  }
}
