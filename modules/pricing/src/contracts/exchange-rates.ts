import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  instant,
  ownFields,
  z,
} from '@keel/framework/contracts'
import { Pricing } from './pricing.js'

/** Which side of the market a rate is of. */
export enum ExchangeRateType {
  /** Between buying and selling. */
  Mid = 0,

  /** The price at which a bank buys the currency. */
  Buy = 1,

  /** The price at which a bank sells the currency. */
  Sell = 2,
}

const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'Validation:CurrencyCode')
  .meta({ examples: ['EUR'] })
const fields = {
  /** ISO 4217 code of the currency that is converted. */
  fromCurrencyCode: currencyCode,

  /** ISO 4217 code of the currency that it is converted to. */
  toCurrencyCode: currencyCode.meta({ examples: ['USD'] }),
  /**
   * The day from which the rate counts.
   * @example 2026-11-20
   */
  rateDate: calendarDate(),
  rateType: enumeration('ExchangeRateType', ExchangeRateType),
  /** How many units of `toCurrencyCode` one unit of `fromCurrencyCode` is worth. */
  rate: decimal(18, 8, { min: 0.00000001 }).meta({ examples: [1.0875] }),

  /** The publisher of the rate. */
  source: z
    .string()
    .trim()
    .min(1)
    .max(50)
    .meta({ examples: ['ECB'] }),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.ExchangeRate'),
}

/** A dated rate between two currencies. */
export class ExchangeRateDto extends EntityDto({
  ...fields,
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for creating and changing a rate. A stamp, when given, must be the one last seen. */
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
