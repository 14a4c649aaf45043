import { DisableAuditing } from '@keel/framework/auditing'
import {
  AggregateRoot,
  Column,
  DataType,
  Entity,
  FullyAuditedEntity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { ConsolStatus, ConsolType, HubErrors, LegType, PaymentTerm } from '../contracts/index.js'
import { Carrier, Vessel } from './carrier.js'
import { CodeEntity } from './code-entity.js'
import { Organization } from './organization.js'
import { consolsOfCaller, withItsConsol, withItsShipment } from './organization-context.js'
import { Port } from './port.js'
import { SailingSchedule } from './sailing-schedule.js'
import { searchIndex } from './search-index.js'
import { Shipment } from './shipment.js'
import { Terminal } from './terminal.js'

const transportMode = {
  references: () => CodeEntity,
  referencesOnly: { type: 'TransportMode' },
  onDelete: 'no action',
} as const

/** Shipments that travel together under one master bill: it owns legs and boxes (domain model, H12). */
@Entity('HubConsols', {
  referred: 'joined',
  rules: [consolsOfCaller],
  indexes: [
    { attributes: ['consolNumber'], unique: true },
    { attributes: [{ attribute: 'creationTime', order: 'desc' }, 'id'], where: '"IsDeleted" = false' },
    // Rows of the caller
    { attributes: ['readerIds'], method: 'gin' },
    { attributes: ['status', 'estimatedDeparture'] },
    { attributes: ['masterBillNumber'] },
    searchIndex('readerIds', 'consolNumber', 'masterBillNumber', 'bookingReference'),
    { attributes: ['carrierId'] },
    { attributes: ['sendingAgentId'] },
    { attributes: ['receivingAgentId'] },
    { attributes: ['firstLoadPortId'] },
    { attributes: ['lastDischargePortId'] },
    { attributes: ['transportModeId'] },
    { attributes: ['containerModeId'] },
  ],
  checks: {
    Status: '"Status" between 0 and 6',
    ConsolType: '"ConsolType" between 0 and 3',
    PaymentTerm: '"PaymentTerm" between 0 and 1',
  },
})
export class Consol extends AggregateRoot {
  @Column(DataType.STRING(35)) declare consolNumber: string
  @Column(DataType.UUID, transportMode) declare transportModeId: string
  @OptionalColumn(DataType.UUID, {
    references: () => CodeEntity,
    referencesOnly: { type: 'ContainerMode' },
  })
  declare containerModeId: string | null
  @Column(DataType.SMALLINT, { enumeration: { ConsolType } }) declare consolType: ConsolType
  @Column(DataType.SMALLINT, { defaultValue: ConsolStatus.Planned, enumeration: { ConsolStatus } })
  declare status: ConsolStatus
  @OptionalColumn(DataType.STRING(35)) declare masterBillNumber: string | null
  @OptionalColumn(DataType.STRING(35)) declare bookingReference: string | null
  @OptionalColumn(DataType.UUID, { references: () => Carrier }) declare carrierId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare sendingAgentId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Organization }) declare receivingAgentId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare firstLoadPortId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare lastDischargePortId: string | null
  @OptionalColumn(Timestamp) declare estimatedDeparture: Date | null
  @OptionalColumn(Timestamp) declare estimatedArrival: Date | null
  @OptionalColumn(Timestamp) declare actualDeparture: Date | null
  @OptionalColumn(Timestamp) declare actualArrival: Date | null
  @OptionalColumn(Timestamp) declare cargoCutOff: Date | null
  @OptionalColumn(Timestamp) declare documentCutOff: Date | null
  @OptionalColumn(Timestamp) declare vgmCutOff: Date | null
  @Column(DataType.SMALLINT, { defaultValue: PaymentTerm.Prepaid, enumeration: { PaymentTerm } })
  declare paymentTerm: PaymentTerm
  /** Those who see a shipment on it. Triggers of the database keep it, as `readerIds` of orders. Never leaves the server. */
  @DisableAuditing()
  @Column(DataType.ARRAY(DataType.UUID), { defaultValue: [] })
  declare readerIds: string[]
}

/** One carriage between two ports. */
@Entity('HubConsolLegs', {
  rules: [withItsConsol],
  indexes: [
    { attributes: ['consolId', 'legNumber'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['vesselId', 'voyageFlightNumber'] },
    { attributes: ['departurePortId', 'estimatedDeparture'] },
    { attributes: ['arrivalPortId'] },
    { attributes: ['departureTerminalId'] },
    { attributes: ['arrivalTerminalId'] },
    { attributes: ['carrierId'] },
    { attributes: ['sailingScheduleId'] },
    { attributes: ['transportModeId'] },
  ],
  checks: {
    LegNumber: '"LegNumber" between 1 and 20',
    LegType: '"LegType" between 0 and 2',
    ArrivalPortId: '"ArrivalPortId" <> "DeparturePortId"',
    ActualArrival: '"ActualArrival" >= "ActualDeparture"',
    DistanceKm: '"DistanceKm" > 0 and "DistanceKm" <= 100000',
  },
})
export class ConsolLeg extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Consol }) declare consolId: string
  @Column(DataType.SMALLINT) declare legNumber: number
  @Column(DataType.SMALLINT, { enumeration: { LegType } }) declare legType: LegType
  @Column(DataType.UUID, transportMode) declare transportModeId: string
  @Column(DataType.UUID, { references: () => Port, onDelete: 'no action' }) declare departurePortId: string
  @Column(DataType.UUID, { references: () => Port, onDelete: 'no action' }) declare arrivalPortId: string
  @OptionalColumn(DataType.UUID, { references: () => Terminal }) declare departureTerminalId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Terminal }) declare arrivalTerminalId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Carrier }) declare carrierId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Vessel }) declare vesselId: string | null
  @OptionalColumn(DataType.STRING(20)) declare voyageFlightNumber: string | null
  @OptionalColumn(DataType.UUID, { references: () => SailingSchedule }) declare sailingScheduleId:
    | string
    | null
  @OptionalColumn(Timestamp) declare estimatedDeparture: Date | null
  @OptionalColumn(Timestamp) declare estimatedArrival: Date | null
  @OptionalColumn(Timestamp) declare actualDeparture: Date | null
  @OptionalColumn(Timestamp) declare actualArrival: Date | null
  /** km */
  @OptionalColumn(DataType.DOUBLE) declare distanceKm: number | null
}

/** A shipment on a consol; it may travel on several, one after the other. */
@Entity('HubConsolShipments', {
  rules: [withItsShipment],
  conflicts: { IX_HubConsolShipments_ConsolId_ShipmentId: HubErrors.ShipmentAlreadyLinked },
  indexes: [
    { attributes: ['consolId', 'shipmentId'], unique: true, where: '"IsDeleted" = false' },
    { attributes: ['shipmentId', 'sequence'] },
  ],
})
export class ConsolShipment extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Consol }) declare consolId: string
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @Column(DataType.SMALLINT, { defaultValue: 1 }) declare sequence: number
}
