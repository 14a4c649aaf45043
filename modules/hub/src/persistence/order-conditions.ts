import { raw, type Sql, sql } from '@keel/framework/data'
import type { OrderListInput } from '../contracts/index.js'
import { openOrderStatuses } from '../domain/order-lifecycle.js'

/** The conditions that orders are on a shipment or on none, and that they are open or not; both where the input does not say. */
export function orderConditions({ hasShipment, isOpen }: OrderListInput): Sql[] {
  return [
    ...(typeof hasShipment === 'boolean'
      ? [hasShipment ? sql`t."ShipmentId" is not null` : sql`t."ShipmentId" is null`]
      : []),
    ...(typeof isOpen === 'boolean' ? [isOpen ? ofOpenOrder : sql`not ${ofOpenOrder}`] : []),
  ]
}

const ofOpenOrder = raw(`t."Status" in (${[...openOrderStatuses].join(', ')})`)
