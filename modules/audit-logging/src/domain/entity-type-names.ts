import type { EntityClass } from '@keel/framework/data'
import { entityMeta } from '@keel/framework/data'

/** ABP's own entities by their tables: its user interfaces ask for the history of an entity by this name. */
const abpNames: Readonly<Record<string, string>> = {
  AbpUsers: 'Volo.Abp.Identity.IdentityUser',
  AbpUserClaims: 'Volo.Abp.Identity.IdentityUserClaim',
  AbpUserLogins: 'Volo.Abp.Identity.IdentityUserLogin',
  AbpUserPasskeys: 'Volo.Abp.Identity.IdentityUserPasskey',
  AbpUserRoles: 'Volo.Abp.Identity.IdentityUserRole',
  AbpUserOrganizationUnits: 'Volo.Abp.Identity.IdentityUserOrganizationUnit',
  AbpRoles: 'Volo.Abp.Identity.IdentityRole',
  AbpRoleClaims: 'Volo.Abp.Identity.IdentityRoleClaim',
  AbpClaimTypes: 'Volo.Abp.Identity.IdentityClaimType',
  AbpOrganizationUnits: 'Volo.Abp.Identity.OrganizationUnit',
  AbpOrganizationUnitRoles: 'Volo.Abp.Identity.OrganizationUnitRole',
  AbpPermissionGrants: 'Volo.Abp.PermissionManagement.PermissionGrant',
  AbpSettings: 'Volo.Abp.SettingManagement.Setting',
  AbpFeatureValues: 'Volo.Abp.FeatureManagement.FeatureValue',
  SaasEditions: 'Volo.Saas.Editions.Edition',
  SaasTenants: 'Volo.Saas.Tenants.Tenant',
  OpenIddictApplications: 'Volo.Abp.OpenIddict.Applications.OpenIddictApplication',
  OpenIddictScopes: 'Volo.Abp.OpenIddict.Scopes.OpenIddictScope',
}

/** The full name of each entity's type by its table: ABP's where it is ABP's, else `Keel.<module>.<entity>`. */
export function entityTypeNames(
  modules: readonly { readonly name: string; readonly entities: readonly EntityClass[] }[],
): ReadonlyMap<string, string> {
  const names = modules.flatMap(({ name: module, entities }) =>
    entities
      .map(entityMeta)
      .map(({ table, name }) => [table, abpNames[table] ?? `Keel.${module}.${name}`] as const),
  )
  return new Map(names)
}
