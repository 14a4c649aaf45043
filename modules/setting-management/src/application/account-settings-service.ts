import { AccountModuleSettings, TwoFactorSettings } from '@keel/account/contracts'
import { AutoApiController, Settings } from '@keel/framework'
import { faultOf, ValidationError, type ValidationFault } from '@keel/framework/contracts'
import { Authority, isTrustworthyAddress, RequiresPermission } from '@keel/framework/security'
import {
  type AccountExternalProviderSettingsDto,
  AccountIdleSettingsDto,
  AccountPasskeySettingsDto,
  AccountSettingPermissions,
  AccountSettingsAppService,
  AccountSettingsDto,
  type AccountTwoFactorSettingsDto,
  accountSettingForm,
  type ExternalProvider,
  type ExternalProviderSettingsDto,
  ExternalProviders,
  idleSettingForm,
  passkeySettingForm,
  StoredSettings,
  TwoFactorBehaviour,
} from '../contracts/index.js'
import { membersOf, missingOf, providerNames, socialProviders } from '../domain/external-provider.js'
import { formValues, readForm } from './setting-form.js'

const verifyPassword = AccountModuleSettings.VerifyPasswordDuringExternalLogin

/** Settings that guard every account are changed only by callers who may take over every account. */
@AutoApiController(AccountSettingsAppService)
@RequiresPermission(AccountSettingPermissions.SettingManagement)
export class AccountSettingsService implements AccountSettingsAppService {
  constructor(
    private readonly settings: Settings,
    private readonly stored: StoredSettings,
    private readonly providers: ExternalProviders,
    private readonly authority: Authority,
  ) {}

  async get(): Promise<AccountSettingsDto> {
    return readForm(this.settings, AccountSettingsDto, accountSettingForm)
  }

  async update(input: AccountSettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    const { preventEmailEnumeration, ...others } = input
    await this.stored.setForEverybody(
      formValues(accountSettingForm, {
        ...others,
        preventEmailEnumeration: preventEmailEnumeration ?? undefined,
      }),
    )
  }

  async getTwoFactor(): Promise<AccountTwoFactorSettingsDto> {
    const { Behaviour, IsRememberBrowserEnabled, UsersCanChange } = TwoFactorSettings
    const behaviour = await this.settings.valueOf(Behaviour.name)
    const member = (behaviour ?? 'Optional') as keyof typeof TwoFactorBehaviour
    return {
      twoFactorBehaviour: TwoFactorBehaviour[member] ?? TwoFactorBehaviour.Optional,
      isRememberBrowserEnabled: await this.settings.isOn(IsRememberBrowserEnabled),
      usersCanChange: await this.settings.isOn(UsersCanChange),
    }
  }

  async updateTwoFactor(input: AccountTwoFactorSettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    await this.stored.setForEverybody({
      [TwoFactorSettings.Behaviour.name]: TwoFactorBehaviour[input.twoFactorBehaviour] as string,
      [TwoFactorSettings.UsersCanChange.name]: input.usersCanChange,
      ...(typeof input.isRememberBrowserEnabled === 'boolean' && {
        [TwoFactorSettings.IsRememberBrowserEnabled.name]: input.isRememberBrowserEnabled,
      }),
    })
  }

  async getIdle(): Promise<AccountIdleSettingsDto> {
    return readForm(this.settings, AccountIdleSettingsDto, idleSettingForm)
  }

  async updateIdle(input: AccountIdleSettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    await this.stored.setForEverybody(formValues(idleSettingForm, { ...input }))
  }

  async getPasskey(): Promise<AccountPasskeySettingsDto> {
    return readForm(this.settings, AccountPasskeySettingsDto, passkeySettingForm)
  }

  async updatePasskey(input: AccountPasskeySettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    await this.stored.setForEverybody(formValues(passkeySettingForm, { ...input }))
  }

