import { AutoApiController, Settings } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import {
  IdentityPasswordSettingsDto,
  IdentitySettingPermissions,
  IdentitySettingsAppService,
  type IdentitySettingsDto,
  identitySettingForm,
  StoredSettings,
  type UpdateIdentitySettingsDto,
} from '../contracts/index.js'
import { formValues, readForm } from './setting-form.js'

@AutoApiController(IdentitySettingsAppService)
@RequiresPermission(IdentitySettingPermissions.SettingManagement)
export class IdentitySettingsService implements IdentitySettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
  ) {}

  async get(): Promise<IdentitySettingsDto> {
    return {
      password: await readForm(this.settings, IdentityPasswordSettingsDto, identitySettingForm.password),
    }
  }

  async update({ password }: UpdateIdentitySettingsDto): Promise<void> {
    await this.stored.setForEverybody(formValues(identitySettingForm.password, password ?? {}))
  }
}
