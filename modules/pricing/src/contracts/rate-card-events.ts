import { calendarDate, EventDto, guid, instant, z } from '@keel/framework/contracts'

/** The last day of a rate card is over: it does not count any more. */
export class RateCardExpiredEto extends EventDto('Pricing.RateCard.Expired', {
  eventId: guid(),
  occurredAt: instant(),

  /** The id of the rate card. */
  entityId: guid(),
  reference: z.string(),
  version: z.int(),
  validTo: calendarDate(),

  /** The user who caused it; null for the program itself. */
  userId: guid().nullish(),
}) {}
