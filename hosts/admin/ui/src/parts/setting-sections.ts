import { HubSettingPermissions, HubSettingsAppService, HubSettingsDto } from '@keel/hub-proxy'
import {
  AccountIdleSettingsDto,
  AccountPasskeySettingsDto,
  AccountSettingPermissions,
  AccountSettingsAppService,
  AccountSettingsDto,
  AccountTwoFactorSettingsDto,
  AuditLoggingPermissions,
  AuditLogSettingsDto,
  accountSettingForm,
  auditLoggingMembers,
  EmailSettingsAppService,
  IdentityLockoutSettingsDto,
  IdentityOAuthSettingsDto,
  IdentityPasswordSettingsDto,
  IdentityPermissions,
  IdentitySessionSettingsDto,
  IdentitySettingsAppService,
  IdentitySignInSettingsDto,
  IdentityUserSettingsDto,
  identitySettingForm,
  idleSettingForm,
  oauthSettingForm,
  PreventConcurrentLoginBehaviour,
  passkeySettingForm,
  SettingManagementPermissions,
  TimeZoneSettingsAppService,
  TwoFactorBehaviour,
  UpdateEmailSettingsDto,
} from '@keel/platform-proxy'
import { PricingSettingPermissions, PricingSettingsAppService, PricingSettingsDto } from '@keel/pricing-proxy'
import type { Call } from '@keel/react'
import { openProxy } from '../clients.js'

const { identity } = openProxy({ identity: { service: IdentitySettingsAppService } })
/** The account settings; external providers have a form of their own. */
export const { account } = openProxy({ account: { service: AccountSettingsAppService } })
/** E-mail and the time zone. */
export const { emailing, timeZone } = openProxy({
  emailing: { service: EmailSettingsAppService },
  timeZone: { service: TimeZoneSettingsAppService },
})
const { auditLog } = openProxy({ auditLog: auditLoggingMembers.settings })
const { hub } = openProxy({ hub: { service: HubSettingsAppService } })
const { pricing } = openProxy({ pricing: { service: PricingSettingsAppService } })

/** What a schema of the contracts tells of its members. */
export interface Described {
  readonly schema: { readonly shape: Readonly<Record<string, unknown>> }
}

/** A group of settings: its fields are the members of the DTO that its operation takes. */
export interface SettingSection {
  /** Its name in the address. */
  readonly id: string
  /** The key of its title. */
  readonly title: string
  readonly permission: string
  readonly dto: Described
  // biome-ignore lint/suspicious/noExplicitAny: operations of all groups
  readonly get: Call<[], any>
  // biome-ignore lint/suspicious/noExplicitAny: operations of all groups
  readonly update: Call<[input: any], unknown>
  /** The member that holds the group where an operation has several. */
  readonly member?: string
  /** The key of a field's label. */
  readonly titleOf: (member: string) => string
  /** The enumerations among the members, with the key of their texts. */
  readonly enums?: Readonly<Record<string, readonly [key: string, Readonly<Record<string, string | number>>]>>
}

/** The label of a setting is the text of its own name, as ABP calls it. */
function named(
  resource: string,
  form: Readonly<Record<string, { readonly name: string }>>,
  others: Readonly<Record<string, string>> = {},
): (member: string) => string {
  return (member) => `${resource}::DisplayName:${form[member]?.name ?? others[member] ?? member}`
}

const capitalized = (member: string) => member.charAt(0).toUpperCase() + member.slice(1)
const twoFactor = 'Abp.Identity.TwoFactor'

