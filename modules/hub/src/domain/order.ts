import { DisableAuditing } from '@keel/framework/auditing'
import {
  AggregateRoot,
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { EventSource, HubErrors, OrderStatus } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { Organization } from './organization.js'
import { ordersOfCaller, withItsOrder } from './organization-context.js'
import { Port } from './port.js'
import { searchIndex } from './search-index.js'
import { Shipment } from './shipment.js'

/** A purchase order, or a split of one, shipped on a shipment. */
@Entity('HubOrders', {
  rules: [ordersOfCaller],
  conflicts: { IX_HubOrders_BuyerId_OrderNumber_SplitNumber: HubErrors.OrderNumberAlreadyExists },
  indexes: [
    { attributes: ['buyerId', 'orderNumber', 'splitNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['supplierId', 'status'] },
    // Rows of the caller
    { attributes: ['readerIds'], method: 'gin' },
    { attributes: ['shipmentId'] },
    { attributes: ['incotermId'] },
    { attributes: ['transportModeId'] },
    { attributes: ['originPortId'] },
    { attributes: ['destinationPortId'] },
    // Searches of a whole number, whoever buys.
    { attributes: ['orderNumber', 'splitNumber'], where: '"IsDeleted" = false' },
    // Default list order
    { attributes: [{ attribute: 'creationTime', order: 'desc' }, 'id'], where: '"IsDeleted" = false' },
    // Those that wait for a shipment, of which there are few, in the same order
    {
      attributes: [{ attribute: 'creationTime', order: 'desc' }, 'id'],
      name: 'WithoutShipment',
      where: '"IsDeleted" = false and "ShipmentId" is null',
    },
    searchIndex('readerIds', 'orderNumber'),
  ],
  checks: {
    SupplierId: '"SupplierId" <> "BuyerId"',
    Status: '"Status" between 0 and 7',
    TotalAmount: `"TotalAmount" <> 'NaN'`,
    TotalQuantity: `"TotalQuantity" <> 'NaN'`,
  },
})
export class Order extends AggregateRoot {
  @Column(DataType.STRING(50)) declare orderNumber: string
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare splitNumber: number
  @Column(DataType.UUID, { references: () => Organization, onDelete: 'no action' }) declare buyerId: string
  @Column(DataType.UUID, { references: () => Organization, onDelete: 'no action' }) declare supplierId: string
  @OptionalColumn(DataType.UUID, { references: () => Shipment }) declare shipmentId: string | null
  @Column(DataType.DATEONLY) declare orderDate: string
  @OptionalColumn(DataType.DATEONLY) declare requiredExWorksDate: string | null
  @OptionalColumn(DataType.DATEONLY) declare requiredInStoreDate: string | null
  @OptionalColumn(DataType.DATEONLY) declare cargoReadyDate: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare incotermId: string | null
  @OptionalColumn(DataType.UUID, { references: () => CodeEntity }) declare transportModeId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare originPortId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare destinationPortId: string | null
  @Column(DataType.CHAR(3)) declare currencyCode: string
  @Column(DataType.DECIMAL(18, 2), { defaultValue: '0' }) declare totalAmount: string
  @Column(DataType.DECIMAL(18, 4), { defaultValue: '0' }) declare totalQuantity: string
  @Column(DataType.SMALLINT, { defaultValue: OrderStatus.Draft, enumeration: { OrderStatus } })
  declare status: OrderStatus
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
  @OptionalColumn(DataType.STRING(100)) declare externalId: string | null
  /**
   * Buyer, supplier, and those who see the shipment: organizations, or the creator of a draft without parties. Triggers of the database keep it
   * (`schema/0027-readers.sql`), whoever writes orders or shipments: what a program writes is replaced. Never leaves the server.
   */
  @DisableAuditing()
  @Column(DataType.ARRAY(DataType.UUID), { defaultValue: [] })
  declare readerIds: string[]
}

/** A line of an order. */
@Entity('HubOrderLines', {
  rules: [withItsOrder],
  conflicts: { IX_HubOrderLines_OrderId_LineNumber: HubErrors.DuplicateOrderLine },
  indexes: [
    { attributes: ['orderId', 'lineNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['productCode'] },
  ],
  checks: {
    Quantity: '"Quantity" > 0',
    QuantityShipped: '"QuantityShipped" between 0 and "Quantity"',
    QuantityReceived: '"QuantityReceived" between 0 and "QuantityShipped"',
    UnitPrice: '"UnitPrice" >= 0',
    LineAmount: '"LineAmount" >= 0',
    GrossWeightKg: `"GrossWeightKg" >= 0 and "GrossWeightKg" not in ('NaN', 'Infinity')`,
    VolumeM3: `"VolumeM3" >= 0 and "VolumeM3" not in ('NaN', 'Infinity')`,
    NaN: `"Quantity" <> 'NaN' and "QuantityShipped" <> 'NaN' and "QuantityReceived" <> 'NaN' and "UnitPrice" <> 'NaN' and "LineAmount" <> 'NaN'`,
  },
})
export class OrderLine extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Order }) declare orderId: string
  @Column(DataType.SMALLINT) declare lineNumber: number
  @Column(DataType.STRING(50)) declare productCode: string
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
  @OptionalColumn(DataType.STRING(6)) declare hsCode: string | null
  @Column(DataType.DECIMAL(18, 4)) declare quantity: string
  @Column(DataType.STRING(3)) declare unitCode: string
  @Column(DataType.DECIMAL(18, 4), { defaultValue: '0' }) declare quantityShipped: string
  @Column(DataType.DECIMAL(18, 4), { defaultValue: '0' }) declare quantityReceived: string
  @OptionalColumn(DataType.DECIMAL(18, 4)) declare unitPrice: string | null
  @Column(DataType.DECIMAL(18, 2), { defaultValue: '0' }) declare lineAmount: string
  @OptionalColumn(DataType.INTEGER) declare outerPackages: number | null
  @OptionalColumn(DataType.DOUBLE) declare grossWeightKg: number | null
  @OptionalColumn(DataType.DOUBLE) declare volumeM3: number | null
}

/** One change of the status of an order. Written by its transitions alone; the audit log has the change of the order itself. */
@DisableAuditing()
@Entity('HubOrderStatusHistories', {
  rules: [withItsOrder],
  indexes: [{ attributes: ['orderId', 'changeTime'] }],
  checks: {
    FromStatus: '"FromStatus" between 0 and 7',
    ToStatus: '"ToStatus" between 0 and 7',
    Source: '"Source" between 0 and 4',
  },
})
export class OrderStatusHistory extends CreationAuditedEntity {
  @Column(DataType.UUID, { references: () => Order }) declare orderId: string
  /** Null for the first status. */
  @OptionalColumn(DataType.SMALLINT, { enumeration: { OrderStatus } })
  declare fromStatus: OrderStatus | null
  @Column(DataType.SMALLINT, { enumeration: { OrderStatus } }) declare toStatus: OrderStatus
  @Column(Timestamp) declare changeTime: Date
  @OptionalColumn(DataType.STRING(256)) declare reason: string | null
  @Column(DataType.SMALLINT, { enumeration: { EventSource } }) declare source: EventSource
}
