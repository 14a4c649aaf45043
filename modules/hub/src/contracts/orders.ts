import {
  calendarDate,
  decimal,
  EntityDto,
  enumeration,
  inCurrencyOf,
  ownFields,
  z,
} from '@keel/framework/contracts'
import { OrderStatus } from './enumerations.js'
import { OrganizationRefDto } from './organizations.js'

/** A purchase order, or a split of one, that travels on a shipment. */
export class OrderDto extends EntityDto({
  /** The buyer's number of the order. */
  orderNumber: z.string(),

  /** 0 for an order as a whole, else the number of the part of it. */
  splitNumber: z.int(),
  buyer: OrganizationRefDto.schema.nullable(),
  supplier: OrganizationRefDto.schema.nullable(),

  /**
   * Calendar date of the order.
   * @example 2026-10-01
   */
  orderDate: calendarDate(),

  /**
   * ISO 4217 code of the currency of `totalAmount`.
   * @example USD
   */
  currencyCode: z.string(),
  totalAmount: inCurrencyOf('currencyCode', decimal(18, 2)),

  /** Sum over the lines of the order, in their units. */
  totalQuantity: decimal(18, 4),
  status: enumeration('OrderStatus', OrderStatus),
  description: z.string().nullish(),

  /** Fields that the installation added, by name. */
  extraProperties: ownFields('Hub.Order'),
}) {}
