import { ambient, Injectable, KeelModule, Module } from '@keel/framework'
import { identifier, type RowRule, type RowScope, rowRule, sql } from '@keel/framework/data'
import { hasPermission } from '@keel/framework/security'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { OrganizationMemberAppService, OrganizationPermissions } from './contracts/index.js'

/** The organizations whose data the caller at hand sees. */
export interface VisibleOrganizations {
  /** True for staff and the program itself, who see everything. */
  readonly all: boolean
  /** Those that memberships of the caller show, and what is below them; empty where {@link all} is true. */
  readonly organizationIds: readonly string[]
}

const everything: VisibleOrganizations = { all: true, organizationIds: [] }
const nothing: VisibleOrganizations = { all: false, organizationIds: [] }

/** Asks Hub for the organizations of the caller; where Hub runs on another host, over HTTP in the caller's name. */
@Injectable()
export class OrganizationsOfCaller implements RowScope<VisibleOrganizations> {
  constructor(private readonly members: OrganizationMemberAppService) {}

  current(): VisibleOrganizations | Promise<VisibleOrganizations> {
    const seesAll =
      hasPermission(OrganizationPermissions.AccessAll) ||
      hasPermission(AdministrationPermissions.InternalAdmin)
    if (seesAll) return everything
    return ambient().principal.userId ? this.members.getMyAccess() : nothing
  }
}

/**
 * The row rule of entities whose rows belong to an organization: customers see the rows of their own organizations, staff all. The module lists
 * {@link HubOrganizationsModule} in `dependsOn`. Rows without an organization are seen by staff alone.
 * @param column that holds the organization's id, e.g. `OrganizationId`
 * @example
 * const vehiclesOfCaller = ofOrganizations('OwnerId')
 * @Entity('FleetVehicles', { rules: [vehiclesOfCaller] })
 */
export function ofOrganizations(column: string): RowRule<VisibleOrganizations> {
  const name = identifier(column)
  return rowRule(OrganizationsOfCaller, ({ all, organizationIds }, t) =>
    all ? undefined : sql`${t}.${name} = any(${organizationIds}::uuid[])`,
  )
}

/**
 * What modules beside Hub need for {@link ofOrganizations}. It needs no table of Hub: a host without Hub lists `OrganizationMemberAppService` in
 * `remotes`.
 */
@Module({ services: [OrganizationsOfCaller] })
export class HubOrganizationsModule extends KeelModule {}
