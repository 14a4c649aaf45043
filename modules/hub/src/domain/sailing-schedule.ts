import { Column, DataType, Entity, FullyAuditedEntity, OptionalColumn, Timestamp } from '@keel/framework/data'
import { HubErrors } from '../contracts/index.js'
import { Carrier, Vessel } from './carrier.js'
import { CodeEntity } from './code-entity.js'
import { Port } from './port.js'

/** A departure of a ship, an aircraft or a train that can be booked. */
@Entity('HubSailingSchedules', {
  referred: 'joined',
  conflicts: { IX_HubSailingSchedules_Departure: HubErrors.DuplicateSailing },
  indexes: [
    {
      attributes: [
        'carrierId',
        'voyageFlightNumber',
        'departurePortId',
        'arrivalPortId',
        'estimatedDeparture',
      ],
      name: 'Departure',
      unique: true,
      where: '"IsDeleted" = false',
    },
    { attributes: ['departurePortId', 'arrivalPortId', 'estimatedDeparture'] },
    { attributes: ['arrivalPortId'] },
    { attributes: ['vesselId'] },
    { attributes: ['transportModeId'] },
  ],
  checks: {
    EstimatedArrival: '"EstimatedArrival" > "EstimatedDeparture"',
    ArrivalPortId: '"ArrivalPortId" <> "DeparturePortId"',
    TransshipmentCount: '"TransshipmentCount" between 0 and 5',
  },
})
export class SailingSchedule extends FullyAuditedEntity {
  @Column(DataType.UUID, { references: () => Carrier, onDelete: 'no action' }) declare carrierId: string
  @Column(DataType.UUID, {
    references: () => CodeEntity,
    referencesOnly: { type: 'TransportMode' },
    onDelete: 'no action',
  })
  declare transportModeId: string
  @OptionalColumn(DataType.STRING(20)) declare serviceCode: string | null
  @OptionalColumn(DataType.UUID, { references: () => Vessel }) declare vesselId: string | null
  @Column(DataType.STRING(20)) declare voyageFlightNumber: string
  @Column(DataType.UUID, { references: () => Port, onDelete: 'no action' }) declare departurePortId: string
  @Column(DataType.UUID, { references: () => Port, onDelete: 'no action' }) declare arrivalPortId: string
  @Column(Timestamp) declare estimatedDeparture: Date
  @Column(Timestamp) declare estimatedArrival: Date
  @Column(DataType.INTEGER) declare transitDays: number
  @Column(DataType.SMALLINT, { defaultValue: 0 }) declare transshipmentCount: number
  @OptionalColumn(Timestamp) declare cargoCutOff: Date | null
  @OptionalColumn(Timestamp) declare documentCutOff: Date | null
  @OptionalColumn(Timestamp) declare vgmCutOff: Date | null
  @Column(DataType.BOOLEAN, { defaultValue: false }) declare isCancelled: boolean
}

const dayMs = 86_400_000

/** Days from departure to arrival, rounded up. */
export function transitDaysOf(departure: Date, arrival: Date): number {
  return Math.ceil((arrival.getTime() - departure.getTime()) / dayMs)
}
