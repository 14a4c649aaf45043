import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { ShipmentStatus } from '../contracts/index.js'
import { TrackingEvent } from '../domain/tracking-event.js'

/** The most shipments that one event is about. */
export const mostShipmentsOfEvent = 200

/** What an event names its shipments by. */
export interface EventSubject {
  readonly shipmentId?: string | null | undefined
  readonly shipmentReference?: string | null | undefined
  readonly masterBillNumber?: string | null | undefined
  readonly containerNumber?: string | null | undefined
}

@Injectable()
export class TrackingEventStore extends StoreOf(TrackingEvent) {
  /** Every event of these shipments. */
  ofShipments(shipmentIds: readonly string[]): Promise<TrackingEvent[]> {
    return this.everyWhere(sql`t."ShipmentId" = any(${shipmentIds}::uuid[])`)
  }

  /** Those of these shipments that came with one of these external ids. */
  async withExternalIds(
    shipmentIds: readonly string[],
    externalIds: readonly string[],
  ): Promise<TrackingEvent[]> {
    if (!externalIds.length) return []
    return this.everyWhere(
      sql`t."ShipmentId" = any(${shipmentIds}::uuid[]) and t."ExternalEventId" = any(${externalIds}::text[])`,
    )
  }

  /**
   * The shipments, not completed or cancelled, that a subject may name, with the container it names; also those that the caller does not see. Boxes are
   * used again and again: a container is the one of its latest use, beside a shipment the one that carries it.
   */
  async shipmentsOf({
    shipmentId,
    shipmentReference,
    masterBillNumber,
    containerNumber,
  }: EventSubject): Promise<readonly { readonly id: string; readonly containerId: string | null }[]> {
    const open = sql`not s."IsDeleted" and s."Status" < ${ShipmentStatus.Completed}`
    const most = sql`limit ${mostShipmentsOfEvent}::int`
    const carriesIt = sql`exists (select from "HubShipmentContainers" sc where sc."ShipmentId" = s."Id" and sc."ContainerId" = c."Id" and not sc."IsDeleted")`
    const namesShipment = shipmentId || shipmentReference || masterBillNumber
    const box = containerNumber
      ? sql`(select c."Id" from "HubContainers" c where c."ContainerNumber" = ${containerNumber} and not c."IsDeleted"
          and ${namesShipment ? carriesIt : sql`true`} order by c."CreationTime" desc limit 1)`
      : sql`null::uuid`
    const subject = shipmentId
      ? sql`s."Id" = ${shipmentId}`
      : shipmentReference
        ? sql`s."ShipmentReference" = ${shipmentReference}`
        : masterBillNumber
          ? sql`s."MasterBillNumber" = ${masterBillNumber}`
          : sql`exists (select from "HubShipmentContainers" sc where sc."ShipmentId" = s."Id" and not sc."IsDeleted" and sc."ContainerId" = ${box})`
    return this.database.query(
      sql`select s."Id" as id, ${box} as "containerId" from "HubShipments" s where ${open} and ${subject} order by s."Id" ${most}`,
    )
  }
}
