import { Provides } from '@keel/framework'
import { Databases, sequentialGuid, sql } from '@keel/framework/data'
import { type GrantHolder, GrantSource } from '@keel/framework/security'
import { PermissionGrant } from '../domain/permission-grant.js'

/** Reads and adds grants. Statements rather than rows: what is asked for are sets of names. */
@Provides(GrantSource)
export class PermissionGrants extends GrantSource {
  readonly database
  readonly tables = ['AbpPermissionGrants'] as const

  constructor(databases: Databases) {
    super()
    this.database = databases.of(PermissionGrant)
  }

  async grantedTo(holders: readonly GrantHolder[]): Promise<string[]> {
    const names = holders.map(({ providerName }) => providerName)
    const keys = holders.map(({ providerKey }) => providerKey)
    const rows = await this.database.query<{ name: string }>(sql`
      select distinct g."Name" as name
      from unnest(${names}::text[], ${keys}::text[]) as holder(provider, key)
      join "AbpPermissionGrants" g on g."ProviderName" = holder.provider and g."ProviderKey" = holder.key and g."TenantId" is null`)
    return rows.map(({ name }) => name)
  }

  /** Adds the grants that are missing and answers how many that were. Grants that stand stay as they are. */
  async grant(grants: readonly (GrantHolder & { readonly permission: string })[]): Promise<number> {
    const ids = grants.map(() => sequentialGuid())
    const permissions = grants.map(({ permission }) => permission)
    const names = grants.map(({ providerName }) => providerName)
    const keys = grants.map(({ providerKey }) => providerKey)
    return this.database.execute(sql`
      insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey")
      select id, permission, provider, key
      from unnest(${ids}::uuid[], ${permissions}::text[], ${names}::text[], ${keys}::text[]) as wanted(id, permission, provider, key)
      where not exists (
        select from "AbpPermissionGrants" g
        where g."TenantId" is null and g."Name" = permission and g."ProviderName" = provider and g."ProviderKey" = key)`)
  }
}
