import { Injectable } from '@keel/framework'
import {
  type Database,
  Databases,
  JsonView,
  Locks,
  raw,
  type Sql,
  sql,
  UnitOfWork,
  undeleted,
} from '@keel/framework/data'
import { OrganizationNodeDto } from '../contracts/index.js'
import { Order } from '../domain/order.js'
import { Organization } from '../domain/organization.js'
import { ShipmentAddress } from '../domain/shipment.js'

/** The condition of organizations that every caller may name: they carry or forward for all (domain model, section 3). */
export const isCarrierOrForwarder: Sql = raw('(t."IsCarrier" or t."IsForwarder")')

/** The condition of organizations at and below a path. */
export function isAtOrBelow(path: string): Sql {
  return sql`starts_with(t."HierarchyPath", ${path})`
}

/** Rows of the tree. The code of an organization is the last part of its path, so that parents come before those below. */
export const organizationNodes = new JsonView(Organization, OrganizationNodeDto, {
  members: (t) => ({
    level: sql`length(${t}."HierarchyPath") - length(replace(${t}."HierarchyPath", '/', '')) - 1`,
  }),
  sortBy: ['hierarchyPath', 'code', 'fullName'],
})

/** The tree of organizations: each has the path from its root, `/ROOT/CODE/`. */
@Injectable()
export class OrganizationHierarchy {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly locks: Locks,
  ) {
    this.database = databases.of(Organization)
  }

  /** Serializes changes of the hierarchy: two concurrent moves could make a cycle. */
  async lock(): Promise<void> {
    await this.locks.hold('Hub.OrganizationHierarchy', { database: this.database })
  }

  /** The depth of the deepest organization at or below a path; undefined when the path has none. */
  async deepestBelow(path: string): Promise<number | undefined> {
    const [deepest] = await this.database.query<{ levels: number | null }>(sql`
      select max(length("HierarchyPath") - length(replace("HierarchyPath", '/', ''))) - 1 as levels
      from "HubOrganizations" where ${below(path)}`)
    return deepest?.levels ?? undefined
  }

  /** Replaces the beginning of the paths at and below an organization. */
  async move(from: string, to: string): Promise<void> {
    await this.database.execute(sql`
      update "HubOrganizations" set "HierarchyPath" = ${to} || substr("HierarchyPath", ${from.length + 1}::int)
      where ${below(from)}`)
    UnitOfWork.current?.changed(this.database, 'HubOrganizations')
  }

  /** True when an organization has children, or is on a shipment or an order. */
  async isUsed(id: string): Promise<boolean> {
    const [found] = await this.database.query<{ used: boolean }>(sql`
      select exists (select from "HubOrganizations" where "ParentOrganizationId" = ${id} and ${undeleted(Organization)})
        or exists (select from "HubShipmentAddresses" where "OrganizationId" = ${id} and ${undeleted(ShipmentAddress)})
        or exists (select from "HubOrders" where ${id}::uuid in ("BuyerId", "SupplierId") and ${undeleted(Order)}) as used`)
    return found?.used ?? false
  }
}

function below(path: string): Sql {
  return sql`starts_with("HierarchyPath", ${path}) and ${undeleted(Organization)}`
}
