import { guid, instant, z } from '@keel/framework/contracts'

/** Members of every event of Hub's aggregates. Its key is the id of the aggregate, so that its events arrive in order. */
export const occurrence = {
  eventId: guid(),
  occurredAt: instant(),

  /** The id of the aggregate. */
  entityId: guid(),

  /** The reference of a shipment, the number of an order, the code of an organization or a port. */
  reference: z.string(),

  /** The user who caused it; null for the program itself. */
  userId: guid().nullish(),
  tenantId: guid().nullish(),
}