/** Every group of settings that the contracts of the platform have, in the order of the page. */
export const settingSections: readonly SettingSection[] = [
  {
    id: 'emailing',
    title: 'AbpSettingManagement::Menu:Emailing',
    permission: SettingManagementPermissions.Emailing,
    dto: UpdateEmailSettingsDto,
    get: emailing.get,
    update: emailing.update,
    titleOf: (member) => `AbpSettingManagement::${capitalized(member)}`,
  },
  ...(
    [
      ['password', IdentityPasswordSettingsDto],
      ['lockout', IdentityLockoutSettingsDto],
      ['signIn', IdentitySignInSettingsDto],
      ['user', IdentityUserSettingsDto],
    ] as const
  ).map(([member, dto]) => ({
    id: member,
    title: `Settings:${member}`,
    permission: IdentityPermissions.SettingManagement,
    dto,
    get: identity.get,
    update: identity.update,
    member,
    titleOf: named('AbpIdentity', identitySettingForm[member]),
  })),
  {
    id: 'session',
    title: 'AbpIdentity::Sessions',
    permission: IdentityPermissions.SettingManagement,
    dto: IdentitySessionSettingsDto,
    get: identity.getSession,
    update: identity.updateSession,
    titleOf: () => 'AbpIdentity::DisplayName:Abp.Identity.Session.PreventConcurrentLogin',
    enums: {
      preventConcurrentLogin: [
        'AbpSettingManagement::Enum:PreventConcurrentLoginBehaviour',
        PreventConcurrentLoginBehaviour,
      ],
    },
  },
  {
    id: 'account',
    title: 'Settings:account',
    permission: AccountSettingPermissions.SettingManagement,
    dto: AccountSettingsDto,
    get: account.get,
    update: account.update,
    titleOf: named('AbpAccount', accountSettingForm),
  },
  {
    id: 'two-factor',
    title: 'AbpIdentity::DisplayName:TwoFactorEnabled',
    permission: AccountSettingPermissions.SettingManagement,
    dto: AccountTwoFactorSettingsDto,
    get: account.getTwoFactor,
    update: account.updateTwoFactor,
    titleOf: named(
      'AbpAccount',
      {},
      {
        twoFactorBehaviour: `${twoFactor}.Behaviour`,
        usersCanChange: `${twoFactor}.UsersCanChange`,
        isRememberBrowserEnabled: 'Abp.Account.TwoFactorLogin.IsRememberBrowserEnabled',
      },
    ),
    enums: { twoFactorBehaviour: ['AbpSettingManagement::Enum:TwoFactorBehaviour', TwoFactorBehaviour] },
  },
  {
    id: 'passkey',
    title: 'Settings:passkey',
    permission: AccountSettingPermissions.SettingManagement,
    dto: AccountPasskeySettingsDto,
    get: account.getPasskey,
    update: account.updatePasskey,
    titleOf: named('AbpAccount', passkeySettingForm),
  },
  {
    id: 'idle',
    title: 'Settings:idle',
    permission: AccountSettingPermissions.SettingManagement,
    dto: AccountIdleSettingsDto,
    get: account.getIdle,
    update: account.updateIdle,
    titleOf: named('AbpAccount', idleSettingForm),
  },
  {
    id: 'oauth',
    title: 'Settings:oauth',
    permission: IdentityPermissions.SettingManagement,
    dto: IdentityOAuthSettingsDto,
    get: identity.getOAuth,
    update: identity.updateOAuth,
    titleOf: named('AbpIdentity', oauthSettingForm, { clientSecret: 'Abp.Identity.OAuthLogin.ClientSecret' }),
  },
  {
    id: 'audit-log',
    title: 'AbpAuditLogging::AuditLogs',
    permission: AuditLoggingPermissions.SettingManagement,
    dto: AuditLogSettingsDto,
    get: auditLog.get,
    update: auditLog.update,
    titleOf: (member) => `AbpAuditLogging::DisplayName:${capitalized(member)}`,
  },
  {
    id: 'hub',
    title: 'Settings:hub',
    permission: HubSettingPermissions.SettingManagement,
    dto: HubSettingsDto,
    get: hub.get,
    update: hub.update,
    titleOf: (member) => `Hub::DisplayName:${capitalized(member)}`,
  },
  {
    id: 'pricing',
    title: 'Settings:pricing',
    permission: PricingSettingPermissions.SettingManagement,
    dto: PricingSettingsDto,
    get: pricing.get,
    update: pricing.update,
    titleOf: (member) => `Pricing:Setting:${capitalized(member)}`,
  },
]
