import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  exportable,
  file,
  ImportInput,
  importable,
  importMediaTypes,
  instant,
  listOf,
  op,
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

/** A file of rates: rows of the list, or the reference rates that the European Central Bank publishes as XML and CSV. */
export class ExchangeRateImportInput extends Dto({
  ...ImportInput.shape,
  file: file(...importMediaTypes, 'application/xml', 'text/xml'),
}) {}

/** The currency and the day of current rates. */
export class CurrentRatesInput extends Dto({
  /** The currency that the rates convert from. */
  fromCurrencyCode: fields.fromCurrencyCode,

  /** Today (UTC) when not given. */
  date: calendarDate().nullish(),

  /** Rates of every kind when not given. */
  rateType: fields.rateType.nullish(),
}) {}

/** An amount to convert. */
export class ConvertAmountDto extends Dto({
  /** More digits than any currency has are allowed: they are rounded once, in the other currency. */
  amount: decimal(18, 4).meta({ examples: [1250.5] }),
  fromCurrencyCode: fields.fromCurrencyCode,
  toCurrencyCode: fields.toCurrencyCode,
  /** The day whose rate counts, or the last one before it; today (UTC) when not given. */
  date: calendarDate().nullish(),

  /** Mid when not given. Where there is no rate of the kind, Mid rates serve. */
  rateType: fields.rateType.nullish(),
}) {}

/** A converted amount, and the rate by which it was converted. */
export class ConversionDto extends Dto({
  fromCurrencyCode: currencyCode,
  toCurrencyCode: currencyCode,
  amount: decimal(18, 4),
  /** Rounded half away from zero to the digits that the currency has. */
  convertedAmount: decimal(36, 4),

  /** How many units of `toCurrencyCode` one unit of `fromCurrencyCode` is worth. */
  rate: decimal(36, 8),

  /** The day of the rate, of the older one of two; null where both currencies are the same. */
  rateDate: calendarDate().nullable(),
  rateType: fields.rateType,

  /** The currency between, where there is no rate between the two themselves. */
  pivotCurrencyCode: currencyCode.nullable(),
}) {}

/** Dated rates for conversion; one for each pair of currencies, kind and day. */
export abstract class ExchangeRateAppService extends AppService(Pricing, 'ExchangeRateAppService', {
  ...crud(ExchangeRateDto, ExchangeRateInput),
  ...exportable(),
  ...importable(ExchangeRateImportInput),
  /** Lists the rates from a currency that count on a day: of each currency and kind the latest one that is not older than `Pricing.MaxRateAgeDays` says. */
  getCurrent: op(CurrentRatesInput).returns(listOf(ExchangeRateDto)),
  /**
   * Converts an amount by the latest rate between two currencies that is not older than the setting `Pricing.MaxRateAgeDays` says: the rate itself, else
   * the inverse of the other direction, else over `Pricing.PivotCurrency`. Without any: `Pricing:ExchangeRate:NotFound`.
   */
  convert: op(ConvertAmountDto).returns(ConversionDto),
}) {}
