import { EventSource, MilestoneCode, ShipmentStatus } from '../../contracts/enumerations.js'
import { type MilestoneName, sequenceOf } from '../../domain/milestone-plan.js'
import { codeEntities } from '../reference/code-entities.js'
import type { DemoRow } from './demo-table.js'
import { demoId, Stream } from './random.js'
import { portIdOf } from './reference-ids.js'
import { type DemoMode, type Route, routeOf } from './route.js'
import { shipmentId } from './shipments.js'
import { isCancelled, phaseOf, type Timeline, timelineOf } from './timeline.js'
import type { DemoWorld } from './world.js'

const { BKD, BKC, CRD, PUP, GIN, LOD, DEP, ARV, DIS, CCI, GOU, DLV, EMR } = MilestoneCode

/** The milestones of a mode; pick-ups need a door, which shipments of demo data do not tell. */
function templateOf(mode: DemoMode, isFullContainer: boolean): readonly MilestoneCode[] {
  const { attributes } =
    codeEntities.find(({ type, code }) => type === 'TransportMode' && code === mode) ?? {}
  return (attributes?.milestones ?? [])
    .map((name) => MilestoneCode[name as MilestoneName])
    .filter((code) => code !== PUP && (code !== EMR || isFullContainer))
}

const modes: readonly DemoMode[] = ['Sea', 'Air', 'Road', 'Rail']
const templates = new Map(
  modes.flatMap((mode) =>
    [true, false].map((isFull) => [`${mode}:${isFull}`, templateOf(mode, isFull)] as const),
  ),
)

function codesOf({ mode, containerMode }: Route): readonly MilestoneCode[] {
  return templates.get(`${mode}:${containerMode === 'FCL'}`) ?? []
}

/** How many milestones a shipment has: none before it is booked. */
export function milestoneCount(world: DemoWorld, ordinal: number): number {
  if (phaseOf(world, ordinal) === 'Draft' || isCancelled(world, ordinal)) return 0
  return codesOf(routeOf(world, ordinal)).length
}

/** Rows of HubShipmentMilestones of one shipment. */
export function* milestoneRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  if (phaseOf(world, ordinal) === 'Draft' || isCancelled(world, ordinal)) return
  const route = routeOf(world, ordinal)
  const timeline = timelineOf(world, ordinal, route)
  for (const code of codesOf(route)) {
    const planned = plannedTime(code, timeline)
    yield {
      Id: demoId(Stream.Milestone, world.seed, ordinal, code),
      ShipmentId: shipmentId(world, ordinal),
      Code: code,
      Sequence: sequenceOf(code),
      PortId: code === DEP ? portIdOf(route.from) : code === ARV ? portIdOf(route.to) : null,
      PlannedTime: dateOf(planned),
      EstimatedTime: dateOf(planned),
      ActualTime: dateOf(actualTime(code, timeline)),
      Source: EventSource.System,
      CreationTime: new Date(timeline.created),
    }
  }
}

function plannedTime(code: MilestoneCode, timeline: Timeline): number | null {
  if (code === CRD) return timeline.cargoReady
  if (code === DEP) return timeline.estimatedDeparture
  if (code === ARV) return timeline.estimatedArrival
  return code === DLV ? timeline.estimatedDelivery : null
}

function actualTime(code: MilestoneCode, timeline: Timeline): number | null {
  const { status, created, modified } = timeline
  switch (code) {
    case BKD:
      return created
    case BKC:
      return status >= ShipmentStatus.Confirmed ? Math.min(created + 3_600_000, modified) : null
    case CRD:
    case GIN:
      return timeline.actualPickup
    case LOD:
    case DEP:
      return timeline.actualDeparture
    case ARV:
    case DIS:
      return timeline.actualArrival
    case CCI:
      return status >= ShipmentStatus.CustomsCleared ? timeline.actualArrival : null
    case GOU:
    case DLV:
      return timeline.actualDelivery
    case EMR:
      return status === ShipmentStatus.Completed ? modified : null
    default:
      return null
  }
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time)
}
