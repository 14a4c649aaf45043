import {
  calendarDate,
  Dto,
  decimal,
  enumeration,
  guid,
  listOf,
  restrictedTo,
  z,
} from '@keel/framework/contracts'
import { stamp } from './fields.js'
import { QuotePermissions } from './permissions.js'
import { QuoteStatus } from './quote-status.js'

const cost = <S extends z.ZodType>(schema: S): S => restrictedTo(QuotePermissions.ViewCost, schema)
const amount = decimal(18, 4).nullish()

/** A charge that a new calculation changes, in the currency of the quote. Null where there is none before, or after. */
export class ReRatedChargeDto extends Dto({
  description: z.string(),
  sellBefore: amount,
  sellAfter: amount,
  costBefore: cost(amount),
  costAfter: cost(amount),
}) {}

/** An option before and after a new calculation. Null where there is none before, or after. */
export class ReRatedOptionDto extends Dto({
  carrierCode: z.string().nullish(),
  viaUnLocode: z.string().nullish(),
  sellBefore: amount,
  sellAfter: amount,
  costBefore: cost(amount),
  costAfter: cost(amount),
  marginPercentBefore: cost(decimal(9, 2).nullish()),
  marginPercentAfter: cost(decimal(9, 2).nullish()),

  /** The charges that differ. */
  charges: listOf(ReRatedChargeDto),
}) {}

/** What a new calculation by the rates of today would change of a quote. */
export class ReRatingDto extends Dto({
  quoteId: guid(),
  reference: z.string(),
  status: enumeration('QuoteStatus', QuoteStatus),
  currencyCode: z.string(),

  /** To be given to `re-rate`, so that what was shown is what is replaced. */
  concurrencyStamp: z.string(),
  pricingDateBefore: calendarDate(),
  pricingDateAfter: calendarDate(),
  validUntilBefore: calendarDate().nullish(),
  validUntilAfter: calendarDate().nullish(),

  /** True when an option comes, goes or has another price or cost. */
  hasChanges: z.boolean(),
  options: listOf(ReRatedOptionDto),
}) {}

/** The most quotes of one job. */
export const mostReRated = 500

/** Quotes to price again, as they were seen. */
export class ReRateQuotesDto extends Dto({
  quotes: z
    .array(Dto({ id: guid(), ...stamp }).schema)
    .min(1)
    .max(mostReRated),
}) {}

/** The background job that prices quotes again. */
export class ReRatingJobDto extends Dto({ jobId: guid() }) {}
