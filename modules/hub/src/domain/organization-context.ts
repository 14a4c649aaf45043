import { join, type RowScope, raw, rowRule, type Sql, sql } from '@keel/framework/data'

/** The organizations whose data a caller sees (domain model, section 3). */
export interface OrganizationScope {
  /** Staff and the program itself: everything. */
  readonly all: boolean
  /** The organizations of the caller, sorted; empty without membership. */
  readonly organizationIds: readonly string[]
  /** The organization that a new shipment belongs to when its caller names none. */
  readonly defaultOrganizationId: string | undefined
  readonly userId: string | undefined
}

/** Extension point: the organization context of the caller at hand. */
export abstract class OrganizationContext implements RowScope<OrganizationScope> {
  abstract current(): OrganizationScope | Promise<OrganizationScope>
}

/**
 * Shipments with one of the caller's organizations as a party, and the caller's own drafts without parties.
 */
export const shipmentsOfCaller = rowRule(OrganizationContext, shipmentIsVisible)

/** Rows that belong to a shipment are visible when the shipment is. */
export const withItsShipment = rowRule(OrganizationContext, (scope, t) => {
  const visible = shipmentIsVisible(scope, raw('s'))
  return (
    visible &&
    sql`exists (select from "HubShipments" s where s."Id" = ${t}."ShipmentId" and s."IsDeleted" = false and ${visible})`
  )
})

/** The same for rows without a mark of deletion of their own: nobody sees them once their shipment is deleted. */
export const withItsLiveShipment = rowRule(OrganizationContext, (scope, t) => {
  const visible = shipmentIsVisible(scope, raw('s')) ?? raw('true')
  return sql`exists (select from "HubShipments" s where s."Id" = ${t}."ShipmentId" and s."IsDeleted" = false and ${visible})`
})

/** Consols that carry a shipment that the caller sees. */
export const consolsOfCaller = rowRule(OrganizationContext, callerReads)

/** Legs of a consol are visible with the consol. */
export const withItsConsol = rowRule(OrganizationContext, (scope, t) => {
  const visible = callerReads(scope, raw('lc'))
  return visible && sql`exists (select from "HubConsols" lc where lc."Id" = ${t}."ConsolId" and ${visible})`
})

/** Containers with cargo of a shipment that the caller sees: not those of other shipments on the same consol. */
export const containersOfCaller = rowRule(OrganizationContext, callerReads)

/** Dangerous goods are visible with the shipment of their line; nobody sees them once their line is deleted. */
export const withItsPackLine = rowRule(OrganizationContext, (scope, t) => {
  const visible = shipmentIsVisible(scope, raw('s')) ?? raw('true')
  return sql`exists (select from "HubPackLines" pl join "HubShipments" s on s."Id" = pl."ShipmentId"
    where pl."Id" = ${t}."PackLineId" and pl."IsDeleted" = false and s."IsDeleted" = false and ${visible})`
})

/** Milestones that only staff see. */
export const milestonesOfCaller = rowRule(OrganizationContext, ({ all }, t) =>
  all ? undefined : sql`${t}."IsCustomerVisible"`,
)

/** Extension point: true when the caller at hand may read internal notes. */
export abstract class InternalNotes implements RowScope<boolean> {
  abstract current(): boolean
}

/** Internal notes are for those who may read them; the rule of the shipment holds besides. */
export const notesOfCaller = rowRule(InternalNotes, (mayRead, t) =>
  mayRead ? undefined : sql`${t}."Visibility" = 1`,
)

/** Orders in which the caller's organizations buy or supply, and those on their shipments. */
export const ordersOfCaller = rowRule(OrganizationContext, callerReads)

/** Rows that belong to an order are visible when the order is; nobody sees them once it is deleted. */
export const withItsOrder = rowRule(OrganizationContext, (scope, t) => {
  const visible = callerReads(scope, raw('o')) ?? raw('true')
  return sql`exists (select from "HubOrders" o where o."Id" = ${t}."OrderId" and o."IsDeleted" = false and ${visible})`
})

/**
 * Published documents that customers may see, of the caller's shipments, orders or organizations; and the caller's own uploads that wait for the
 * scanner (0) or are in quarantine (4), so that nobody wonders where they went.
 */
export const documentsOfCaller = rowRule(OrganizationContext, (scope, t) => {
  const shipment = shipmentIsVisible(scope, raw('s'))
  const order = callerReads(scope, raw('o'))
  if (!shipment || !order) return undefined
  const published = sql`${t}."Status" = 1 and ${t}."IsCustomerVisible"`
  const counts = scope.userId
    ? sql`(${published} or ${t}."Status" in (0, 4) and ${t}."CreatorId" = ${scope.userId}::uuid)`
    : published
  return sql`(${counts} and (
    exists (select from "HubShipments" s where s."Id" = ${t}."ShipmentId" and s."IsDeleted" = false and ${shipment})
    or exists (select from "HubOrders" o where o."Id" = ${t}."OrderId" and o."IsDeleted" = false and ${order})
    or ${t}."OrganizationId" = any(${scope.organizationIds}::uuid[])))`
})

/** The caller's own organizations. */
export const organizationsOfCaller = rowRule(OrganizationContext, ({ all, organizationIds }, t) =>
  all ? undefined : sql`${t}."Id" = any(${organizationIds}::uuid[])`,
)

/** Members, addresses and contacts of the caller's own organizations. */
export const withItsOrganization = rowRule(OrganizationContext, ({ all, organizationIds }, t) =>
  all ? undefined : sql`${t}."OrganizationId" = any(${organizationIds}::uuid[])`,
)

function shipmentIsVisible(scope: OrganizationScope, t: Sql): Sql | undefined {
  if (scope.all) return undefined
  const [party, ...others] = visibilityOfShipment(scope, t)
  return others.length ? sql`(${join([party, ...others], ' or ')})` : party
}

/**
 * The fast form of the domain model's predicate, over the array that is kept beside the parties: a caller who does not see everything sees a
 * shipment for which one of these conditions is true.
 */
export function visibilityOfShipment(
  { organizationIds, userId }: OrganizationScope,
  t: Sql,
): readonly [Sql, ...Sql[]] {
  const party = sql`${t}."VisibleOrganizationIds" && ${organizationIds}::uuid[]`
  if (!userId) return [party]
  return [party, sql`(${t}."CreatorId" = ${userId}::uuid and cardinality(${t}."VisibleOrganizationIds") = 0)`]
}

/**
 * The same for rows that keep the ids of their readers, by an index. The database computes `ReaderIds` from shipments, buyers and suppliers with the
 * conditions of {@link visibilityOfShipment} (`schema/0027-readers.sql`): of a shipment these are its `VisibleOrganizationIds` or, where it has none, its
 * creator; of a deleted shipment none. No organization has the id of a user: both are made at random.
 */
export function callerReads({ all, organizationIds, userId }: OrganizationScope, t: Sql): Sql | undefined {
  if (all) return undefined
  const ids = userId ? [...organizationIds, userId] : organizationIds
  return sql`${t}."ReaderIds" && ${ids}::uuid[]`
}
