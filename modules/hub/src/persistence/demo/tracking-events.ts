import {
  EmptyIndicator,
  EventCategory,
  EventClassifier,
  EventSource,
  ShipmentStatus,
} from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import { containerId, legId, type Movement, movementOf } from './movements.js'
import { demoId, Stream } from './random.js'
import { portIdOf } from './reference-ids.js'
import { shipmentId } from './shipments.js'
import { type DemoWorld, dayMs } from './world.js'

/** An event in DCSA's words. */
interface DemoEvent {
  readonly category: EventCategory
  readonly type: string
  readonly classifier: EventClassifier
  readonly time: number
  /** When it was reported. */
  readonly reported: number
  readonly port: string | null
  readonly facility?: string
  readonly document?: string
  readonly empty?: EmptyIndicator
  /** Counted from 0. */
  readonly leg?: number
  readonly container?: number
}

const { Shipment, Transport, Equipment } = EventCategory
const { Planned, Actual } = EventClassifier
const { Empty, Laden } = EmptyIndicator

export const trackingEventCount = (world: DemoWorld, ordinal: number): number => {
  const movement = movementOf(world, ordinal)
  return movement ? eventsOf(movement).length : 0
}

/** Rows of HubTrackingEvents of one shipment: what carriers would have reported by now. */
export function* trackingEventRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  if (!movement) return
  for (const [index, event] of eventsOf(movement).entries())
    yield {
      Id: demoId(Stream.TrackingEvent, world.seed, ordinal, index),
      ShipmentId: shipmentId(world, ordinal),
      ConsolLegId: event.leg === undefined ? null : legId(world, ordinal, event.leg),
      ContainerId: event.container === undefined ? null : containerId(world, ordinal, event.container),
      EventCategory: event.category,
      EventTypeCode: event.type,
      Classifier: event.classifier,
      EventTime: new Date(event.time),
      EventCreatedTime: new Date(event.reported),
      PortId: event.port === null ? null : portIdOf(event.port),
      FacilityTypeCode: event.facility ?? null,
      DocumentTypeCode: event.document ?? null,
      EmptyIndicator: event.empty ?? null,
      Source: event.category === Shipment ? EventSource.Edi : EventSource.Carrier,
      ExternalEventId: `demo-${ordinal}-${index}`,
      CreationTime: new Date(event.reported),
    }
}

/** At most 63, as many as ids tell apart: events of containers are those of the first. */
function eventsOf({ route, timeline, legs, containers }: Movement): DemoEvent[] {
  const { created, actualPickup, actualDelivery, actualDeparture, actualArrival, status } = timeline
  const paper = (document: string, type: string, time: number): DemoEvent => ({
    ...{ category: Shipment, type, document, classifier: Actual, time, reported: time, port: null },
  })
  const box = (type: string, time: number | null, more: Partial<DemoEvent>): DemoEvent[] =>
    time === null || containers === 0
      ? []
      : [
          {
            category: Equipment,
            type,
            classifier: Actual,
            time,
            reported: time,
            port: null,
            container: 0,
            ...more,
          },
        ]
  const hour = 3_600_000
  return [
    paper('BKG', 'REQS', created),
    paper('BKG', 'CONF', created + hour),
    ...box('GTOT', actualPickup === null ? null : actualPickup - dayMs / 2, {
      facility: 'CLOC',
      empty: Empty,
      port: route.from,
    }),
    ...box('GTIN', actualPickup, { facility: 'POTE', empty: Laden, port: route.from }),
    ...box('LOAD', actualDeparture === null ? null : actualDeparture - 6 * hour, {
      facility: 'POTE',
      empty: Laden,
      port: route.from,
    }),
    ...legs.flatMap((leg, index) => [
      moved('DEPA', Planned, leg.estimatedDeparture, created, leg.from, index),
      ...(leg.actualDeparture === null
        ? []
        : [moved('DEPA', Actual, leg.actualDeparture, leg.actualDeparture, leg.from, index)]),
      moved('ARRI', Planned, leg.estimatedArrival, created, leg.to, index),
      ...(leg.actualArrival === null
        ? []
        : [moved('ARRI', Actual, leg.actualArrival, leg.actualArrival, leg.to, index)]),
    ]),
    ...box('DISC', actualArrival, { facility: 'POTE', empty: Laden, port: route.to }),
    ...(status >= ShipmentStatus.CustomsCleared && actualArrival !== null
      ? [paper('CUS', 'RELS', actualArrival + 2 * hour)]
      : []),
    ...box('GTOT', actualDelivery, { facility: 'POTE', empty: Laden, port: route.to }),
    ...box('STRP', actualDelivery, { facility: 'CLOC', empty: Laden }),
    ...box('GTIN', status === ShipmentStatus.Completed ? timeline.modified : null, {
      facility: 'DEPO',
      empty: Empty,
    }),
  ]
}

function moved(
  type: string,
  classifier: EventClassifier,
  time: number,
  reported: number,
  port: string,
  leg: number,
): DemoEvent {
  return { category: Transport, type, classifier, time, reported, port, leg }
}
