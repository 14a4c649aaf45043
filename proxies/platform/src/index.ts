import {
  AbpAccount,
  AccountAppService,
  AccountExternalLoginAppService,
  AccountSecurityLogAppService,
  AccountSessionAppService,
  DynamicClaimsAppService,
  LinkUserAppService,
  ProfileAppService,
  ProfilePictureAppService,
  ReauthenticationAppService,
  TwoFactorAppService,
  UserDelegationAppService,
} from '@keel/account/contracts'
import { ApiKeyAppService, ApiKeyManagement } from '@keel/api-keys/contracts'
import {
  AbpAuditLogging,
  AuditLogActionDto,
  AuditLogDto,
  AuditLogSettingsAppService,
  AuditLogsAppService,
  EntityChangeDto,
  EntityPropertyChangeDto,
} from '@keel/audit-logging/contracts'
import {
  BackgroundJobAppService,
  BackgroundWork,
  InboxEventAppService,
  ListMailAppService,
  LiveEventAppService,
} from '@keel/background-work/contracts'
import { FeatureAppService, FeatureManagement } from '@keel/feature-management/contracts'
import { createProxy, type ProxyOf, type ProxyOptions } from '@keel/framework/client'
import {
  Abp,
  AbpApplicationConfigurationAppService,
  AbpApplicationLocalizationAppService,
  AbpTenantAppService,
} from '@keel/framework/contracts'
import {
  Identity,
  IdentityClaimTypeAppService,
  IdentityExternalUserAppService,
  IdentityRoleAppService,
  IdentitySecurityLogAppService,
  IdentitySecurityLogDto,
  IdentitySessionAppService,
  IdentityUserAppService,
  IdentityUserFileAppService,
  IdentityUserLookupAppService,
  OrganizationUnitAppService,
} from '@keel/identity/contracts'
import { ApplicationAppService, OpenIddictPro, ScopeAppService } from '@keel/openid/contracts'
import {
  PermissionAppService,
  PermissionExplanationAppService,
  PermissionGrantChangeDto,
  PermissionHistoryAppService,
  PermissionManagement,
  PermissionPreviewAppService,
  RoleMatrixAppService,
} from '@keel/permission-management/contracts'
import {
  EditionAppService,
  Saas,
  SaasTenantAppService,
  TenantAppService,
  TenantManagement,
} from '@keel/saas/contracts'
import {
  AccountAdmin,
  AccountExternalProviderAppService,
  AccountSettingsAppService,
  EmailSettingsAppService,
  IdentitySettingsAppService,
  RetentionSettingsAppService,
  SettingManagement,
  TimeZoneSettingsAppService,
} from '@keel/setting-management/contracts'
import {
  ApiKeyRow,
  ApiKeyUsageRow,
  BackgroundJobRow,
  ClaimTypeRow,
  EditionRow,
  EventSubscriptionRow,
  FeatureValueRow,
  LinkUserRow,
  OpenIddictApplicationRow,
  OpenIddictAuthorizationRow,
  OpenIddictScopeRow,
  OpenIddictTokenRow,
  OrganizationUnitRoleRow,
  OrganizationUnitRow,
  PermissionGrantRow,
  ResourcePermissionGrantRow,
  RoleClaimRow,
  RoleRow,
  SessionRow,
  TenantConnectionStringRow,
  TenantRow,
  UserClaimRow,
  UserDelegationRow,
  UserLoginRow,
  UserOrganizationUnitRow,
  UserRoleRow,
  UserRow,
} from './rows.js'

export * from '@keel/account/contracts'
export * from '@keel/api-keys/contracts'
export * from '@keel/audit-logging/contracts'
export * from '@keel/background-work/contracts'
export * from '@keel/feature-management/contracts'
export * from '@keel/framework/client'
export {
  ApplicationConfigurationDto,
  ApplicationLocalizationDto,
  CurrentUserDto,
  FindTenantResultDto,
  LanguageInfoDto,
  LocalizationResourceDto,
} from '@keel/framework/contracts'
export * from '@keel/identity/contracts'
export * from '@keel/openid/contracts'
export * from '@keel/permission-management/contracts'
export * from '@keel/saas/contracts'
export * from '@keel/setting-management/contracts'
export * from './rows.js'

