import { DisableAuditing } from '@keel/framework/auditing'
import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { HubErrors, VgmMethod } from '../contracts/index.js'
import { Consol } from './consol.js'
import { ContainerType } from './container-type.js'
import { containersOfCaller, withItsShipment } from './organization-context.js'
import { searchIndex } from './search-index.js'
import { Shipment } from './shipment.js'

/** A box on a consol. */
@Entity('HubContainers', {
  referred: 'joined',
  rules: [containersOfCaller],
  conflicts: { IX_HubContainers_ConsolId_ContainerNumber: HubErrors.DuplicateOnConsol },
  indexes: [
    { attributes: ['containerNumber', { attribute: 'creationTime', order: 'desc' }] },
    {
      attributes: ['consolId', 'containerNumber'],
      unique: true,
      where: '"IsDeleted" = false and "ContainerNumber" is not null',
    },
    { attributes: ['containerTypeId'] },
    // Rows of the caller
    { attributes: ['readerIds'], method: 'gin' },
    // Default list order
    { attributes: [{ attribute: 'creationTime', order: 'desc' }, 'id'], where: '"IsDeleted" = false' },
    searchIndex('readerIds', 'containerNumber', 'sealNumber'),
  ],
  checks: { VgmMethod: '"VgmMethod" between 1 and 2' },
})
export class Container extends FullyAuditedEntity {
  @OptionalColumn(DataType.STRING(11)) declare containerNumber: string | null
  @OptionalColumn(DataType.UUID, { references: () => Consol }) declare consolId: string | null
  @Column(DataType.UUID, { references: () => ContainerType, onDelete: 'no action' })
  declare containerTypeId: string
  @OptionalColumn(DataType.STRING(20)) declare sealNumber: string | null
  @OptionalColumn(DataType.DOUBLE) declare tareWeightKg: number | null
  /** The cargo, without the container. */
  @OptionalColumn(DataType.DOUBLE) declare grossWeightKg: number | null
  @OptionalColumn(DataType.DOUBLE) declare vgmWeightKg: number | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { VgmMethod } }) declare vgmMethod: VgmMethod | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isShipperOwned: boolean
  @OptionalColumn(DataType.DOUBLE) declare temperatureSetPointC: number | null
  @OptionalColumn(Timestamp) declare emptyPickupTime: Date | null
  @OptionalColumn(Timestamp) declare gateInTime: Date | null
  @OptionalColumn(Timestamp) declare loadedTime: Date | null
  @OptionalColumn(Timestamp) declare dischargedTime: Date | null
  @OptionalColumn(Timestamp) declare gateOutTime: Date | null
  @OptionalColumn(Timestamp) declare emptyReturnTime: Date | null
  @OptionalColumn(DataType.DATEONLY) declare freeTimeExpiry: string | null
  /** Those who see a shipment with cargo in it, kept by triggers of the database, as `readerIds` of orders. Never leaves the server. */
  @DisableAuditing()
  @Column(DataType.ARRAY(DataType.UUID), { defaultValue: [] })
  declare readerIds: string[]
}

/** The cargo of a shipment in a container. */
@Entity('HubShipmentContainers', {
  rules: [withItsShipment],
  conflicts: { IX_HubShipmentContainers_ShipmentId_ContainerId: HubErrors.ShipmentContainerAlreadyExists },
  indexes: [
    { attributes: ['shipmentId', 'containerId'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['containerId', 'shipmentId'] },
  ],
  checks: { Packages: '"Packages" >= 0' },
})
export class ShipmentContainer extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.UUID, { references: () => Container }) declare containerId: string
  @OptionalColumn(DataType.INTEGER) declare packages: number | null
  @OptionalColumn(DataType.DOUBLE) declare grossWeightKg: number | null
  @OptionalColumn(DataType.DOUBLE) declare volumeM3: number | null
  @OptionalColumn(DataType.STRING(20)) declare sealNumber: string | null
}
