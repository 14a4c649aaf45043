import { randomUUID } from 'node:crypto'
import { ambient } from '@keel/framework'
import type { Shipment } from '../domain/shipment.js'

/** The members that every event of a shipment has. */
export function occurrenceOf({ id, shipmentReference, tenantId }: Shipment, occurredAt: Date) {
  return {
    eventId: randomUUID(),
    occurredAt,
    entityId: id,
    reference: shipmentReference,
    userId: ambient().principal.userId ?? null,
    tenantId: tenantId ?? null,
  }
}
