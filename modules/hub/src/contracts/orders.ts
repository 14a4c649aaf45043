import {
  AppService,
  calendarDate,
  crud,
  Dto,
  decimal,
  EntityDto,
  enumeration,
  FilteredPagedInput,
  guid,
  id,
  inCurrencyOf,
  instant,
  listOf,
  op,
  ownFields,
  z,
} from '@keel/framework/contracts'
import { ReasonDto, stamp } from './actions.js'
import { EventSource, OrderStatus } from './enumerations.js'
import { Hub } from './hub.js'
import { OrganizationRefDto } from './organizations.js'
import { mostUpserted, UpsertedDto, UpsertedManyDto } from './upserts.js'

const fields = {
  /** The buyer's number of the order. */
  orderNumber: z.string().trim().min(1).max(50),

  /**
   * Calendar date of the order.
   * @example 2026-10-01
   */
  orderDate: calendarDate(),

  /**
   * ISO 4217 code of the currency of prices and `totalAmount`; fixed once the order is placed.
   * @example USD
   */
  currencyCode: z.string().regex(/^[A-Z]{3}$/, 'Validation:CurrencyCode'),
  description: z.string().max(500).nullish(),

  /** When the goods must leave the supplier. */
  requiredExWorksDate: calendarDate().nullish(),

  /** When the goods must be at the buyer. */
  requiredInStoreDate: calendarDate().nullish(),

  /** When the supplier has the goods ready. */
  cargoReadyDate: calendarDate().nullish(),
  incotermId: guid().nullish(),
  transportModeId: guid().nullish(),
  originPortId: guid().nullish(),
  destinationPortId: guid().nullish(),

  /** Its id in the system that it came from. */
  externalId: z.string().max(100).nullish(),

  /** Fields that the installation added, by name. In a change, absent ones stay and null clears. */
  extraProperties: ownFields('Hub.Order'),
}

const parties = {
  /** The organization that buys; fixed once the order is placed. */
  buyerId: guid(),

  /** The organization that supplies; fixed once the order is placed. */
  supplierId: guid(),
}

/** A purchase order, or a split of one, that travels on a shipment. */
export class OrderDto extends EntityDto({
  ...fields,
  orderNumber: z.string(),
  currencyCode: z.string(),
  description: z.string().nullish(),

  /** 0 for an order as a whole, else the number of the part of it. */
  splitNumber: z.int(),
  buyer: OrganizationRefDto.schema.nullable(),
  supplier: OrganizationRefDto.schema.nullable(),

  /** The shipment that it travels on; null while it has none. */
  shipmentId: guid().nullish(),
  totalAmount: inCurrencyOf('currencyCode', decimal(18, 2)),

  /** Sum over the lines of the order, in their units. */
  totalQuantity: decimal(18, 4),
  status: enumeration('OrderStatus', OrderStatus),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
  concurrencyStamp: z.string(),
}) {}

/** The most of a weight or volume: sums over all rows stay numbers, whatever somebody enters. */
export const mostSummed = 1e30

/** A code of the Harmonized System: a chapter of two digits, a heading of four or a subheading of six. */
export const hsCode = z.string().regex(/^\d{2}(\d{2}){0,2}$/, 'Hub:Validation:HsCode')

const lineFields = {
  /** Where the line stands on the order, from 1 on; each once. */
  lineNumber: z.int().min(1).max(32767),
  productCode: z.string().trim().min(1).max(50),
  description: z.string().max(500).nullish(),

  /**
   * Code of the Harmonized System.
   * @example "610910"
   */
  hsCode: hsCode.nullish(),

  /** How much was ordered, in `unitCode`; more than 0. */
  quantity: decimal(18, 4, { min: 0.0001 }),

  /**
   * UN/CEFACT code of the unit (recommendation 20).
   * @example C62
   */
  unitCode: z.string().regex(/^[A-Z0-9]{2,3}$/, 'Hub:Validation:UnitCode'),

  /** Price of one unit, in the currency of the order. */
  unitPrice: decimal(18, 4, { min: 0 }).nullish(),
  outerPackages: z.int().min(0).max(2147483647).nullish(),

  /** kg */
  grossWeightKg: z.number().min(0).max(mostSummed).nullish(),

  /** m³ */
  volumeM3: z.number().min(0).max(mostSummed).nullish(),
}

/** A line of an order. */
export class OrderLineDto extends EntityDto({
  orderId: guid(),
  ...lineFields,

  /** How much of it departed. */
  quantityShipped: decimal(18, 4),

  /** How much of it arrived at the buyer. */
  quantityReceived: decimal(18, 4),

  /** Quantity times price, rounded half up; 0 without a price. */
  lineAmount: decimal(18, 2),
  creationTime: instant(),
  lastModificationTime: instant().nullish(),
}) {}

/** A line as it is written. */
export class OrderLineInput extends Dto(lineFields) {}

/** The most lines of an order. */
export const mostOrderLines = 500

const lines = z.array(OrderLineInput.schema).max(mostOrderLines)

/** The input for creating an order, as a draft. */
export class CreateOrderDto extends Dto({ ...parties, ...fields, lines: lines.nullish() }) {}

