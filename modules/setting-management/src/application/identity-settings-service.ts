import { AutoApiController, Settings } from '@keel/framework'
import { BusinessError, compileNormalizer, faultOf, ValidationError } from '@keel/framework/contracts'
import { Authority, isTrustworthyAddress, RequiresPermission } from '@keel/framework/security'
import { SmsSender } from '@keel/framework/sms'
import {
  IdentityPermissions,
  OAuthLoginSettings,
  oauthLoginProvider,
  SessionSettings,
  UserLogins,
} from '@keel/identity/contracts'
import {
  IdentityLockoutSettingsDto,
  IdentityOAuthSettingsDto,
  IdentityPasswordSettingsDto,
  type IdentitySessionSettingsDto,
  IdentitySettingsAppService,
  type IdentitySettingsDto,
  IdentitySignInSettingsDto,
  IdentityUserSettingsDto,
  identitySettingForm,
  oauthSettingForm,
  PreventConcurrentLoginBehaviour,
  SettingErrors,
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
    private readonly logins: UserLogins,
    private readonly sms: SmsSender,
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

  /** Settings that guard every account are changed only by callers who may take over every account. */
  async update({ password, lockout, signIn, user }: UpdateIdentitySettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    if (signIn) this.refuseUnreachable(signIn)
    await this.stored.setForEverybody({
      ...formValues(identitySettingForm.password, password ?? {}),
      ...formValues(identitySettingForm.lockout, lockout ?? {}),
      ...formValues(identitySettingForm.signIn, this.storable(signIn ?? {})),
      ...formValues(identitySettingForm.user, user ?? {}),
    })
  }

  /**
   * Without what confirms numbers the setting reads as off: what was stored stays for the day when there is
   * something again.
   */
  private storable(signIn: Partial<IdentitySignInSettingsDto>): Partial<IdentitySignInSettingsDto> {
    if (this.sms.isAvailable) return signIn
    const { enablePhoneNumberConfirmation: _withheld, ...others } = signIn
    return others
  }

  /** Nobody must need a confirmed telephone number while nothing can confirm one. */
  private refuseUnreachable(signIn: IdentitySignInSettingsDto): void {
    const { enablePhoneNumberConfirmation, requireConfirmedPhoneNumber } = signIn
    const { isAvailable } = this.sms
    if ((enablePhoneNumberConfirmation || requireConfirmedPhoneNumber) && !isAvailable)
      throw new BusinessError(SettingErrors.PhoneNumbersNotConfirmed)
    if (requireConfirmedPhoneNumber && !enablePhoneNumberConfirmation)
      throw new BusinessError(SettingErrors.PhoneConfirmationNeeded)
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

  async getOAuth(): Promise<IdentityOAuthSettingsDto> {
    const values = await Promise.all(
      Object.entries(oauthSettingForm).map(async ([member, { name }]) => [
        member,
        (await this.settings.valueOf(name)) ?? '',
      ]),
    )
    return compileNormalizer(IdentityOAuthSettingsDto.schema)({
      ...Object.fromEntries(values),
      clientSecret: '',
    }) as IdentityOAuthSettingsDto
  }

  /** The server that is named here says who signs in as which external user. */
  async updateOAuth({ clientSecret, ...input }: IdentityOAuthSettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    refuseIncomplete(input)
    const [before, clientBefore] = await Promise.all(
      [OAuthLoginSettings.Authority, OAuthLoginSettings.ClientId].map(({ name }) =>
        this.settings.valueOf(name),
      ),
    )
    const isSameAuthority = hrefOf(before ?? '') === hrefOf(input.authority)
    // A secret is sent only to the authority that it was given for.
    const keepsSecret = isSameAuthority && clientBefore === input.clientId
    await this.stored.setForEverybody({
      ...formValues(oauthSettingForm, {
        ...input,
        clientId: input.clientId || null,
        authority: input.authority || null,
        scope: input.scope || null,
      }),
      ...((clientSecret || !keepsSecret) && { [OAuthLoginSettings.ClientSecret.name]: clientSecret || null }),
    })
    // The ids of people at one authority are those of others at the next.
    if (!isSameAuthority && before) await this.logins.forgetProvider(oauthLoginProvider)
  }
}

function refuseIncomplete({
  enableOAuthLogin,
  clientId,
  authority,
  requireHttpsMetadata,
}: OAuthAddress): void {
  const faults = enableOAuthLogin
    ? Object.entries({ clientId, authority }).flatMap(([member, value]) =>
        value ? [] : [faultOf(member, 'ThisFieldIsRequired.')],
      )
    : []
  const isFit = isTrustworthyAddress(authority) && (!requireHttpsMetadata || authority.startsWith('https:'))
  if (authority && !isFit)
    faults.push(faultOf('authority', 'Account:Validation:Authority', { provider: oauthLoginProvider }))
  if (faults.length) throw new ValidationError(faults)
}

type OAuthAddress = Pick<
  IdentityOAuthSettingsDto,
  'enableOAuthLogin' | 'clientId' | 'authority' | 'requireHttpsMetadata'
>

/** An address as it is compared: `https://a` is `https://a/`. */
function hrefOf(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address
}
