import { randomUUID } from 'node:crypto'
import { ambient } from '@keel/framework'
import { EventSource } from '../contracts/index.js'
import type { Shipment } from '../domain/shipment.js'

/** The members that every event of an aggregate has. */
export function occurrence(
  { id, tenantId }: { readonly id: string; readonly tenantId?: string | null },
  reference: string,
  occurredAt: Date,
) {
  return {
    eventId: randomUUID(),
    occurredAt,
    entityId: id,
    reference,
    userId: ambient().principal.userId ?? null,
    tenantId: tenantId ?? null,
  }
}

/** The members that every event of a shipment has. */
export function occurrenceOf(
  shipment: Pick<Shipment, 'id' | 'shipmentReference'> & Partial<Pick<Shipment, 'tenantId'>>,
  occurredAt: Date,
) {
  return occurrence(shipment, shipment.shipmentReference, occurredAt)
}

/** How a change came that the caller at hand made. */
export function sourceOfCaller(): EventSource {
  const { userId, apiKeyId } = ambient().principal
  if (!userId) return EventSource.System
  return apiKeyId === undefined ? EventSource.Manual : EventSource.Api
}
