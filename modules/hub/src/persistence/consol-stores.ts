import { Injectable } from '@keel/framework'
import { Databases, Locks, RowRules, raw, type Sql, StoreOf, sql } from '@keel/framework/data'
import { ShipmentStatus } from '../contracts/index.js'
import { Consol, ConsolLeg, ConsolShipment } from '../domain/consol.js'
import { Container, ShipmentContainer } from '../domain/container.js'

@Injectable()
export class ConsolStore extends StoreOf(Consol) {
  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly locks: Locks,
  ) {
    super(databases, rules)
  }

  /** Those with these ids, also those that the caller does not see. */
  everyWithIds(ids: readonly string[]): Promise<Consol[]> {
    return this.everyWhere(sql`t."Id" = any(${ids}::uuid[])`)
  }

  /** Those that have a master bill of a carrier, also those that the caller does not see. */
  withBill(carrierId: string, masterBillNumber: string): Promise<Consol[]> {
    return this.everyWhere(sql`t."MasterBillNumber" = ${masterBillNumber} and t."CarrierId" = ${carrierId}`)
  }

  /** The next number of a consol: `C` and eight digits. Consols are numbered one after the other, until the unit of work ends. */
  async nextNumber(): Promise<string> {
    await this.locks.hold('Hub.ConsolNumber', { database: this.database })
    const [row] = await this.database.query<{ last: string | null }>(
      sql`select max("ConsolNumber") as last from "HubConsols"`,
    )
    return `C${String(Number(row?.last?.slice(1) ?? 0) + 1).padStart(8, '0')}`
  }
}

@Injectable()
export class ConsolLegStore extends StoreOf(ConsolLeg) {
  /** Every leg of these consols, in the order of the journey. */
  async ofConsols(consolIds: readonly string[]): Promise<ConsolLeg[]> {
    const legs = await this.everyWhere(sql`t."ConsolId" = any(${consolIds}::uuid[])`)
    return legs.sort((a, b) => a.legNumber - b.legNumber)
  }

  /** The shipments, not departed yet, that were to travel with a departure. */
  async shipmentsOfSailing(sailingScheduleId: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      select distinct s."Id" as id from "HubConsolLegs" l
      join "HubConsolShipments" cs on cs."ConsolId" = l."ConsolId" and not cs."IsDeleted"
      join "HubShipments" s on s."Id" = cs."ShipmentId" and not s."IsDeleted" and s."Status" < ${ShipmentStatus.InTransit}
      where l."SailingScheduleId" = ${sailingScheduleId} and not l."IsDeleted" and l."ActualDeparture" is null`)
    return rows.map(({ id }) => id)
  }
}

@Injectable()
export class ConsolShipmentStore extends StoreOf(ConsolShipment) {
  /** Every shipment on a consol. */
  ofConsol(consolId: string): Promise<ConsolShipment[]> {
    return this.everyWhere(sql`t."ConsolId" = ${consolId}`)
  }

  /** Every consol that carries one of these shipments, in the order in which they travel on them. */
  async ofShipments(shipmentIds: readonly string[]): Promise<ConsolShipment[]> {
    const links = await this.everyWhere(sql`t."ShipmentId" = any(${shipmentIds}::uuid[])`)
    return links.sort((a, b) => a.sequence - b.sequence)
  }
}

@Injectable()
export class ContainerStore extends StoreOf(Container) {
  /** The container with a number that was added last; undefined when there is none that the caller may see. */
  async findByNumber(number: string): Promise<Container | undefined> {
    const rows = await this.where(sql`t."ContainerNumber" = ${number}`)
    return rows.sort((a, b) => b.creationTime.getTime() - a.creationTime.getTime())[0]
  }

  /** How many containers of a consol have not left the terminal. */
  async countInside(consolId: string): Promise<number> {
    return (await this.everyWhere(sql`t."ConsolId" = ${consolId} and t."GateOutTime" is null`)).length
  }
}

/** The conditions of departures in a period, cancelled ones too. Each end may be open. */
export function sailingsLeaving(from: Date | null | undefined, before: Date | null | undefined): Sql[] {
  return [
    ...(from ? [sql`t."EstimatedDeparture" >= ${from}`] : []),
    ...(before ? [sql`t."EstimatedDeparture" < ${before}`] : []),
  ]
}

/** The conditions of departures in a period that are not cancelled. */
export function sailingsBetween(from: Date, to: Date): Sql[] {
  return [raw('not t."IsCancelled"'), sql`t."EstimatedDeparture" between ${from} and ${to}`]
}

@Injectable()
export class ShipmentContainerStore extends StoreOf(ShipmentContainer) {
  /** The containers of a shipment that lack number, seal or verified gross mass: their numbers, or their ids where they have none. */
  async notReady(shipmentId: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ name: string }>(sql`
      select coalesce(c."ContainerNumber", c."Id"::text) as name from "HubShipmentContainers" t
      join "HubContainers" c on c."Id" = t."ContainerId" and not c."IsDeleted"
      where t."ShipmentId" = ${shipmentId} and not t."IsDeleted"
        and (c."ContainerNumber" is null or coalesce(t."SealNumber", c."SealNumber") is null or c."VgmWeightKg" is null)
      order by name`)
    return rows.map(({ name }) => name)
  }
}
