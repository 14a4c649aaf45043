import { AsyncLocalStorage } from 'node:async_hooks'
import { ambient, Clock, Injectable, Provides } from '@keel/framework'
import { type Database, Databases, type Sql, sql, undeleted } from '@keel/framework/data'
import {
  type Claim,
  claimOf,
  DataScope,
  DynamicClaims,
  type DynamicClaimsContributor,
  hasPermission,
} from '@keel/framework/security'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { type AccessScope, OrganizationPermissions, ShipmentPermissions } from '../contracts/index.js'
import { Organization, OrganizationMember } from '../domain/organization.js'
import { InternalNotes, OrganizationContext, type OrganizationScope } from '../domain/organization-context.js'

/** The organizations whose data a user may see. */
interface Membership {
  /** Sorted. */
  readonly organizationIds: readonly string[]
  readonly defaultOrganizationId: string | undefined
}

/** The organizations of a user, cached until memberships or the hierarchy change, or a membership ends. */
@Injectable()
@DynamicClaims()
export class OrganizationClaims implements DynamicClaimsContributor<Membership> {
  readonly database: Database
  readonly tables = ['HubOrganizationMembers', 'HubOrganizations'] as const

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(OrganizationMember)
  }

  async contribute(userId: string): Promise<Claim<Membership>> {
    const rows = await this.database.query<{ id: string; isDefault: boolean; endsNext: Date | null }>(sql`
      select o."Id" as id, bool_or(m."IsDefault" and m."OrganizationId" = o."Id") as "isDefault", min(m."ValidUntil") as "endsNext"
      ${organizationsOfMembers(sql`m."UserId" = ${userId}`, this.clock.now)}
      group by o."Id"
      order by o."Id"`)
    const organizationIds = rows.map(({ id }) => id)
    const ends = rows.flatMap(({ endsNext }) => endsNext ?? [])
    return {
      value: {
        organizationIds,
        defaultOrganizationId: rows.find(({ isDefault }) => isDefault)?.id ?? organizationIds[0],
      },
      ...(ends.length && { validUntil: new Date(Math.min(...ends.map(Number))) }),
    }
  }
}

/** The organizations `o` that memberships `m` of users show at a moment, as SQL from `from` on. */
function organizationsOfMembers(ofUsers: Sql, now: Date): Sql {
  return sql`
      from "HubOrganizationMembers" m
      join "HubOrganizations" own on own."Id" = m."OrganizationId" and ${undeleted(Organization, 'own')} and own."IsActive"
      join "HubOrganizations" o on ${undeleted(Organization, 'o')} and o."IsActive"
        and (o."Id" = own."Id" or (m."AccessScope" = 1 and starts_with(o."HierarchyPath", own."HierarchyPath")))
      where ${ofUsers} and ${undeleted(OrganizationMember, 'm')} and (m."ValidUntil" is null or m."ValidUntil" > ${now})`
}

const everything: OrganizationScope = {
  all: true,
  organizationIds: [],
  defaultOrganizationId: undefined,
  userId: undefined,
}
const nothing: OrganizationScope = { ...everything, all: false }

/** Lets work see less than its caller may: the data of some organizations. */
@Injectable()
export class OrganizationFocus {
  private readonly storage = new AsyncLocalStorage<readonly string[]>()

  /** Runs `work` as if the caller belonged to no other organizations than these; to those of them alone that the caller sees anyway. */
  within<T>(organizationIds: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.storage.run([...organizationIds].sort(), work)
  }

  /** The scope of a caller, narrowed for the work at hand. */
  narrow(scope: OrganizationScope): OrganizationScope {
    const focus = this.storage.getStore()
    if (!focus) return scope
    const organizationIds = scope.all ? focus : focus.filter((id) => scope.organizationIds.includes(id))
    return { ...nothing, organizationIds }
  }
}

