import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  exportable,
  FilteredPagedInput,
  file,
  guid,
  id,
  inCurrencyOf,
  instant,
  listOf,
  op,
  ownFields,
  restrictedTo,
  z,
} from '@keel/framework/contracts'
import { PricingActionDto, PricingReasonDto } from './actions.js'
import { ChargeGroup, RateBasis } from './charge-codes.js'
import { containerTypeCode, currencyCode, shortCode, stamp, transportModeCode, unLocode } from './fields.js'
import { MarginType } from './margin-rules.js'
import { QuotePermissions } from './permissions.js'
import { Pricing } from './pricing.js'
import { ReRateQuotesDto, ReRatingDto, ReRatingJobDto } from './quote-re-rating.js'
import { QuoteStatus } from './quote-status.js'
import { ChargeCodeRefDto } from './rate-lanes.js'

/** The most cargo lines of a quote. */
export const mostCargoLines = 100

const cargo = {
  /** The type of the containers; null for loose cargo. */
  containerTypeCode: containerTypeCode.nullish(),

  /** Packages or containers. */
  quantity: z.int().min(1).max(1_000_000),
  packageTypeCode: shortCode.nullish(),

  /** cm, of one package. */
  lengthCm: z.number().positive().max(100_000).nullish(),
  widthCm: z.number().positive().max(100_000).nullish(),
  heightCm: z.number().positive().max(100_000).nullish(),

  /** kg, of the whole line. */
  grossWeightKg: z.number().min(0).max(1_000_000_000),

  /** m³, of the whole line; computed of the lengths when not given. */
  volumeM3: z.number().min(0).max(1_000_000_000).nullish(),
  description: z.string().max(500).nullish(),
}

/** A line of cargo to be quoted. */
export class QuoteCargoLineDto extends EntityDto({ quoteId: guid(), lineNumber: z.int(), ...cargo }) {}

/** A line of cargo as it is written. */
export class CargoLineInput extends Dto(cargo) {}

const cargoLines = z.array(CargoLineInput.schema).min(1).max(mostCargoLines)

const cost = <S extends z.ZodType>(schema: S): S => restrictedTo(QuotePermissions.ViewCost, schema)

/** One way to carry the cargo of a quote. */
export class QuoteOptionDto extends EntityDto({
  quoteId: guid(),
  optionNumber: z.int(),
  carrierCode: z.string().nullish(),
  viaUnLocode: z.string().nullish(),
  transitDays: z.int().nullish(),
  rateCardId: cost(guid().nullish()),
  rateLaneId: cost(guid().nullish()),

  /** Sum of the costs; null where only a selling tariff is known. */
  totalCost: cost(decimal(18, 4).nullish()),
  totalSell: decimal(18, 4),
  marginAmount: cost(decimal(18, 4).nullish()),

  /** Of the selling price. */
  marginPercent: cost(decimal(9, 2).nullish()),

  /** True for the option with the lowest price. */
  isRecommended: z.boolean(),
}) {}

/** How a charge was calculated. Decimals are text. */
export class ChargeExplanationDto extends Dto({
  /** Reference and version of the card; null for a surcharge across cards. */
  card: z.string().nullable(),
  laneNumber: z.int().nullable(),

  /** The rate line, or the surcharge. */
  rateId: guid(),
  basis: enumeration('RateBasis', RateBasis),
  quantity: z.string(),

  /** The quantity that is paid, where a higher break is cheaper. */
  paidQuantity: z.string(),

  /** The quantity from which on the break counts. */
  breakFrom: z.string().nullable(),
  isFlat: z.boolean(),
  unitAmount: z.string(),

  /** The bound of the rate that counted. */
  bound: z.enum(['Minimum', 'Maximum']).nullable(),
  fuelIndex: z.string().nullable(),
  fuelValue: z.string().nullable(),
  fuelSteps: z.string().nullable(),

  /** What a percentage was taken of. */
  percentOf: z.string().nullable(),

  /** The cost before it was rounded to the digits of its currency. */
  unrounded: z.string(),
  exchangeRate: z.string(),
  exchangeWay: z.enum(['Same', 'Direct', 'Inverse', 'Pivot']),
  exchangeDate: z.string().nullable(),
  marginRule: z.string().nullable(),
  marginType: enumeration('MarginType', MarginType).nullable(),
  marginValue: z.string().nullable(),

  /** The bound of the margin that counted. */
  marginBound: z.enum(['Minimum', 'Maximum']).nullable(),

  /** Reference and version of the selling card that set the price. */
  sellCard: z.string().nullable(),
}) {}

