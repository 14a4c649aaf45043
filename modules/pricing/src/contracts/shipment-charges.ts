import {
  AppService,
  bodyParam,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  exportable,
  FilteredPagedInput,
  guid,
  id,
  inCurrencyOf,
  instant,
  op,
  ownFields,
  restrictedTo,
  z,
} from '@keel/framework/contracts'
import { currencyCode, stamp } from './fields.js'
import { ShipmentChargePermissions } from './permissions.js'
import { Pricing } from './pricing.js'
import { ChargeCodeRefDto } from './rate-lanes.js'

/** The states of a charge of a shipment. */
export enum ChargeStatus {
  Estimated = 0,
  Accrued = 1,
  Approved = 2,
  Invoiced = 3,
  Cancelled = 4,
}

const cost = <S extends z.ZodType>(schema: S): S => restrictedTo(ShipmentChargePermissions.ViewCost, schema)

const fields = {
  chargeCodeId: guid(),
  description: z.string().trim().min(1).max(200),

  /** The organization that pays. */
  debtorOrganizationId: guid().nullish(),

  /** The supplier. */
  creditorOrganizationId: cost(guid().nullish()),
  costCurrencyCode: cost(currencyCode.nullish()),
  costAmount: cost(inCurrencyOf('costCurrencyCode', decimal(18, 4).nullish())),
  sellCurrencyCode: currencyCode.nullish(),
  sellAmount: inCurrencyOf('sellCurrencyCode', decimal(18, 4).nullish()),
  taxPercent: decimal(5, 2, { min: 0, max: 100 }).optional(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Pricing.ShipmentCharge'),
}

/** What was bought and sold on a shipment. */
export class ShipmentChargeDto extends EntityDto({
  shipmentId: guid(),
  shipmentReference: z.string(),
  ...fields,
  description: z.string(),
  chargeCode: ChargeCodeRefDto.schema.nullish(),
  taxPercent: decimal(5, 2),
  status: enumeration('ChargeStatus', ChargeStatus),

  /** The charge of the quote that it came from. */
  quoteChargeId: guid().nullish(),
  invoiceNumber: z.string().nullish(),
  invoiceDate: calendarDate().nullish(),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The input for adding a charge to a shipment. */
export class CreateShipmentChargeDto extends Dto({ shipmentId: guid(), ...fields }) {}

/** The input for changing a charge that was not invoiced; absent members stay. An approved one takes `ShipmentCharge.Approve` as well. */
export class UpdateShipmentChargeDto extends Dto({ ...Dto(fields).schema.partial().shape, ...stamp }) {}

/** The input of the list of charges. */
export class ShipmentChargeListInput extends Dto({
  ...FilteredPagedInput.shape,

  /** Only charges of this shipment. */
  shipmentId: guid().nullish(),
  status: enumeration('ChargeStatus', ChargeStatus).nullish(),
}) {}

/** The invoice of a charge. */
export class InvoiceDto extends Dto({
  invoiceNumber: z.string().trim().min(1).max(35),
  invoiceDate: calendarDate(),
  ...stamp,
}) {}

/** The currency and the day of a profit. */
export class ProfitInput extends Dto({
  /** The currency that all amounts are converted to; the one of `Pricing.PivotCurrency` when not given. */
  currencyCode: currencyCode.nullish(),

  /** The day whose exchange rates count; today (UTC) when not given. */
  date: calendarDate().nullish(),
}) {}

/** What a shipment earned, in one currency, without tax. */
export class ShipmentProfitDto extends Dto({
  currencyCode,
  date: calendarDate(),
  cost: decimal(36, 4),
  sell: decimal(36, 4),

  /** The price without the cost; negative for a loss. */
  margin: decimal(36, 4),

  /** The margin as a percentage of the price; null where nothing is sold. */
  percent: decimal(36, 2).nullable(),
}) {}

/** Charges of shipments. Customers see approved ones that they pay. Costs need `ShipmentCharge.ViewCost`. */
export abstract class ShipmentChargeAppService extends AppService(Pricing, 'ShipmentChargeAppService', {
  ...crud(ShipmentChargeDto, CreateShipmentChargeDto, UpdateShipmentChargeDto, ShipmentChargeListInput),
  ...exportable(),
  /** Approves charges that are estimated or accrued, all or none. */
  approve: op(bodyParam('ids', z.array(guid()).min(1).max(100))).at('POST', 'approve'),
  /** Records the invoice of an approved charge: it is fixed from then on. */
  markInvoiced: op(id, InvoiceDto).returns(ShipmentChargeDto).at('POST', '{id}/mark-invoiced'),
  /**
   * Sums the charges of a shipment, whose id it takes, in one currency: those that the caller sees, without cancelled ones. Costs and prices are summed by
   * currency and converted at once. Needs `ShipmentCharge.ViewCost`. Without an exchange rate: `Pricing:ExchangeRate:NotFound`.
   */
  getProfit: op(id, ProfitInput).returns(ShipmentProfitDto).at('GET', '{id}/profit'),
}) {}
