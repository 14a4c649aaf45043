import { ambient, Provides } from '@keel/framework'
import { type Database, Databases, sql, type TableWatch } from '@keel/framework/data'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { LRUCache } from 'lru-cache'
import { OrganizationPermissions } from '../contracts/index.js'
import { OrganizationMember } from '../domain/organization.js'
import { OrganizationContext, type OrganizationScope } from '../domain/organization-context.js'

const everything: OrganizationScope = {
  all: true,
  organizationIds: [],
  defaultOrganizationId: undefined,
  userId: undefined,
}
const nothing: OrganizationScope = {
  all: false,
  organizationIds: [],
  defaultOrganizationId: undefined,
  userId: undefined,
}
/** A membership may end by its date without any row changing. */
const fiveMinutesMs = 300_000
const tables = ['HubOrganizationMembers', 'HubOrganizations']

/** Finds out whose data a caller sees, from their memberships; read again when memberships or the hierarchy change. */
@Provides(OrganizationContext)
export class Memberships extends OrganizationContext {
  private readonly database: Database
  private readonly watch: TableWatch
  private readonly kept = new LRUCache<string, { version: number; scope: OrganizationScope }>({
    max: 20_000,
    ttl: fiveMinutesMs,
  })

  constructor(databases: Databases) {
    super()
    this.database = databases.of(OrganizationMember)
    this.watch = this.database.feed.watch(tables)
  }

  current(): OrganizationScope | Promise<OrganizationScope> {
    const { kind, userId, permissions } = ambient().principal
    const seesAll =
      permissions.has(OrganizationPermissions.AccessAll) ||
      permissions.has(AdministrationPermissions.InternalAdmin)
    if (seesAll) return kind === 'user' ? { ...everything, userId } : everything
    if (!userId) return nothing
    const version = this.watch.version
    const kept = this.kept.get(userId)
    if (kept && kept.version === version) return kept.scope
    return this.load(userId).then((scope) => {
      if (version !== undefined) this.kept.set(userId, { version, scope })
      return scope
    })
  }

  private async load(userId: string): Promise<OrganizationScope> {
    const rows = await this.database.query<{ id: string; isDefault: boolean }>(sql`
      select o."Id" as id, bool_or(m."IsDefault" and m."OrganizationId" = o."Id") as "isDefault"
      from "HubOrganizationMembers" m
      join "HubOrganizations" own on own."Id" = m."OrganizationId" and own."IsDeleted" = false and own."IsActive"
      join "HubOrganizations" o on o."IsDeleted" = false and o."IsActive"
        and (o."Id" = own."Id" or (m."AccessScope" = 1 and starts_with(o."HierarchyPath", own."HierarchyPath")))
      where m."UserId" = ${userId} and m."IsDeleted" = false and (m."ValidUntil" is null or m."ValidUntil" > now())
      group by o."Id"
      order by o."Id"`)
    const organizationIds = rows.map(({ id }) => id)
    return {
      all: false,
      organizationIds,
      defaultOrganizationId: rows.find(({ isDefault }) => isDefault)?.id ?? organizationIds[0],
      userId,
    }
  }
}
