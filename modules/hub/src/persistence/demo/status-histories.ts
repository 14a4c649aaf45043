import { EventSource, ShipmentStatus } from '../../contracts/enumerations.js'
import type { DemoRow } from './demo-table.js'
import { demoId, Stream } from './random.js'
import { routeOf } from './route.js'
import { shipmentId } from './shipments.js'
import { type Timeline, timelineOf } from './timeline.js'
import type { DemoWorld } from './world.js'

/** How many statuses a shipment had so far. */
export function statusHistoryCount(world: DemoWorld, ordinal: number): number {
  return statusesOf(timelineOf(world, ordinal, routeOf(world, ordinal))).length
}

/** Rows of HubShipmentStatusHistories of one shipment. */
export function* statusHistoryRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const timeline = timelineOf(world, ordinal, routeOf(world, ordinal))
  const statuses = statusesOf(timeline)
  let time = timeline.created
  for (const [index, status] of statuses.entries()) {
    time = timeOf(timeline, statuses, index, time)
    yield {
      Id: demoId(Stream.StatusHistory, world.seed, ordinal, index),
      ShipmentId: shipmentId(world, ordinal),
      FromStatus: statuses[index - 1] ?? null,
      ToStatus: status,
      ChangeTime: new Date(time),
      Reason: status === ShipmentStatus.Cancelled ? 'Order withdrawn' : null,
      Source: EventSource.Manual,
      CreationTime: new Date(time),
    }
  }
}

/** The statuses of a shipment so far, in order. */
function statusesOf({ status, actualPickup }: Timeline): readonly ShipmentStatus[] {
  if (status === ShipmentStatus.Cancelled) return [ShipmentStatus.Draft, status]
  const passed: ShipmentStatus[] = []
  for (let step = ShipmentStatus.Draft; step <= status; step++)
    if (step !== ShipmentStatus.CargoReceived || actualPickup !== null) passed.push(step)
  return passed
}

/** When a status began: at its actual time, else halfway from the last change to the next actual time. */
function timeOf(
  timeline: Timeline,
  statuses: readonly ShipmentStatus[],
  index: number,
  last: number,
): number {
  if (index === 0) return timeline.created
  const own = actualTime(timeline, statuses[index] as ShipmentStatus)
  if (own !== null) return Math.max(own, last)
  const next = statuses.slice(index + 1).find((status) => actualTime(timeline, status) !== null)
  const end = next === undefined ? timeline.modified : (actualTime(timeline, next) as number)
  return Math.max(last, Math.floor((last + end) / 2))
}

function actualTime(timeline: Timeline, status: ShipmentStatus): number | null {
  switch (status) {
    case ShipmentStatus.CargoReceived:
      return timeline.actualPickup
    case ShipmentStatus.InTransit:
      return timeline.actualDeparture
    case ShipmentStatus.Arrived:
      return timeline.actualArrival
    case ShipmentStatus.Delivered:
      return timeline.actualDelivery
    default:
      return null
  }
}
