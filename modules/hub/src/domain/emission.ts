import {
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  ReferenceEntity,
  Timestamp,
} from '@keel/framework/data'
import { DistanceSource, HubErrors } from '../contracts/index.js'
import { CodeEntity } from './code-entity.js'
import { ConsolLeg } from './consol.js'
import { withItsLiveShipment } from './organization-context.js'
import { Shipment } from './shipment.js'

const transportMode = {
  references: () => CodeEntity,
  referencesOnly: { type: 'TransportMode' },
  onDelete: 'no action',
} as const

/** Greenhouse gases of a tonne-kilometre. */
@Entity('HubEmissionFactors', {
  referred: 'joined',
  conflicts: { IX_HubEmissionFactors_Code_ValidFrom: HubErrors.EmissionFactorAlreadyExists },
  indexes: [
    { attributes: ['code', 'validFrom'], unique: true },
    { attributes: ['transportModeId', 'isDefault'] },
  ],
  checks: {
    WtwGramsPerTkm: '"WtwGramsPerTkm" > 0',
    TtwGramsPerTkm: '"TtwGramsPerTkm" between 0 and "WtwGramsPerTkm"',
    ValidTo: '"ValidTo" >= "ValidFrom"',
    NaN: `"DistanceUpliftPercent" <> 'NaN' and "DistanceAddKm" <> 'NaN'`,
  },
})
export class EmissionFactor extends ReferenceEntity {
  @Column(DataType.STRING(50)) declare code: string
  @Column(DataType.UUID, transportMode) declare transportModeId: string
  @Column(DataType.STRING(50)) declare vehicleClass: string
  @OptionalColumn(DataType.STRING(50)) declare region: string | null
  @OptionalColumn(DataType.DOUBLE) declare minDistanceKm: number | null
  @OptionalColumn(DataType.DOUBLE) declare maxDistanceKm: number | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isTemperatureControlled: boolean
  @Column(DataType.DOUBLE) declare wtwGramsPerTkm: number
  @OptionalColumn(DataType.DOUBLE) declare ttwGramsPerTkm: number | null
  @Column(DataType.DECIMAL(5, 2), { defaultValue: '0' }) declare distanceUpliftPercent: string
  @Column(DataType.DECIMAL(6, 1), { defaultValue: '0' }) declare distanceAddKm: string
  @Column(DataType.STRING(200)) declare source: string
  @Column(DataType.SMALLINT) declare sourceYear: number
  @Column(DataType.DATEONLY) declare validFrom: string
  @OptionalColumn(DataType.DATEONLY) declare validTo: string | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isDefault: boolean
}

/** Greenhouse gases of a shipment on one leg, with everything that they were computed by. */
@Entity('HubShipmentEmissions', {
  rules: [withItsLiveShipment],
  indexes: [
    { attributes: ['shipmentId'], where: '"IsCurrent"' },
    { attributes: ['shipmentId', 'calculationTime'] },
    { attributes: ['consolLegId'] },
    { attributes: ['emissionFactorId'] },
    { attributes: ['transportModeId'] },
  ],
  checks: { DistanceSource: '"DistanceSource" between 0 and 3', DistanceKm: '"DistanceKm" >= 0' },
})
export class ShipmentEmission extends CreationAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @OptionalColumn(DataType.UUID, { references: () => ConsolLeg }) declare consolLegId: string | null
  @Column(DataType.SMALLINT) declare sequence: number
  @Column(DataType.UUID, transportMode) declare transportModeId: string
  @Column(DataType.UUID, { references: () => EmissionFactor, onDelete: 'no action' })
  declare emissionFactorId: string
  @Column(DataType.DOUBLE) declare distanceKm: number
  @Column(DataType.SMALLINT, { enumeration: { DistanceSource } }) declare distanceSource: DistanceSource
  @Column(DataType.DOUBLE) declare weightTonnes: number
  @Column(DataType.DOUBLE) declare wtwGramsPerTkm: number
  @OptionalColumn(DataType.DOUBLE) declare ttwGramsPerTkm: number | null
  /** Well to wheel. */
  @Column(DataType.DOUBLE) declare co2eKg: number
  /** Tank to wheel. */
  @OptionalColumn(DataType.DOUBLE) declare co2eTtwKg: number | null
  @Column(Timestamp) declare calculationTime: Date
  /** False for rows that a later calculation replaced. */
  @Column(DataType.BOOLEAN, { defaultValue: true }) declare isCurrent: boolean
}
