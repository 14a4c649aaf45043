import { NoteVisibility, ReferenceType, Severity, ShipmentStatus } from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import { demoId, Stream } from './random.js'
import { codeIdOf } from './reference-ids.js'
import { routeOf } from './route.js'
import { shipmentId, shipmentReference } from './shipments.js'
import { isCancelled, phaseOf, timelineOf } from './timeline.js'
import { type DemoWorld, dayMs, drawsFor } from './world.js'

/** How many references, notes and exceptions a shipment has: 0.5, 0.75 and 0.13 on average (domain model, section 10). */
export interface HappeningCounts {
  readonly references: number
  readonly notes: number
  readonly exceptions: number
}

/** The counts of one shipment. Exceptions are delays, which only shipments that left have. */
export function happeningCounts(world: DemoWorld, ordinal: number): HappeningCounts {
  const draws = drawsFor(world, Stream.HappeningCount, ordinal)
  const phase = phaseOf(world, ordinal)
  const hasLeft = (phase === 'Past' || phase === 'InTransit') && !isCancelled(world, ordinal)
  return {
    references: draws.chance(0.5) ? 1 : 0,
    notes: draws.chance(0.5) ? 1 + draws.below(2) : 0,
    exceptions: draws.chance(0.173) && hasLeft ? 1 : 0,
  }
}

/** Rows of HubShipmentReferenceNumbers of one shipment. */
export function* referenceRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const { references } = happeningCounts(world, ordinal)
  const draws = drawsFor(world, Stream.Reference, ordinal)
  for (let index = 0; index < references; index++)
    yield {
      Id: demoId(Stream.Reference, world.seed, ordinal, index),
      ShipmentId: shipmentId(world, ordinal),
      ReferenceType: draws.pick([ReferenceType.CustomerReference, ReferenceType.ShipperReference]),
      Value: `${draws.pick(['PO', 'REF', 'JOB'])}-${100_000 + draws.below(900_000)}`,
      CreationTime: new Date(timelineOf(world, ordinal, routeOf(world, ordinal)).created),
    }
}

const remarks = [
  [NoteVisibility.Customer, 'Documents', 'Please send the packing list before the cut-off.'],
  [NoteVisibility.Customer, 'Delivery', 'The receiver asks for delivery before noon.'],
  [NoteVisibility.Customer, 'Labels', 'All packages carry the labels of the customer.'],
  [NoteVisibility.Internal, 'Credit', 'Check the open invoices before the release.'],
  [NoteVisibility.Internal, 'Carrier', 'The carrier offered a better rate for the next sailing.'],
] as const

/** Rows of HubShipmentNotes of one shipment. */
export function* noteRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const { notes } = happeningCounts(world, ordinal)
  if (notes === 0) return
  const draws = drawsFor(world, Stream.Note, ordinal)
  const { created, modified } = timelineOf(world, ordinal, routeOf(world, ordinal))
  for (let index = 0; index < notes; index++) {
    const [visibility, subject, text] = draws.pick(remarks)
    yield {
      Id: demoId(Stream.Note, world.seed, ordinal, index),
      ShipmentId: shipmentId(world, ordinal),
      Visibility: visibility,
      Subject: subject,
      Text: text,
      CreationTime: new Date(Math.floor(draws.between(created, modified))),
    }
  }
}

/** Rows of HubShipmentExceptions of one shipment; those of completed shipments are resolved. */
export function* exceptionRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const { exceptions } = happeningCounts(world, ordinal)
  if (exceptions === 0) return
  const draws = drawsFor(world, Stream.Exception, ordinal)
  const { status, actualDeparture, created, modified } = timelineOf(world, ordinal, routeOf(world, ordinal))
  const raised = Math.min((actualDeparture ?? created) + draws.between(0.1, 2) * dayMs, modified)
  const hours = 24 + draws.below(120)
  const isResolved = status >= ShipmentStatus.Delivered
  yield {
    Id: demoId(Stream.Exception, world.seed, ordinal),
    ShipmentId: shipmentId(world, ordinal),
    ExceptionTypeId: codeIdOf('ExceptionType', draws.pick(['DEL', 'ROL', 'MIS', 'WEA'])),
    Severity: hours >= 72 ? Severity.Critical : Severity.Warning,
    RaisedTime: new Date(Math.floor(raised)),
    Description: `The carrier reports a delay of ${shipmentReference(ordinal)}.`,
    DelayHours: hours,
    ResolvedTime: isResolved ? new Date(modified) : null,
    ResolutionNote: isResolved ? 'Arrived with the delay; the customer was told.' : null,
    CreationTime: new Date(Math.floor(raised)),
  }
}
