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
  importMediaTypes,
  instant,
  listOf,
  op,
  ownFields,
  z,
} from '@keel/framework/contracts'
import { PricingActionDto, PricingReasonDto } from './actions.js'
import { RateBasis } from './charge-codes.js'
import { currencyCode, shortCode, stamp, transportModeCode } from './fields.js'
import { Pricing } from './pricing.js'
import { ImportRateSheetInput, RateSheetReportDto } from './rate-sheets.js'

/** Which side of the market a rate card is of. */
export enum RateCardType {
  /** What a supplier charges. */
  Buy = 0,

  /** What customers are charged. */
  Sell = 1,
}

/** The states of a rate card. */
export enum RateCardStatus {
  Draft = 0,
  PendingApproval = 1,
  Active = 2,
  Suspended = 3,
  Expired = 4,
  Superseded = 5,
  Archived = 6,
}

/** The day by which a card's validity is judged. */
export enum RateDateBasis {
  EstimatedDeparture = 0,
  CargoReady = 1,
  QuoteDate = 2,
}

const fields = {
  /** Unique together with the version. */
  reference: z.string().trim().min(1).max(50),
  name: z.string().trim().min(1).max(200),
  cardType: enumeration('RateCardType', RateCardType),
  transportModeCode,

  /** Null for all container modes. */
  containerModeCode: shortCode.nullish(),

  /** The carrier of lanes that name none. */
  carrierCode: shortCode.nullish(),

  /** The customer of a selling card, null for a public tariff; the supplier of a buying card. */
  organizationId: guid().nullish(),
  organizationCode: shortCode.nullish(),
  contractNumber: z.string().trim().max(50).nullish(),
  currencyCode,

  /** The first day on which the card counts. */
  validFrom: calendarDate(),

  /** The last day on which the card counts. */
  validTo: calendarDate(),
  dateBasis: enumeration('RateDateBasis', RateDateBasis).optional(),

  /** Of two cards for the same lane, the one with the lower number counts. */
  priority: z.int().min(0).max(32767).optional(),

  /** Cubic centimetres that count as one kilogram by air. */
  volumetricDivisor: z.int().min(1000).max(10000).optional(),

  /** The least that is charged by revenue ton. */
  minimumRevenueTon: decimal(6, 3, { min: 0 }).optional(),
  notes: z.string().max(2000).nullish(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.RateCard'),
}

/** A contract with a supplier, or a tariff for customers: rates for lanes, for a time. */
export class RateCardDto extends EntityDto({
  ...fields,
  reference: z.string(),
  name: z.string(),
  transportModeCode: z.string(),
  status: enumeration('RateCardStatus', RateCardStatus),
  dateBasis: enumeration('RateDateBasis', RateDateBasis),
  priority: z.int(),
  volumetricDivisor: z.int(),
  minimumRevenueTon: decimal(6, 3),
  version: z.int(),

  /** The version that it was copied from. */
  previousVersionId: guid().nullish(),
  approvedById: guid().nullish(),
  approvalTime: instant().nullish(),

  /** Why it was returned or suspended. */
  statusReason: z.string().nullish(),
  creationTime: instant(),
  creatorId: guid().nullish(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for creating a rate card, as a draft. */
export class CreateRateCardDto extends Dto(fields) {}

/** The input for changing a draft; absent members stay. */
export class UpdateRateCardDto extends Dto({ ...Dto(fields).schema.partial().shape, ...stamp }) {}

const filters = {
  status: enumeration('RateCardStatus', RateCardStatus).nullish(),
  cardType: enumeration('RateCardType', RateCardType).nullish(),
  transportModeCode: shortCode.nullish(),
  organizationId: guid().nullish(),

  /** Only cards that count on this day. */
  validOn: calendarDate().nullish(),
}

/** The input of the list of rate cards. */
export class RateCardListInput extends Dto({ ...FilteredPagedInput.shape, ...filters }) {}

/** The input of the list of rate cards as a file. */
export class RateCardFileInput extends Dto({
  filter: FilteredPagedInput.shape.filter,
  sorting: FilteredPagedInput.shape.sorting,
  ...filters,
}) {}

/** The input for lengthening the validity of an active card. */
export class ExtendValidityDto extends Dto({ validTo: calendarDate(), ...stamp }) {}

/** The input for copying a card under another reference. */
export class CopyRateCardDto extends Dto({
  reference: fields.reference,
  name: fields.name.nullish(),
  validFrom: calendarDate().nullish(),
  validTo: calendarDate().nullish(),
}) {}

/** The input of cards that end soon. */
export class ExpiringRateCardsInput extends Dto({
  /** Days from today on. */
  days: z.int().min(0).max(366).default(14),
}) {}

/** The other card of a comparison. */
export class CompareRateCardsInput extends Dto({ otherId: guid() }) {}

/** What became of a rate between two cards. */
export enum RateDifferenceKind {
  Added = 0,
  Removed = 1,
  Changed = 2,
}

/** The values of a rate line, for comparing. */
export class ComparedRateDto extends Dto({
  basis: enumeration('RateBasis', RateBasis),
  currencyCode: z.string(),
  amount: decimal(18, 4).nullable(),
  minAmount: decimal(18, 4).nullable(),
  maxAmount: decimal(18, 4).nullable(),

  /** Its quantity breaks, as `from: amount`, in their order. */
  breaks: z.array(z.string()),
}) {}

/** A rate line that differs between two cards. */
export class RateDifferenceDto extends Dto({
  kind: enumeration('RateDifferenceKind', RateDifferenceKind),

  /** Origin and destination of the lane, with carrier and way where it names them. */
  lane: z.string(),
  chargeCode: z.string(),
  containerTypeCode: z.string().nullable(),
  before: ComparedRateDto.schema.nullable(),
  after: ComparedRateDto.schema.nullable(),
}) {}

/**
 * Rate cards. Buying cards are for callers with `RateCard.ViewBuy`; customers see active selling cards of their organizations and public
 * tariffs. A card changes as a draft alone, with its lanes, lines and breaks.
 */
export abstract class RateCardAppService extends AppService(Pricing, 'RateCardAppService', {
  ...crud(RateCardDto, CreateRateCardDto, UpdateRateCardDto, RateCardListInput),
  ...exportable(RateCardFileInput),
  /** Lists active cards whose validity ends within some days. */
  getExpiring: op(ExpiringRateCardsInput).returns(listOf(RateCardDto)),
  /** Lists the rate lines in which a card differs from another one, which counts as the older. */
  getDifferences: op(id, CompareRateCardsInput)
    .returns(listOf(RateDifferenceDto))
    .at('GET', '{id}/differences'),
  /** Downloads the lanes, lines and breaks of a card as a workbook: a row for each break, else for each line, else for each lane. */
  getSheet: op(id).returns(file(importMediaTypes[1])).at('GET', '{id}/sheet'),
  /**
   * Makes a file in the shape of the sheet all lanes, lines and breaks of a draft: all of it, or nothing where a cell is at fault. Rows that have their values
   * already stay as they are.
   */
  importSheet: op(id, ImportRateSheetInput).returns(RateSheetReportDto).at('POST', '{id}/import'),
  /** Hands a complete draft in for approval. */
  submit: op(id, PricingActionDto).returns(RateCardDto),
  /** Makes a card count. The approver is not its last editor; the version before is superseded. */
  approve: op(id, PricingActionDto).returns(RateCardDto),
  /** Sends a card that waits for approval back to its editor. */
  return: op(id, PricingReasonDto).returns(RateCardDto).at('POST', '{id}/return'),
  /** Takes an active card out of use. */
  suspend: op(id, PricingReasonDto).returns(RateCardDto),
  /** Puts a suspended card back into use. */
  resume: op(id, PricingActionDto).returns(RateCardDto),
  /** Copies an active card, with lanes, lines and breaks, into a draft of the next version. */
  createNewVersion: op(id, PricingActionDto).returns(RateCardDto).at('POST', '{id}/create-new-version'),
  /** Copies a card of any state, with lanes, lines and breaks, into a draft under another reference. */
  copy: op(id, CopyRateCardDto).returns(RateCardDto),
  /** Lets an active card count longer. */
  extendValidity: op(id, ExtendValidityDto).returns(RateCardDto),
  /** Puts an expired or superseded card away. */
  archive: op(id, PricingActionDto).returns(RateCardDto),
}) {}
