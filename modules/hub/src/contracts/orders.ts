import { calendarDate, decimal, EntityDto, enumeration, inCurrencyOf, z } from '@keel/framework/contracts'
import { OrderStatus } from './enumerations.js'
import { OrganizationRefDto } from './organizations.js'

/** A purchase order, or a split of one, that travels on a shipment. */
export class OrderDto extends EntityDto({
  orderNumber: z.string(),
  splitNumber: z.int(),
  buyer: OrganizationRefDto.schema.nullable(),
  supplier: OrganizationRefDto.schema.nullable(),
  orderDate: calendarDate(),
  currencyCode: z.string(),
  totalAmount: inCurrencyOf('currencyCode', decimal(18, 2)),
  totalQuantity: decimal(18, 4),
  status: enumeration('OrderStatus', OrderStatus),
  description: z.string().nullish(),
}) {}
