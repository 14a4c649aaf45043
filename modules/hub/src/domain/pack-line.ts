import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn } from '@keel/framework/data'
import { HubErrors, PackingGroup } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { Container } from './container.js'
import { DangerousSubstance } from './dangerous-substance.js'
import { OrderLine } from './order.js'
import { withItsPackLine, withItsShipment } from './organization-context.js'
import { Shipment } from './shipment.js'

/** A line of the cargo of a shipment. */
@Entity('HubPackLines', {
  rules: [withItsShipment],
  conflicts: { IX_HubPackLines_ShipmentId_LineNumber: HubErrors.DuplicatePackLine },
  indexes: [
    { attributes: ['shipmentId', 'lineNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['containerId'] },
    { attributes: ['orderLineId'] },
    { attributes: ['packageTypeId'] },
  ],
  checks: {
    LineNumber: '"LineNumber" >= 1',
    PackageCount: '"PackageCount" >= 1',
    GrossWeightKg: '"GrossWeightKg" between 0 and 1e9',
    NetWeightKg: '"NetWeightKg" between 0 and "GrossWeightKg"',
    VolumeM3: '"VolumeM3" between 0 and 1e6',
    MaxTemperatureC: '"MaxTemperatureC" >= "MinTemperatureC"',
  },
})
export class PackLine extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.SMALLINT) declare lineNumber: number
  @Column(DataType.INTEGER) declare packageCount: number
  @Column(DataType.UUID, {
    references: () => CodeEntity,
    referencesOnly: { type: 'PackageType' },
    onDelete: 'no action',
  })
  declare packageTypeId: string
  @OptionalColumn(DataType.DOUBLE) declare lengthCm: number | null
  @OptionalColumn(DataType.DOUBLE) declare widthCm: number | null
  @OptionalColumn(DataType.DOUBLE) declare heightCm: number | null
  @Column(DataType.DOUBLE) declare grossWeightKg: number
  @OptionalColumn(DataType.DOUBLE) declare netWeightKg: number | null
  @OptionalColumn(DataType.DOUBLE) declare volumeM3: number | null
  @OptionalColumn(DataType.STRING(500)) declare description: string | null
  @OptionalColumn(DataType.STRING(500)) declare marksAndNumbers: string | null
  @OptionalColumn(DataType.STRING(6)) declare hsCode: string | null
  @OptionalColumn(DataType.CHAR(2)) declare countryOfOriginCode: string | null
  @OptionalColumn(DataType.UUID, { references: () => Container }) declare containerId: string | null
  @OptionalColumn(DataType.UUID, { references: () => OrderLine }) declare orderLineId: string | null
  @OptionalColumn(DataType.DOUBLE) declare minTemperatureC: number | null
  @OptionalColumn(DataType.DOUBLE) declare maxTemperatureC: number | null
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isStackable: boolean
}

/** Dangerous goods in a line of cargo. */
@Entity('HubPackLineDangerousGoods', {
  rules: [withItsPackLine],
  indexes: [{ attributes: ['packLineId'] }, { attributes: ['dangerousSubstanceId'] }],
  checks: { PackingGroup: '"PackingGroup" between 1 and 3', NetQuantity: '"NetQuantity" > 0' },
})
export class PackLineDangerousGoods extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => PackLine }) declare packLineId: string
  @Column(DataType.UUID, { references: () => DangerousSubstance, onDelete: 'no action' })
  declare dangerousSubstanceId: string
  @Column(DataType.STRING(200)) declare properShippingName: string
  @Column(DataType.STRING(5)) declare hazardClass: string
  @OptionalColumn(DataType.STRING(20)) declare subsidiaryHazards: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { PackingGroup } })
  declare packingGroup: PackingGroup | null
  @Column(DataType.DOUBLE) declare netQuantity: number
  @Column(DataType.STRING(3)) declare unitCode: string
  @OptionalColumn(DataType.DOUBLE) declare flashPointC: number | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isLimitedQuantity: boolean
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isMarinePollutant: boolean
  @Column(DataType.STRING(100)) declare emergencyContact: string
  @Column(DataType.STRING(50)) declare emergencyPhone: string
}

/** The members of a line that its volume is made of. */
export type Packed = Pick<PackLine, 'packageCount' | 'lengthCm' | 'widthCm' | 'heightCm' | 'volumeM3'>

/** The volume of a line in m³, to three digits: that of its sizes in cm, else the given one. */
export function volumeOf({ packageCount, lengthCm, widthCm, heightCm, volumeM3 }: Packed): number | null {
  if (!lengthCm || !widthCm || !heightCm) return volumeM3
  return Math.round((lengthCm * widthCm * heightCm * packageCount) / 1000) / 1000
}

/** True when some sizes of a line are given and some are not. */
export function lacksSizes({ lengthCm, widthCm, heightCm }: Packed): boolean {
  const given = [lengthCm, widthCm, heightCm].filter(Boolean).length
  return given > 0 && given < 3
}