/** The caller's organizations: all of them for staff, otherwise those of the caller's memberships. */
@Provides(OrganizationContext)
export class CallerOrganizations extends OrganizationContext {
  constructor(private readonly focus: OrganizationFocus) {
    super()
  }

  current(): OrganizationScope | Promise<OrganizationScope> {
    const scope = this.ofCaller()
    return scope instanceof Promise
      ? scope.then((found) => this.focus.narrow(found))
      : this.focus.narrow(scope)
  }

  private ofCaller(): OrganizationScope | Promise<OrganizationScope> {
    const { principal } = ambient()
    const { userId } = principal
    const seesAll =
      hasPermission(OrganizationPermissions.AccessAll) ||
      hasPermission(AdministrationPermissions.InternalAdmin)
    if (seesAll) return userId ? { ...everything, userId } : everything
    const membership = claimOf(principal, OrganizationClaims)
    if (!membership || !userId) return nothing
    return membership instanceof Promise
      ? membership.then((found) => scopeOf(found, userId))
      : scopeOf(membership, userId)
  }
}

/** Callers with `Shipment.ViewInternalNotes` read internal notes. */
@Provides(InternalNotes)
export class CallerNotes extends InternalNotes {
  current(): boolean {
    return hasPermission(ShipmentPermissions.ViewInternalNotes)
  }
}

/** Access to an organization, as a membership gives it. */
export interface OrganizationAccess {
  readonly organizationId: string
  readonly accessScope: AccessScope
  /** Null for access without an end. */
  readonly validUntil: Date | null
}

/** The condition that a row `t` is a membership of a user that counts at a moment. */
export function membershipCounts(userId: string, now: Date): Sql {
  return sql`t."UserId" = ${userId} and (t."ValidUntil" is null or t."ValidUntil" > ${now}) and exists (
    select from "HubOrganizations" own
    where own."Id" = t."OrganizationId" and ${undeleted(Organization, 'own')} and own."IsActive")`
}

/** Questions about memberships of any user, for decisions on who may change them. */
@Injectable()
export class Memberships {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(OrganizationMember)
  }

  /** True when a user has at least this access, by a membership there or, for what is below, further up. */
  async include(
    userId: string,
    { organizationId, accessScope, validUntil }: OrganizationAccess,
  ): Promise<boolean> {
    const lasting = validUntil
      ? sql`(m."ValidUntil" is null or m."ValidUntil" >= ${validUntil})`
      : sql`m."ValidUntil" is null`
    const [found] = await this.database.query<{ included: boolean }>(sql`
      select exists (select ${organizationsOfMembers(sql`m."UserId" = ${userId}`, this.clock.now)}
        and o."Id" = ${organizationId} and m."AccessScope" >= ${accessScope} and ${lasting}) as included`)
    return found?.included ?? false
  }

  /** The users who see an organization by memberships that count now, without one membership. */
  async usersOf(organizationId: string, exceptId: string): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(sql`
      select distinct m."UserId" as "userId"
      ${organizationsOfMembers(sql`m."Id" <> ${exceptId}`, this.clock.now)} and o."Id" = ${organizationId}`)
    return rows.map(({ userId }) => userId)
  }
}

/** Nobody takes over a user who sees organizations that the caller does not see. */
@Injectable()
export class OrganizationDataScope extends DataScope {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly context: OrganizationContext,
    private readonly clock: Clock,
  ) {
    super()
    this.database = databases.of(OrganizationMember)
  }

  async includes(userIds: readonly string[]): Promise<boolean> {
    const { all, organizationIds } = await this.context.current()
    if (all) return true
    const [found] = await this.database.query<{ more: boolean }>(sql`
      select exists (select ${organizationsOfMembers(sql`m."UserId" = any(${userIds}::uuid[])`, this.clock.now)}
        and not o."Id" = any(${organizationIds}::uuid[])) as more`)
    return found?.more === false
  }
}

function scopeOf(membership: Membership, userId: string): OrganizationScope {
  return { all: false, ...membership, userId }
}
