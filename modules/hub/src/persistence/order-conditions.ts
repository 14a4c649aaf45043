import { type Sql, sql } from '@keel/framework/data'
import type { OrderListInput } from '../contracts/index.js'

/** The condition that orders are on a shipment or on none; both where the input does not say. */
export function orderConditions({ hasShipment }: OrderListInput): Sql[] {
  if (typeof hasShipment !== 'boolean') return []
  return [hasShipment ? sql`t."ShipmentId" is not null` : sql`t."ShipmentId" is null`]
}
