import { AutoApiController, RequiresFeature, Settings } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { PlatformFeatures } from '@keel/framework/http'
import { RequiresPermission } from '@keel/framework/security'
import {
  type RetentionDto,
  RetentionSettingsAppService,
  SettingManagementPermissions,
  StoredSettings,
} from '../contracts/index.js'
import { ExpiredRecords } from '../persistence/expired-records.js'

@AutoApiController(RetentionSettingsAppService)
@RequiresPermission(SettingManagementPermissions.Retention)
@RequiresFeature(PlatformFeatures.SettingManagement.name)
export class RetentionSettingsService implements RetentionSettingsAppService {
  constructor(
    private readonly records: ExpiredRecords,
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
  ) {}

  async get(): Promise<RetentionDto> {
    const kinds = [...this.records.kinds].map(async ([name, { days }]) => ({
      name,
      days: Number(await this.settings.valueOf(days.name)),
    }))
    return { kinds: await Promise.all(kinds) }
  }

  async update({ kinds }: RetentionDto): Promise<void> {
    const values: Record<string, number> = {}
    for (const [index, { name, days }] of kinds.entries()) {
      const setting = this.records.kinds.get(name)?.days
      if (!setting)
        throw new ValidationError([
          faultOf(`kinds[${index}].name`, 'SettingManagement:Validation:NoSuchKind', { name }),
        ])
      values[setting.name] = days
    }
    await this.stored.setForEverybody(values)
  }
}
