import { AppService, Dto, GrantedTo, op, PermissionGroup, remoteService, z } from '@keel/framework/contracts'
import { AccountSettings, InternalAdmin } from '@keel/identity/contracts'

/** Where the endpoints of ABP's account-admin module are. */
export const AccountAdmin = remoteService('AbpAccountAdmin', 'account-admin', 'Volo.Abp.Account')

/** Who may change how users come in. */
@PermissionGroup('AbpAccount')
export class AccountSettingPermissions {
  @GrantedTo(InternalAdmin) static readonly SettingManagement = 'AbpAccount.SettingManagement'
}

/** How users come in. */
export class AccountSettingsDto extends Dto({
  isSelfRegistrationEnabled: z.boolean(),
  enableLocalLogin: z.boolean(),
}) {}

/** Which member of the DTO shows which setting. */
export const accountSettingForm = {
  isSelfRegistrationEnabled: AccountSettings.IsSelfRegistrationEnabled,
  enableLocalLogin: AccountSettings.EnableLocalLogin,
} as const

/** A property of an external provider. */
export class ExternalProviderPropertyDto extends Dto({
  name: z.string().min(1).max(64),
  value: z.string().trim().max(256).nullish(),
}) {}

/** An external provider. Secrets are answered without a value, and an empty one keeps what is stored. */
export class ExternalProviderSettingsDto extends Dto({
  name: z.string().min(1).max(90),
  enabled: z.boolean().default(false),
  properties: z.array(ExternalProviderPropertyDto.schema).max(10).default([]),
  secretProperties: z.array(ExternalProviderPropertyDto.schema).max(10).default([]),
}) {}

/** Every external provider: those that are always offered, and the directories that were added. */
export class AccountExternalProviderSettingsDto extends Dto({
  externalProviders: z.array(ExternalProviderSettingsDto.schema).max(50),
}) {}

const route = '/api/account-admin/settings'

/** The settings of the account pages, as ABP's pages ask for them. */
export abstract class AccountSettingsAppService extends AppService(AccountAdmin, {
  get: op().returns(AccountSettingsDto).at('GET', route),
  update: op(AccountSettingsDto).at('PUT', route),
  getExternalProvider: op()
    .returns(AccountExternalProviderSettingsDto)
    .at('GET', `${route}/external-provider`),
  /** Replaces all of them: a directory that is left out is forgotten. */
  updateExternalProvider: op(AccountExternalProviderSettingsDto).at('PUT', `${route}/external-provider`),
}) {}