/** An order of another system. Of one that is there absent members stay, null clears, and given lines replace all others. */
export class UpsertOrderDto extends Dto({
  ...CreateOrderDto.shape,
  externalId: z.string().trim().min(1).max(100),
}) {}

/** Orders of another system. */
export class UpsertOrdersDto extends Dto({
  rows: z.array(UpsertOrderDto.schema).min(1).max(mostUpserted),
}) {}

/** The input for changing an order up to its confirmation; absent members stay. A given stamp must be the one last seen. */
export class UpdateOrderDto extends Dto({
  ...Dto({ ...parties, ...fields }).schema.partial().shape,
  ...stamp,
}) {}

/** The input of the list of orders. */
export class OrderListInput extends Dto({
  ...FilteredPagedInput.shape,
  status: enumeration('OrderStatus', OrderStatus).nullish(),
  buyerId: guid().nullish(),
  supplierId: guid().nullish(),

  /** Only orders on this shipment. */
  shipmentId: guid().nullish(),

  /** True for orders that are on a shipment, false for those on none; both when not given. */
  hasShipment: z.boolean().nullish(),

  /** True for orders that can be changed and put on shipments: drafts, placed and confirmed ones. False for all others; both when not given. */
  isOpen: z.boolean().nullish(),
}) {}

/** All lines of an order from now on. A line with the number of one so far takes its place. */
export class SetOrderLinesDto extends Dto({ lines, ...stamp }) {}

/** The input of an action of an order. */
export class OrderActionDto extends Dto(stamp) {}

/** The input for confirming an order. */
export class ConfirmOrderDto extends Dto({ cargoReadyDate: calendarDate(), ...stamp }) {}

const quantities = {
  lines: z
    .array(Dto({ orderLineId: guid(), quantity: lineFields.quantity }).schema)
    .min(1)
    .max(mostOrderLines),
  ...stamp,
}

/** The quantities of lines that go into an order of their own. */
export class SplitOrderDto extends Dto(quantities) {}

/** The quantities of lines that arrived. */
export class ReceiveOrderDto extends Dto(quantities) {}

/** The input for putting an order on a shipment. */
export class AttachOrderDto extends Dto({ shipmentId: guid(), ...stamp }) {}

/** One change of the status of an order. */
export class OrderStatusHistoryDto extends EntityDto({
  orderId: guid(),

  /** Null for the first status of the order. */
  fromStatus: enumeration('OrderStatus', OrderStatus).nullish(),
  toStatus: enumeration('OrderStatus', OrderStatus),
  changeTime: instant(),

  /** The reason of a cancellation. */
  reason: z.string().nullish(),
  source: enumeration('EventSource', EventSource),
  creationTime: instant(),
  creatorId: guid().nullish(),
}) {}

/**
 * Purchase orders. A caller who does not see all organizations sees orders that the caller's organizations buy or supply, or that travel on shipments
 * that the caller sees, and changes those that they buy or supply.
 */
export abstract class OrderAppService extends AppService(Hub, 'OrderAppService', {
  ...crud(OrderDto, CreateOrderDto, UpdateOrderDto, OrderListInput),
  /** Creates the order that a buyer has under `externalId`, or changes it. Needs `Order.Edit`, and `Order.Create` to create. */
  upsert: op(UpsertOrderDto).returns(UpsertedDto).at('PUT', 'by-external-id'),
  /** Does the same with up to 200 orders, each in a transaction of its own. The answer tells what became of each. */
  upsertMany: op(UpsertOrdersDto).returns(UpsertedManyDto).at('PUT', 'by-external-id/many'),
  /** Lists the lines of an order by their numbers. */
  getLines: op(id).returns(listOf(OrderLineDto)),
  /** Replaces the lines of a draft or a placed order. */
  setLines: op(id, SetOrderLinesDto).returns(listOf(OrderLineDto)).at('POST', '{id}/set-lines'),
  /** Lists the status changes of an order, the first one first. */
  getStatusHistory: op(id).returns(listOf(OrderStatusHistoryDto)),
  /** Places a draft that has lines, and publishes `Hub.Order.Placed`. */
  place: op(id, OrderActionDto).returns(OrderDto),
  /** Confirms a placed order, for its supplier or for staff. */
  confirm: op(id, ConfirmOrderDto).returns(OrderDto),
  /** Moves quantities that have not departed into a new order of the same number, and answers that one. */
  split: op(id, SplitOrderDto).returns(OrderDto),
  /** Records that quantities arrived at the buyer. */
  receive: op(id, ReceiveOrderDto).returns(OrderDto),
  /** Closes an order that was received. */
  close: op(id, OrderActionDto).returns(OrderDto),
  /** Cancels an order that is not on its way, and takes it from its shipment. */
  cancel: op(id, ReasonDto).returns(OrderDto),
  /** Puts an order on a shipment of which the buyer or the supplier is a party; the other one becomes a party of it too. */
  attachToShipment: op(id, AttachOrderDto).returns(OrderDto),
  /** Takes an order from its shipment before it departs. */
  detach: op(id, OrderActionDto).returns(OrderDto),
}) {}