/** What a page needs before it shows itself: configuration and texts of the host. */
export const applicationMembers = {
  configuration: { service: AbpApplicationConfigurationAppService },
  localization: { service: AbpApplicationLocalizationAppService },
  tenants: { service: AbpTenantAppService },
} as const

/** The services and entity sets of Identity. */
export const identityMembers = {
  users: { service: IdentityUserAppService, rows: UserRow },
  userRoles: { rows: UserRoleRow },
  userLogins: { rows: UserLoginRow },
  userOrganizationUnits: { rows: UserOrganizationUnitRow },
  userClaims: { rows: UserClaimRow },
  userFiles: { service: IdentityUserFileAppService },
  userLookup: { service: IdentityUserLookupAppService },
  externalUsers: { service: IdentityExternalUserAppService },
  roles: { service: IdentityRoleAppService, rows: RoleRow },
  roleClaims: { rows: RoleClaimRow },
  claimTypes: { service: IdentityClaimTypeAppService, rows: ClaimTypeRow },
  organizationUnits: { service: OrganizationUnitAppService, rows: OrganizationUnitRow },
  organizationUnitRoles: { rows: OrganizationUnitRoleRow },
  securityLogs: { service: IdentitySecurityLogAppService, rows: IdentitySecurityLogDto },
  sessions: { service: IdentitySessionAppService, rows: SessionRow },
} as const

/** The services of Account, which are about the user who calls, and its entity sets. */
export const accountMembers = {
  account: { service: AccountAppService },
  profile: { service: ProfileAppService },
  profilePictures: { service: ProfilePictureAppService },
  twoFactor: { service: TwoFactorAppService },
  externalLogins: { service: AccountExternalLoginAppService },
  securityLogs: { service: AccountSecurityLogAppService },
  sessions: { service: AccountSessionAppService },
  reauthentication: { service: ReauthenticationAppService },
  linkUsers: { service: LinkUserAppService, rows: LinkUserRow },
  userDelegations: { service: UserDelegationAppService, rows: UserDelegationRow },
  dynamicClaims: { service: DynamicClaimsAppService },
} as const

/** The services of permission management and the history of grants. */
export const permissionMembers = {
  grants: { service: PermissionAppService, rows: PermissionGrantRow, set: 'PermissionGrants' },
  prohibitions: { rows: PermissionGrantRow, set: 'PermissionProhibitions' },
  resourceGrants: { rows: ResourcePermissionGrantRow, set: 'ResourcePermissionGrants' },
  explanations: { service: PermissionExplanationAppService },
  previews: { service: PermissionPreviewAppService },
  history: {
    service: PermissionHistoryAppService,
    rows: PermissionGrantChangeDto,
    set: 'PermissionGrantChanges',
  },
} as const

/** The matrix of roles and permissions. */
export const roleMatrixMembers = { roleMatrix: { service: RoleMatrixAppService } } as const

/** API keys. */
export const apiKeyMembers = {
  apiKeys: { service: ApiKeyAppService, rows: ApiKeyRow },
  apiKeyUsages: { rows: ApiKeyUsageRow },
} as const

/** Features and their values. */
export const featureMembers = {
  features: { service: FeatureAppService, rows: FeatureValueRow, set: 'FeatureValues' },
} as const

/** Editions and tenants. */
export const saasMembers = {
  editions: { service: EditionAppService, rows: EditionRow },
  tenants: { service: SaasTenantAppService, rows: TenantRow },
  tenantConnectionStrings: { rows: TenantConnectionStringRow },
} as const

/** Audit logs with their parts. */
export const auditLoggingMembers = {
  auditLogs: { service: AuditLogsAppService, rows: AuditLogDto },
  auditLogActions: { rows: AuditLogActionDto },
  entityChanges: { rows: EntityChangeDto },
  entityPropertyChanges: { rows: EntityPropertyChangeDto },
  settings: { service: AuditLogSettingsAppService },
} as const

/** Background jobs and events that were received. */
export const backgroundWorkMembers = {
  jobs: { service: BackgroundJobAppService, rows: BackgroundJobRow, set: 'BackgroundJobs' },
  inboxEvents: { service: InboxEventAppService },
  eventSubscriptions: { rows: EventSubscriptionRow },
  listMails: { service: ListMailAppService },
  liveEvents: { service: LiveEventAppService },
} as const

