import { ambient, Provides } from '@keel/framework'
import { type Cache, Caches } from '@keel/framework/caching'
import { type Database, Databases, type Sql, sequentialGuid, sql } from '@keel/framework/data'
import { type GrantHolder, type ResourceGrant, ResourceGrantSource } from '@keel/framework/security'
import type { GrantChangeCause, GrantChangeKind, GrantedThing } from '../contracts/index.js'
import { ResourcePermissionGrant } from '../domain/permission-grant.js'

/** One permission on one thing at one holder, and what becomes of it. There are no prohibitions on single things. */
export interface ResourceGrantChange extends GrantHolder, GrantedThing {
  readonly name: string
  readonly kind: keyof Pick<typeof GrantChangeKind, 'Granted' | 'Revoked'>
}

/** So many grants are kept over all things: some 30 MB. */
const mostKeptGrants = 100_000

const columns = sql`"Name" as name, "ProviderName" as "providerName", "ProviderKey" as "providerKey",
  "ResourceName" as "resourceName", "ResourceKey" as "resourceKey"`

/** Reads and writes grants on single things. What is read of a thing is kept until the table changes, in whichever process. */
@Provides(ResourceGrantSource)
export class ResourceGrants extends ResourceGrantSource {
  readonly database: Database
  readonly tables = ['AbpResourcePermissionGrants']
  private readonly kept: Cache<readonly ResourceGrant[]>

  constructor(databases: Databases, caches: Caches) {
    super()
    this.database = databases.of(ResourcePermissionGrant)
    this.kept = caches.of({
      name: 'PermissionManagement.ResourceGrants',
      max: mostKeptGrants,
      sizeOf: (grants) => 1 + grants.length,
      madeOf: this,
    })
  }

  async grantsOn(resourceName: string, resourceKey: string): Promise<readonly ResourceGrant[]> {
    return this.kept.getOrAdd(JSON.stringify([resourceName, resourceKey]), () =>
      this.where(sql`"ResourceName" = ${resourceName} and "ResourceKey" = ${resourceKey}`),
    )
  }

  /** Takes away everything that a holder was granted on things. */
  async revokeAll({ providerName, providerKey }: GrantHolder, cause: keyof typeof GrantChangeCause) {
    const rows = await this.where(sql`"ProviderName" = ${providerName} and "ProviderKey" = ${providerKey}`)
    await this.apply(rows.map(revocation), cause)
  }

  /** Takes away everything that was granted on a thing. */
  async revokeAllOn({ resourceName, resourceKey }: GrantedThing, cause: keyof typeof GrantChangeCause) {
    const rows = await this.where(sql`"ResourceName" = ${resourceName} and "ResourceKey" = ${resourceKey}`)
    await this.apply(rows.map(revocation), cause)
  }

  /** Moves what a holder was granted on things to its new key. */
  async rename({ providerName, providerKey }: GrantHolder, newKey: string): Promise<void> {
    const rows = await this.where(sql`"ProviderName" = ${providerName} and "ProviderKey" = ${providerKey}`)
    await this.apply(rows.map(revocation), 'HolderRenamed')
    await this.apply(
      rows.map((row) => ({ ...row, providerKey: newKey, kind: 'Granted' })),
      'HolderRenamed',
    )
  }

  /**
   * Makes changes and writes down those that changed something, with who made them, in one statement. Rows are taken in one order, so that
   * two who change the same do not wait for each other.
   */
  async apply(changes: readonly ResourceGrantChange[], cause: keyof typeof GrantChangeCause): Promise<void> {
    if (changes.length === 0) return
    const ordered = [...changes].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    const { principal, correlationId } = ambient()
    const { userId = null, userName = null, clientId = null } = principal
    await this.database.execute(sql`
      with wanted as (
        select * from unnest(${ordered.map(() => sequentialGuid())}::uuid[], ${ordered.map(() => sequentialGuid())}::uuid[],
          ${ordered.map(({ name }) => name)}::text[], ${ordered.map(({ providerName }) => providerName)}::text[],
          ${ordered.map(({ providerKey }) => providerKey)}::text[], ${ordered.map((one) => one.resourceName)}::text[],
          ${ordered.map((one) => one.resourceKey)}::text[], ${ordered.map(({ kind }) => kind)}::text[])
          with ordinality as wanted("rowId", "changeId", "name", "provider", "key", "thing", "thingKey", "kind", "position")
      ), granted as (
        insert into "AbpResourcePermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey", "ResourceName", "ResourceKey")
        select "rowId", "name", "provider", "key", "thing", "thingKey" from wanted where "kind" = 'Granted' order by "position"
        on conflict do nothing
        returning "Name", "ProviderName", "ProviderKey", "ResourceName", "ResourceKey", 'Granted' as "Kind"
      ), revoked as (
        delete from "AbpResourcePermissionGrants" t using wanted
        where "kind" = 'Revoked' and t."TenantId" is null and t."Name" = "name" and t."ProviderName" = "provider"
          and t."ProviderKey" = "key" and t."ResourceName" = "thing" and t."ResourceKey" = "thingKey"
        returning t."Name", t."ProviderName", t."ProviderKey", t."ResourceName", t."ResourceKey", 'Revoked' as "Kind"
      ), changed as (select * from granted union all select * from revoked)
      insert into "AppPermissionGrantChanges" ("Id", "ChangeTime", "PermissionName", "ProviderName", "ProviderKey", "ResourceName",
        "ResourceKey", "Kind", "Cause", "UserId", "UserName", "ClientId", "CorrelationId")
      select "changeId", clock_timestamp(), "name", "provider", "key", "thing", "thingKey", "kind", ${cause}, ${userId}::uuid, ${userName},
        ${clientId}, ${correlationId || null}
      from wanted join changed on "Name" = "name" and "ProviderName" = "provider" and "ProviderKey" = "key" and "ResourceName" = "thing"
        and "ResourceKey" = "thingKey" and "Kind" = "kind"`)
  }

  private where(condition: Sql): Promise<(ResourceGrant & GrantedThing)[]> {
    return this.database.query<ResourceGrant & GrantedThing>(sql`
      select ${columns} from "AbpResourcePermissionGrants" where ${condition} and "TenantId" is null
      order by "ProviderName", "ProviderKey", "Name"`)
  }
}

const revocation = (row: ResourceGrant & GrantedThing): ResourceGrantChange => ({ ...row, kind: 'Revoked' })

const orderOf = ({
  resourceName,
  resourceKey,
  providerName,
  providerKey,
  name,
}: ResourceGrantChange): string =>
  JSON.stringify([resourceName, resourceKey, providerName, providerKey, name])