const charge = {
  description: z.string(),
  basis: enumeration('RateBasis', RateBasis),
  quantity: decimal(18, 3),

  /** For one unit of the basis. */
  rateAmount: cost(decimal(18, 4).nullish()),
  rateCurrencyCode: cost(z.string().nullish()),

  /** In the currency of the rate. */
  costAmount: cost(decimal(18, 4).nullish()),
  exchangeRate: cost(decimal(18, 8).nullish()),

  /** In the currency of the quote. */
  costAmountQuote: cost(decimal(18, 4).nullish()),
  sellAmount: decimal(18, 4),
  marginRuleId: cost(guid().nullish()),
  isOptional: z.boolean(),
}

/** A priced charge of an option. */
export class QuoteChargeDto extends EntityDto({
  quoteOptionId: guid(),
  chargeCodeId: guid(),
  chargeCode: ChargeCodeRefDto.schema.nullish(),
  ...charge,
  explanation: cost(ChargeExplanationDto.schema.nullish()),
  sortOrder: z.int(),
}) {}

const request = {
  transportModeCode,
  containerModeCode: shortCode,
  incotermCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Pricing:Validation:Incoterm')
    .nullish(),
  originUnLocode: unLocode,
  destinationUnLocode: unLocode,
  cargoReadyDate: calendarDate().nullish(),

  /** The day whose rates count; today (UTC) when not given. */
  pricingDate: calendarDate().optional(),

  /** The currency of the prices. */
  currencyCode,
  isDangerousGoods: z.boolean().optional(),
  isTemperatureControlled: z.boolean().optional(),

  /** Value of the goods in the currency of the quote, for charges that are a percentage of it. */
  goodsValue: inCurrencyOf('currencyCode', decimal(18, 2, { min: 0 }).nullish()),
}

