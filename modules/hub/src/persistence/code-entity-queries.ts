import { type Database, type Sql, sql } from '@keel/framework/data'

/** The condition of a list of code entities of one type, in any case. */
export function ofCodeEntityType(type: string): Sql {
  return sql`lower(t."Type") = lower(${type})`
}

/** True when a shipment, an order or a document refers to a code entity, deleted ones included. */
export async function isCodeEntityUsed(database: Database, id: string): Promise<boolean> {
  const [found] = await database.query<{ used: boolean }>(sql`
    select exists (select from "HubShipments" where ${id}::uuid in
        ("TransportModeId", "ContainerModeId", "IncotermId", "ServiceLevelId", "ReleaseTypeId", "PackageTypeId"))
      or exists (select from "HubOrders" where ${id}::uuid in ("IncotermId", "TransportModeId"))
      or exists (select from "HubDocuments" where "DocumentTypeId" = ${id}::uuid) as used`)
  return found?.used ?? false
}

/** True when a line of an order or dangerous goods are counted in a unit, deleted ones included. */
export async function isUnitUsed(database: Database, code: string): Promise<boolean> {
  const [found] = await database.query<{ used: boolean }>(sql`
    select exists (select from "HubOrderLines" where "UnitCode" = ${code})
      or exists (select from "HubPackLineDangerousGoods" where "UnitCode" = ${code}) as used`)
  return found?.used ?? false
}