/** Clients and scopes of the authorization server. */
export const openIdMembers = {
  applications: {
    service: ApplicationAppService,
    rows: OpenIddictApplicationRow,
    set: 'OpenIddictApplications',
  },
  scopes: { service: ScopeAppService, rows: OpenIddictScopeRow, set: 'OpenIddictScopes' },
  authorizations: { rows: OpenIddictAuthorizationRow, set: 'OpenIddictAuthorizations' },
  tokens: { rows: OpenIddictTokenRow, set: 'OpenIddictTokens' },
} as const

const settingMembers = {
  emailing: { service: EmailSettingsAppService },
  timeZone: { service: TimeZoneSettingsAppService },
  retention: { service: RetentionSettingsAppService },
} as const
const identitySettingMembers = { identity: { service: IdentitySettingsAppService } } as const
const accountSettingMembers = { account: { service: AccountSettingsAppService } } as const
const externalProviderMembers = { externalProviders: { service: AccountExternalProviderAppService } } as const
const tenantManagementMembers = { tenantManagement: { service: TenantAppService } } as const

/** The platform's modules, each with its services as clients and its entity sets to query. */
export interface PlatformProxy {
  readonly application: ProxyOf<typeof applicationMembers>
  readonly identity: ProxyOf<typeof identityMembers>
  readonly account: ProxyOf<typeof accountMembers>
  readonly permissions: ProxyOf<typeof permissionMembers & typeof roleMatrixMembers>
  /** `platform.apiKeys.apiKeys` and how they were used. */
  readonly apiKeys: ProxyOf<typeof apiKeyMembers>
  readonly settings: ProxyOf<
    typeof settingMembers &
      typeof identitySettingMembers &
      typeof accountSettingMembers &
      typeof externalProviderMembers
  >
  readonly features: ProxyOf<typeof featureMembers>['features']
  /** Editions and tenants; `tenantManagement` has the routes of ABP's open-source tenant management. */
  readonly saas: ProxyOf<typeof saasMembers & typeof tenantManagementMembers>
  readonly auditLogging: ProxyOf<typeof auditLoggingMembers>
  readonly backgroundWork: ProxyOf<typeof backgroundWorkMembers>
  readonly openId: ProxyOf<typeof openIdMembers>
}

/**
 * Clients of the platform's modules. With `settings` every module is looked for by the name of its own remote service
 * (`RemoteServices:AbpIdentity:BaseUrl`), else under `Default`. Throws when `options` give no address.
 * @example
 * const platform = createPlatformProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const { auth } = await platform.application.configuration.get({ includeLocalizationResources: false })
 * if (auth.grantedPolicies[IdentityUserPermissions.Default]) await platform.identity.users.getList({ filter: 'ann' })
 */
export function createPlatformProxy(options: ProxyOptions): PlatformProxy {
  return {
    application: createProxy(Abp, applicationMembers, options),
    identity: createProxy(Identity, identityMembers, options),
    account: createProxy(AbpAccount, accountMembers, options),
    permissions: {
      ...createProxy(PermissionManagement, permissionMembers, options),
      ...createProxy(PermissionManagement, roleMatrixMembers, options),
    },
    apiKeys: createProxy(ApiKeyManagement, apiKeyMembers, options),
    settings: {
      ...createProxy(SettingManagement, settingMembers, options),
      ...createProxy(Identity, identitySettingMembers, options),
      ...createProxy(AccountAdmin, accountSettingMembers, options),
      ...createProxy(AbpAccount, externalProviderMembers, options),
    },
    features: createProxy(FeatureManagement, featureMembers, options).features,
    saas: {
      ...createProxy(Saas, saasMembers, options),
      ...createProxy(TenantManagement, tenantManagementMembers, options),
    },
    auditLogging: createProxy(AbpAuditLogging, auditLoggingMembers, options),
    backgroundWork: createProxy(BackgroundWork, backgroundWorkMembers, options),
    openId: createProxy(OpenIddictPro, openIdMembers, options),
  }
}
