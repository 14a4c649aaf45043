import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  instant,
  z,
} from '@keel/framework/contracts'
import { Pricing } from './pricing.js'

/** Which side of the market a rate is of. */
export enum ExchangeRateType {
  Mid = 0,
  Buy = 1,
  Sell = 2,
}

const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as EUR')
  .meta({ examples: ['EUR'] })
const fields = {
  fromCurrencyCode: currencyCode,
  toCurrencyCode: currencyCode.meta({ examples: ['USD'] }),
  /** The day from which the rate counts. */
  rateDate: calendarDate(),
  rateType: enumeration('ExchangeRateType', ExchangeRateType),
  /** How many units of the one are worth one unit of the other. */
  rate: decimal(18, 8, { min: 0.00000001 }).meta({ examples: [1.0875] }),
  source: z
    .string()
    .trim()
    .min(1)
    .max(50)
    .meta({ examples: ['ECB'] }),
}

/** A dated rate between two currencies. */
export class ExchangeRateDto extends EntityDto({
  ...fields,
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** What a rate is created and changed with. A stamp, when given, must be the one last seen. */
export class ExchangeRateInput extends Dto({
  ...fields,
  /** Mid for a new rate, when not given. */
  rateType: fields.rateType.optional(),
  concurrencyStamp: z.string().max(40).nullish(),
}) {}

/** Dated rates for conversion; one for each pair of currencies, kind and day. */
export abstract class ExchangeRateAppService extends AppService(
  Pricing,
  'ExchangeRateAppService',
  crud(ExchangeRateDto, ExchangeRateInput),
) {}
