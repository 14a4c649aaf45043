import { AutoApiController, Settings } from '@keel/framework'
import { Authority, RequiresPermission } from '@keel/framework/security'
import { IdentityPermissions, SessionSettings } from '@keel/identity/contracts'
import {
  IdentityLockoutSettingsDto,
  IdentityPasswordSettingsDto,
  type IdentitySessionSettingsDto,
  IdentitySettingsAppService,
  type IdentitySettingsDto,
  IdentitySignInSettingsDto,
  IdentityUserSettingsDto,
  identitySettingForm,
  PreventConcurrentLoginBehaviour,
  StoredSettings,
  type UpdateIdentitySettingsDto,
} from '../contracts/index.js'
import { formValues, readForm } from './setting-form.js'

@AutoApiController(IdentitySettingsAppService)
@RequiresPermission(IdentityPermissions.SettingManagement)
export class IdentitySettingsService implements IdentitySettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
    private readonly authority: Authority,
  ) {}

  async get(): Promise<IdentitySettingsDto> {
    const [password, lockout, signIn, user] = await Promise.all([
      readForm(this.settings, IdentityPasswordSettingsDto, identitySettingForm.password),
      readForm(this.settings, IdentityLockoutSettingsDto, identitySettingForm.lockout),
      readForm(this.settings, IdentitySignInSettingsDto, identitySettingForm.signIn),
      readForm(this.settings, IdentityUserSettingsDto, identitySettingForm.user),
    ])
    return { password, lockout, signIn, user }
  }

  /** What guards every account is changed by callers who may take over every account. */
  async update({ password, lockout, signIn, user }: UpdateIdentitySettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    await this.stored.setForEverybody({
      ...formValues(identitySettingForm.password, password ?? {}),
      ...formValues(identitySettingForm.lockout, lockout ?? {}),
      ...formValues(identitySettingForm.signIn, signIn ?? {}),
      ...formValues(identitySettingForm.user, user ?? {}),
    })
  }

  async getSession(): Promise<IdentitySessionSettingsDto> {
    const behaviour = await this.settings.valueOf(SessionSettings.PreventConcurrentLogin.name)
    const member = (behaviour ?? 'Disabled') as keyof typeof PreventConcurrentLoginBehaviour
    return { preventConcurrentLogin: PreventConcurrentLoginBehaviour[member] }
  }

  async updateSession({ preventConcurrentLogin }: IdentitySessionSettingsDto): Promise<void> {
    await this.stored.setForEverybody({
      [SessionSettings.PreventConcurrentLogin.name]: PreventConcurrentLoginBehaviour[
        preventConcurrentLogin
      ] as string,
    })
  }
}
