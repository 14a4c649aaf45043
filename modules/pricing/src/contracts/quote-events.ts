import { EventDto, enumeration, guid, instant, z } from '@keel/framework/contracts'
import { QuoteStatus } from './quote-status.js'

const occurrence = {
  eventId: guid(),
  occurredAt: instant(),

  /** The id of the quote. */
  entityId: guid(),
  reference: z.string(),

  /** The user who caused it; null for the program itself. */
  userId: guid().nullish(),
  organizationId: guid(),
}

/** The status of a quote changed, by whatever action. */
export class QuoteStatusChangedEto extends EventDto('Pricing.Quote.StatusChanged', {
  ...occurrence,
  from: enumeration('QuoteStatus', QuoteStatus).nullish(),
  to: enumeration('QuoteStatus', QuoteStatus),
  reason: z.string().nullish(),
}) {}

/** A customer accepted an option of a quote. */
export class QuoteAcceptedEto extends EventDto('Pricing.Quote.Accepted', {
  ...occurrence,
  optionId: guid(),
}) {}

/** The events of quotes, for `events` of the module. */
export const quoteEvents = [QuoteStatusChangedEto, QuoteAcceptedEto] as const