const fields = {
  ...request,
  notes: z.string().max(2000).nullish(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.Quote'),
}

/** An offer to a customer. */
export class QuoteDto extends EntityDto({
  reference: z.string(),
  organizationId: guid(),
  organizationCode: z.string(),
  organizationName: z.string(),
  ...fields,
  transportModeCode: z.string(),
  pricingDate: calendarDate(),
  isDangerousGoods: z.boolean(),
  isTemperatureControlled: z.boolean(),
  status: enumeration('QuoteStatus', QuoteStatus),

  /** The last day on which it can be accepted. */
  validUntil: calendarDate().nullish(),
  grossWeightKg: z.number(),
  volumeM3: z.number(),
  selectedOptionId: guid().nullish(),

  /** The shipment that was made of it. */
  shipmentId: guid().nullish(),

  /** Why it was rejected, returned or cancelled, or the code of the error that kept a shipment from being made. */
  statusReason: z.string().nullish(),
  creationTime: instant(),
  creatorId: guid().nullish(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),

  /** Null in lists. */
  cargoLines: z.array(QuoteCargoLineDto.schema).nullish(),

  /** The options, the best one first. Null in lists. */
  options: z.array(QuoteOptionDto.schema).nullish(),
}) {}

/** The input for creating a quote, as a draft. */
export class CreateQuoteDto extends Dto({
  organizationId: guid(),
  ...fields,
  cargoLines: cargoLines.nullish(),
}) {}

/** The input for changing a quote that was not sent; absent members stay. Its options are gone then. */
export class UpdateQuoteDto extends Dto({ ...Dto(fields).schema.partial().shape, ...stamp }) {}

const filters = {
  status: enumeration('QuoteStatus', QuoteStatus).nullish(),
  organizationId: guid().nullish(),

  /** Only quotes with an option by this rate card. Needs `Quote.ViewCost`. */
  rateCardId: guid().nullish(),

  /**
   * True for calculated and sent quotes with an option whose rate card does not count any more: it was superseded, suspended or archived, or its validity is over.
   * Needs `Quote.ViewCost`.
   */
  isOutdated: z.boolean().nullish(),
}

/** The input of the list of quotes. */
export class QuoteListInput extends Dto({ ...FilteredPagedInput.shape, ...filters }) {}

/** The input of the list of quotes as a file. */
export class QuoteFileInput extends Dto({
  filter: FilteredPagedInput.shape.filter,
  sorting: FilteredPagedInput.shape.sorting,
  ...filters,
}) {}

/** All cargo lines of a quote from now on. */
export class SetCargoLinesDto extends Dto({ cargoLines, ...stamp }) {}

/** The input for calculating a quote. */
export class CalculateQuoteDto extends Dto({
  /** True to price optional charges too; totals never include them. */
  includeOptional: z.boolean().optional(),
  ...stamp,
}) {}

/** The input for accepting a quote. */
export class AcceptQuoteDto extends Dto({
  optionId: guid(),

  /** The reference of the shipment; that of the quote when not given. */
  shipmentReference: z.string().trim().min(1).max(100).nullish(),
  ...stamp,
}) {}

/** The input for asking again for the shipment of an accepted quote. */
export class ConvertQuoteDto extends Dto({
  shipmentReference: z.string().trim().min(1).max(100),
  ...stamp,
}) {}

/** What the PDF of a quote shows. */
export class QuotePdfInput extends Dto({
  /** The option; the one that was accepted, else the recommended one, when not given. */
  optionId: guid().nullish(),

  /** True for costs, exchange rates and margins, which need `Quote.ViewCost`: not for customers. */
  withCosts: z.boolean().default(false),
}) {}

/**
 * Quotes. Customers see those of their organizations that were sent, and their own requests. Costs and margins need `Quote.ViewCost`.
 */
export abstract class QuoteAppService extends AppService(Pricing, 'QuoteAppService', {
  ...crud(QuoteDto, CreateQuoteDto, UpdateQuoteDto, QuoteListInput),
  ...exportable(QuoteFileInput),
  /** Lists the charges of all options of a quote. */
  getCharges: op(id).returns(listOf(QuoteChargeDto)),
  /** Downloads a quote with one of its options as PDF, in the language of the caller. */
  getPdf: op(id, QuotePdfInput).returns(file('application/pdf')).at('GET', '{id}/pdf'),
  /** Replaces the cargo lines of a quote that was not sent. Its options are gone then. */
  setCargoLines: op(id, SetCargoLinesDto).returns(QuoteDto).at('POST', '{id}/set-cargo-lines'),
  /** Prices a quote: its options are replaced. */
  calculate: op(id, CalculateQuoteDto).returns(QuoteDto),
  /** Says what a calculation by the rates of today would change of a quote that was not accepted. Nothing is written. */
  getReRating: op(id).returns(ReRatingDto),
  /** Prices a calculated or sent quote again, by the rates of today. It is calculated then, and has to be sent again. */
  reRate: op(id, PricingActionDto).returns(QuoteDto),
  /**
   * Has a background job price quotes again, each by itself. One that was changed since it was seen stays as it is; of one that cannot be priced the error
   * stands in `statusReason`. A caller has five such jobs at a time.
   */
  reRateMany: op(ReRateQuotesDto).returns(ReRatingJobDto),
  /** Sends a calculated quote; one with too little margin waits for approval. */
  submit: op(id, PricingActionDto).returns(QuoteDto),
  /** Sends a quote that waits for approval. The approver is not its creator. */
  approve: op(id, PricingActionDto).returns(QuoteDto),
  /** Sends a quote that waits for approval back. */
  return: op(id, PricingReasonDto).returns(QuoteDto).at('POST', '{id}/return'),
  /** Accepts an option of a sent quote: a shipment and its charges follow by themselves, once. */
  accept: op(id, AcceptQuoteDto).returns(QuoteDto),
  /** Declines a sent quote. */
  reject: op(id, PricingReasonDto).returns(QuoteDto),
  /** Asks again for the shipment of an accepted quote, after a refusal such as a reference that was taken. */
  convertToShipment: op(id, ConvertQuoteDto).returns(QuoteDto).at('POST', '{id}/convert-to-shipment'),
  /** Takes a quote back before a shipment was made of it. */
  cancel: op(id, PricingReasonDto).returns(QuoteDto),
  /** Copies the request of a quote into a new draft, priced as of today. */
  copy: op(id, PricingActionDto).returns(QuoteDto),
}) {}

/** A question for rates, without a quote. */
export class RateSearchInput extends Dto({
  ...request,
  organizationId: guid().nullish(),

  /** Only these carriers. */
  carrierCodes: z.array(shortCode).max(50).nullish(),
  includeOptional: z.boolean().optional(),
  cargoLines,
}) {}

/** A charge of an option that was found. */
export class RateOptionChargeDto extends Dto({
  chargeCode: z.string(),
  chargeGroup: enumeration('ChargeGroup', ChargeGroup),
  containerTypeCode: z.string().nullish(),
  ...charge,
  explanation: cost(ChargeExplanationDto.schema.nullish()),
}) {}

/** An option that was found. */
export class RateOptionDto extends Dto({
  optionNumber: z.int(),
  carrierCode: z.string().nullish(),
  viaUnLocode: z.string().nullish(),
  transitDays: z.int().nullish(),
  currencyCode: z.string(),
  totalCost: cost(decimal(18, 4).nullish()),
  totalSell: decimal(18, 4),
  marginAmount: cost(decimal(18, 4).nullish()),
  marginPercent: cost(decimal(9, 2).nullish()),
  validUntil: calendarDate(),
  isRecommended: z.boolean(),
  charges: listOf(RateOptionChargeDto),
}) {}

/** The best rates for a lane and a day. Customers get prices of selling tariffs alone. */
export abstract class RateSearchAppService extends AppService(Pricing, 'RateSearchAppService', {
  /** Prices a request without saving it; the best option first. */
  search: op(RateSearchInput).returns(listOf(RateOptionDto)),
}) {}
