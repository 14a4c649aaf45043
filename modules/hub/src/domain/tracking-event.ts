import {
  Column,
  CreationAuditedEntity,
  DataType,
  Entity,
  OptionalColumn,
  Timestamp,
} from '@keel/framework/data'
import { EmptyIndicator, EventCategory, EventClassifier, EventSource } from '../contracts/index.js'
import { Vessel } from './carrier.js'
import { ConsolLeg } from './consol.js'
import { Container } from './container.js'
import { withItsLiveShipment } from './organization-context.js'
import { Port } from './port.js'
import { Shipment } from './shipment.js'
import { Terminal } from './terminal.js'

/** An event of track and trace, as it was reported (domain model, H16). An event about several shipments is a row of each. */
@Entity('HubTrackingEvents', {
  rules: [withItsLiveShipment],
  indexes: [
    {
      attributes: ['source', 'externalEventId', 'shipmentId'],
      unique: true,
      where: '"ExternalEventId" is not null',
    },
    { attributes: ['shipmentId', 'eventTime'] },
    { attributes: ['containerId', 'eventTime'] },
    { attributes: ['consolLegId'] },
    { attributes: ['portId'] },
    { attributes: ['terminalId'] },
    { attributes: ['vesselId'] },
  ],
  checks: {
    EventCategory: '"EventCategory" between 0 and 2',
    Classifier: '"Classifier" between 0 and 3',
    EmptyIndicator: '"EmptyIndicator" between 0 and 1',
    Source: '"Source" between 0 and 4',
  },
})
export class TrackingEvent extends CreationAuditedEntity {
  @Column(DataType.UUID, { references: () => Shipment }) declare shipmentId: string
  @OptionalColumn(DataType.UUID, { references: () => ConsolLeg }) declare consolLegId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Container }) declare containerId: string | null
  @Column(DataType.SMALLINT, { enumeration: { EventCategory } }) declare eventCategory: EventCategory
  @Column(DataType.CHAR(4)) declare eventTypeCode: string
  @Column(DataType.SMALLINT, { enumeration: { EventClassifier } }) declare classifier: EventClassifier
  @Column(Timestamp) declare eventTime: Date
  @Column(Timestamp) declare eventCreatedTime: Date
  @OptionalColumn(DataType.UUID, { references: () => Port }) declare portId: string | null
  @OptionalColumn(DataType.UUID, { references: () => Terminal }) declare terminalId: string | null
  @OptionalColumn(DataType.CHAR(4)) declare facilityTypeCode: string | null
  @OptionalColumn(DataType.STRING(3)) declare documentTypeCode: string | null
  @OptionalColumn(DataType.SMALLINT, { enumeration: { EmptyIndicator } })
  declare emptyIndicator: EmptyIndicator | null
  @OptionalColumn(DataType.UUID, { references: () => Vessel }) declare vesselId: string | null
  @OptionalColumn(DataType.STRING(20)) declare voyageFlightNumber: string | null
  @OptionalColumn(DataType.STRING(10)) declare delayReasonCode: string | null
  @OptionalColumn(DataType.STRING(256)) declare description: string | null
  @Column(DataType.SMALLINT, { enumeration: { EventSource } }) declare source: EventSource
  @OptionalColumn(DataType.STRING(100)) declare externalEventId: string | null
}