  async getExternalProvider(): Promise<AccountExternalProviderSettingsDto> {
    const stored = await this.providers.all()
    const unset = socialProviders.filter((name) => !stored.some((provider) => provider.name === name))
    const offered = [...unset.map(emptyProvider), ...stored]
    const rank = ({ name }: ExternalProvider): number => socialProviders.indexOf(name)
    const social = offered.filter((one) => rank(one) >= 0).sort((a, b) => rank(a) - rank(b))
    const directories = offered.filter((one) => rank(one) < 0)
    return {
      verifyPasswordDuringExternalLogin: await this.settings.isOn(verifyPassword),
      externalProviders: [...social, ...directories].map(shown),
    }
  }

  async updateExternalProvider({
    externalProviders,
    verifyPasswordDuringExternalLogin: verifies,
  }: AccountExternalProviderSettingsDto): Promise<void> {
    this.authority.demandUnlimited()
    const before = new Map((await this.providers.all()).map((provider) => [provider.name, provider]))
    const faults: ValidationFault[] = []
    const after = externalProviders.map((input, index) => {
      const provider = merged(input, before.get(input.name))
      faults.push(...faultsOf(input, provider, `externalProviders[${index}]`))
      return provider
    })
    const names = after.map(({ name }) => name)
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        faults.push(faultOf(`externalProviders[${index}].name`, 'Account:Validation:ProviderTwice', { name }))
    if (faults.length) throw new ValidationError(faults)
    await this.providers.replace(after.filter(isSetUp))
    if (typeof verifies === 'boolean') await this.stored.setForEverybody({ [verifyPassword.name]: verifies })
  }
}

function emptyProvider(name: string): ExternalProvider {
  return { name, enabled: false, properties: {}, secretProperties: {} }
}

/** True when a provider has values to store. */
function isSetUp({ enabled, properties, secretProperties }: ExternalProvider): boolean {
  return enabled || Object.keys(properties).length > 0 || Object.keys(secretProperties).length > 0
}

/** A provider as clients see it: without its secrets. */
function shown({ name, enabled, properties }: ExternalProvider): ExternalProviderSettingsDto {
  const needed = membersOf(name) ?? { properties: [], secretProperties: [], optional: [] }
  return {
    name,
    enabled,
    properties: [...needed.properties, ...needed.optional].map((property) => ({
      name: property,
      value: properties[property] ?? '',
    })),
    secretProperties: needed.secretProperties.map((property) => ({ name: property, value: '' })),
  }
}

/** The new values of a provider: an empty secret keeps the stored one. */
function merged(input: ExternalProviderSettingsDto, before: ExternalProvider | undefined): ExternalProvider {
  const { name, enabled, properties, secretProperties } = input
  const given = (list: ExternalProviderSettingsDto['properties']): Record<string, string> =>
    Object.fromEntries(list.flatMap(({ name: key, value }) => (value ? [[key, value]] : [])))
  return {
    name,
    enabled,
    properties: given(properties),
    secretProperties: { ...before?.secretProperties, ...given(secretProperties) },
  }
}

function faultsOf(
  { name, properties, secretProperties }: ExternalProviderSettingsDto,
  provider: ExternalProvider,
  member: string,
): ValidationFault[] {
  const needed = membersOf(name)
  if (!needed)
    return [
      faultOf(`${member}.name`, 'Account:Validation:UnknownProvider', { name, expected: providerNames }),
    ]
  const unknown = [
    ...properties.filter(({ name: one }) => ![...needed.properties, ...needed.optional].includes(one)),
    ...secretProperties.filter((property) => !needed.secretProperties.includes(property.name)),
  ].map((property) =>
    faultOf(member, 'Account:Validation:UnknownProperty', { provider: name, property: property.name }),
  )
  const { Authority } = provider.properties
  if (Authority && !isTrustworthyAddress(Authority))
    unknown.push(faultOf(member, 'Account:Validation:Authority', { provider: name }))
  const missing = provider.enabled ? missingOf(provider) : []
  return [
    ...unknown,
    ...missing.map((property) =>
      faultOf(member, 'Account:Validation:PropertyMissing', { provider: name, property }),
    ),
  ]
}
