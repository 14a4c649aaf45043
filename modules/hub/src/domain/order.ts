import { AggregateRoot, Column, DataType, Entity, OptionalColumn } from '@keel/framework/data'
import { OrderStatus } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { Organization } from './organization.js'
import { ordersOfCaller } from './organization-context.js'
import { Port } from './port.js'
import { Shipment } from './shipment.js'

/** A purchase order, or a split of one, shipped on a shipment. */
@Entity('HubOrders', {
  rules: [ordersOfCaller],
  indexes: [
    { attributes: ['buyerId', 'orderNumber', 'splitNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['supplierId', 'status'] },
    { attributes: ['shipmentId'] },
    { attributes: ['incotermId'] },
    { attributes: ['transportModeId'] },
    { attributes: ['originPortId'] },
    { attributes: ['destinationPortId'] },
    {
      attributes: [{ attribute: 'orderNumber', order: 'gin_trgm_ops' }],
      method: 'gin',
      extension: 'pg_trgm',
    },
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
}
