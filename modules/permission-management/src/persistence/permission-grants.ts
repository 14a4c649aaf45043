import { Application, ambient, Provides } from '@keel/framework'
import { type Database, Databases, raw, sequentialGuid, sql, UnitOfWork } from '@keel/framework/data'
import { type GrantHolder, GrantSource } from '@keel/framework/security'
import type { GrantChangeCause, GrantChangeKind } from '../contracts/index.js'
import { PermissionGrant } from '../domain/permission-grant.js'
import { type GrantRow, grantedNames } from '../domain/verdict.js'

/** One permission at one holder, and what becomes of it. */
export interface GrantChange extends GrantHolder {
  readonly name: string
  readonly kind: keyof typeof GrantChangeKind
}

const tables = ['AbpPermissionGrants', 'AppPermissionProhibitions'] as const

/** Reads and writes grants and prohibitions. Statements rather than rows: what is asked for are sets of names. */
@Provides(GrantSource)
export class PermissionGrants extends GrantSource {
  readonly database: Database
  readonly tables = tables

  constructor(
    databases: Databases,
    private readonly application: Application,
  ) {
    super()
    this.database = databases.of(PermissionGrant)
  }

  async grantedTo(holders: readonly GrantHolder[]): Promise<string[]> {
    return grantedNames(this.application.permissions, await this.rowsOf(holders))
  }

  /**
   * Reads the grants and prohibitions of the holders themselves, in their order: of all permissions or of
   * one. One statement.
   */
  rowsOf(holders: readonly GrantHolder[], permission?: string): Promise<GrantRow[]> {
    const names = holders.map(({ providerName }) => providerName)
    const keys = holders.map(({ providerKey }) => providerKey)
    const rows = (table: string, isProhibition: boolean) => sql`
      select g."Name" as name, g."ProviderName" as "providerName", g."ProviderKey" as "providerKey", ${raw(String(isProhibition))} as "isProhibition", position
      from holder join ${raw(`"${table}"`)} g on g."ProviderName" = holder.provider and g."ProviderKey" = holder.key and g."TenantId" is null
      where ${permission === undefined ? raw('true') : sql`g."Name" = ${permission}`}`
    return this.database.query<GrantRow>(sql`
      with holder as (select * from unnest(${names}::text[], ${keys}::text[]) with ordinality as holder(provider, key, position))
      ${rows(tables[0], false)} union all ${rows(tables[1], true)} order by position`)
  }

  /** Everything that is granted or prohibited of some permissions, whoever holds it. One statement. */
  rowsFor(permissions: readonly string[]): Promise<GrantRow[]> {
    const rows = (table: string, isProhibition: boolean) => sql`
      select g."Name" as name, g."ProviderName" as "providerName", g."ProviderKey" as "providerKey", ${raw(String(isProhibition))} as "isProhibition"
      from ${raw(`"${table}"`)} g where g."Name" = any(${permissions}::text[]) and g."TenantId" is null`
    return this.database.query<GrantRow>(sql`${rows(tables[0], false)} union all ${rows(tables[1], true)}`)
  }

  async usersWithRows(most: number): Promise<ReadonlySet<string> | undefined> {
    const keys = (table: string) =>
      raw(`select "ProviderKey" as key from "${table}" where "ProviderName" = 'U' and "TenantId" is null`)
    const rows = await this.database.query<{ key: string }>(
      sql`(${keys(tables[0])} union ${keys(tables[1])}) limit ${most + 1}`,
    )
    return rows.length > most ? undefined : new Set(rows.map(({ key }) => key))
  }

  /** Adds the grants that are missing and answers how many that were. Grants that stand stay as they are. */
  grant(
    grants: readonly (GrantHolder & { readonly permission: string })[],
    cause: keyof typeof GrantChangeCause = 'Module',
  ): Promise<number> {
    const changes = grants.map(({ permission, ...holder }) => ({
      ...holder,
      name: permission,
      kind: 'Granted' as const,
    }))
    return this.apply(changes, cause)
  }

  /**
   * Makes changes and writes down those that changed something, with who made them: one statement, so neither is there without the other.
   * Answers how many that were. Rows are taken in one order, so that nobody waits for somebody who waits for them.
   */
  async apply(changes: readonly GrantChange[], cause: keyof typeof GrantChangeCause): Promise<number> {
    if (changes.length === 0) return 0
    const ordered = [...changes].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    const { principal, correlationId } = ambient()
    const { userId = null, userName = null, clientId = null } = principal
    const insert = (table: string, kind: string) =>
      raw(`
      insert into "${table}" ("Id", "Name", "ProviderName", "ProviderKey")
      select "rowId", "name", "provider", "key" from wanted where "kind" = '${kind}' order by "position"
      on conflict do nothing returning "Name", "ProviderName", "ProviderKey", '${kind}' as "Kind"`)
    const remove = (table: string, kind: string) =>
      raw(`
      delete from "${table}" t using wanted
      where "kind" = '${kind}' and t."TenantId" is null and t."Name" = "name" and t."ProviderName" = "provider" and t."ProviderKey" = "key"
      returning t."Name", t."ProviderName", t."ProviderKey", '${kind}' as "Kind"`)
    const changed = await this.database.execute(sql`
      with wanted as (
        select * from unnest(${ordered.map(() => sequentialGuid())}::uuid[], ${ordered.map(() => sequentialGuid())}::uuid[],
          ${ordered.map(({ name }) => name)}::text[], ${ordered.map(({ providerName }) => providerName)}::text[],
          ${ordered.map(({ providerKey }) => providerKey)}::text[], ${ordered.map(({ kind }) => kind)}::text[])
          with ordinality as wanted("rowId", "changeId", "name", "provider", "key", "kind", "position")
      ), granted as (${insert(tables[0], 'Granted')}
      ), revoked as (${remove(tables[0], 'Revoked')}
      ), prohibited as (${insert(tables[1], 'Prohibited')}
      ), allowed as (${remove(tables[1], 'Allowed')}
      ), changed as (
        select * from granted union all select * from revoked union all select * from prohibited union all select * from allowed
      )
      insert into "AppPermissionGrantChanges" ("Id", "ChangeTime", "PermissionName", "ProviderName", "ProviderKey", "Kind", "Cause",
        "UserId", "UserName", "ClientId", "CorrelationId")
      select "changeId", clock_timestamp(), "name", "provider", "key", "kind", ${cause}, ${userId}::uuid, ${userName}, ${clientId}, ${correlationId || null}
      from wanted join changed on "Name" = "name" and "ProviderName" = "provider" and "ProviderKey" = "key" and "Kind" = "kind"`)
    if (changed > 0) this.tellChanged()
    return changed
  }

  /**
   * Invalidates what this process compiled from grants, when the unit of work commits. Other processes are
   * notified by the triggers.
   */
  private tellChanged(): void {
    for (const table of tables) {
      if (UnitOfWork.current) UnitOfWork.current.changed(this.database, table)
      else this.database.feed.changed(table)
    }
  }
}

const orderOf = ({ providerName, providerKey, name, kind }: GrantChange): string =>
  JSON.stringify([kind, providerName, providerKey, name])
