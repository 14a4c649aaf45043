import { type ReferenceSet, type Sql, sql } from '@keel/framework/data'
import { ShipmentStatus } from '../contracts/index.js'

/** The codes that tell upcoming shipments. */
export const upcomingCodes: readonly string[] = ['Air', 'Sea', 'FCL', 'LCL']

/**
 * The conditions of upcoming shipments in a period (interface document, "Shipment endpoints", behaviour 1);
 * cancelled ones will not depart.
 * @param codes the code entities, of {@link upcomingCodes} at least
 */
export function upcomingShipments(codes: ReferenceSet, from: Date, to: Date): Sql[] {
  const idOf = (type: string, code: string) =>
    codes.idsBy('code', code).find((id) => codes.value(id, 'type') === type)
  const [air, sea] = [idOf('TransportMode', 'Air'), idOf('TransportMode', 'Sea')]
  const seaModes = [idOf('ContainerMode', 'FCL'), idOf('ContainerMode', 'LCL')].filter(Boolean)
  return [
    sql`t."EstimatedArrival" is not null and t."FirstConsolLegDeparturePortId" is not null and t."LastConsolLegArrivalPortId" is not null
      and t."TransportModeId" is not null and t."ContainerModeId" is not null and t."Status" <> ${ShipmentStatus.Cancelled}
      and (t."TransportModeId" = ${air}::uuid or (t."TransportModeId" = ${sea}::uuid and t."ContainerModeId" = any(${seaModes}::uuid[])))`,
    sql`t."EstimatedDeparture" between ${from} and ${to}`,
  ]
}
