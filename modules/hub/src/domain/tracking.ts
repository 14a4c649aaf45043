import {
  EmptyIndicator,
  EventCategory,
  EventClassifier,
  EventSource,
  MilestoneCode,
  ShipmentStatus,
} from '../contracts/enumerations.js'
import type { Shipment } from './shipment.js'
import { refusalOf, type TransitionFacts, targetOf } from './shipment-lifecycle.js'

const { BKD, BKC, PUP, GIN, LOD, DEP, TSA, TSD, ARV, DIS, CCI, GOU, DLV, EMR } = MilestoneCode

/** An event of track and trace as far as its meaning goes. */
export interface TrackedEvent {
  readonly id: string
  readonly eventCategory: EventCategory
  readonly eventTypeCode: string
  readonly classifier: EventClassifier
  readonly eventTime: Date
  /** When its sender wrote it: of two on one thing the later one counts. */
  readonly eventCreatedTime: Date
  readonly portId: string | null
  readonly facilityTypeCode: string | null
  readonly documentTypeCode: string | null
  readonly emptyIndicator: EmptyIndicator | null
  readonly source: EventSource
}

/** The ports of a shipment in the order of its journey, each once. */
export type Journey = readonly string[]

/** A milestone, and the port where it is reached in transhipment. */
interface Reached {
  readonly code: MilestoneCode
  readonly portId: string | null
}

/** A milestone with the times that events give it. */
export interface TrackedMilestone extends Reached {
  readonly plannedTime?: Date
  readonly estimatedTime?: Date
  readonly actualTime?: Date
  /** Of the event that gave the surest time. */
  readonly source: EventSource
  /** The port of the event that gave the surest time. */
  readonly eventPortId: string | null
  /** True when an event that no person entered gave the actual time: then the shipment follows by itself. */
  readonly isReported: boolean
}

/** The milestone that an event is about (domain model, section 2.7); undefined for events about none, and for ports that are not on the journey. */
export function milestoneOf(event: TrackedEvent, journey: Journey): Reached | undefined {
  const { eventCategory, eventTypeCode: type, documentTypeCode: document } = event
  switch (eventCategory) {
    case EventCategory.Shipment:
      if (document === 'BKG' && type === 'REQS') return everywhere(BKD)
      if (document === 'BKG' && type === 'CONF') return everywhere(BKC)
      return document === 'CUS' && type === 'RELS' ? everywhere(CCI) : undefined
    case EventCategory.Transport:
      return transportMilestone(event, journey)
    default:
      return equipmentMilestone(event, journey)
  }
}

function transportMilestone({ eventTypeCode, portId }: TrackedEvent, journey: Journey): Reached | undefined {
  const place = portId === null ? -1 : journey.indexOf(portId)
  const last = journey.length - 1
  if (eventTypeCode === 'DEPA') {
    if (place === 0 || (portId === null && last <= 1)) return everywhere(DEP)
    return place > 0 && place < last ? { code: TSD, portId } : undefined
  }
  if (eventTypeCode !== 'ARRI') return undefined
  if ((place === last && last > 0) || (portId === null && last <= 1)) return everywhere(ARV)
  return place > 0 ? { code: TSA, portId } : undefined
}

function equipmentMilestone(event: TrackedEvent, journey: Journey): Reached | undefined {
  const { eventTypeCode, facilityTypeCode: facility, emptyIndicator, portId } = event
  const isEmpty = emptyIndicator === EmptyIndicator.Empty
  const isAt = (port: string | undefined) => portId === null || portId === port
  switch (eventTypeCode) {
    case 'PICK':
      return everywhere(PUP)
    case 'GTOT':
      if (facility === 'CLOC') return everywhere(PUP)
      return !isEmpty && isAt(journey.at(-1)) ? everywhere(GOU) : undefined
    case 'GTIN':
      if (isEmpty) return facility === 'DEPO' ? everywhere(EMR) : undefined
      return (facility === 'POTE' || facility === 'DEPO') && isAt(journey[0]) ? everywhere(GIN) : undefined
    case 'LOAD':
      return isAt(journey[0]) ? everywhere(LOD) : undefined
    case 'DISC':
      return isAt(journey.at(-1)) ? everywhere(DIS) : undefined
    case 'DROP':
    case 'STRP':
      return facility === 'CLOC' ? everywhere(DLV) : undefined
    default:
      return undefined
  }
}

const everywhere = (code: MilestoneCode): Reached => ({ code, portId: null })

/**
 * The milestones that the events of a shipment tell, whatever the order in which they came: of each milestone and classifier the event
 * counts that was written last. Planned and estimated times stand beside the actual one, never in its place.
 */
export function trackedMilestones(events: readonly TrackedEvent[], journey: Journey): TrackedMilestone[] {
  const winners = new Map<string, { reached: Reached; times: Map<EventClassifier, TrackedEvent> }>()
  for (const event of events) {
    const reached = milestoneOf(event, journey)
    if (!reached || event.classifier === EventClassifier.Requested) continue
    const key = `${reached.code}:${reached.portId}`
    const winner = winners.get(key) ?? { reached, times: new Map() }
    winners.set(key, winner)
    const before = winner.times.get(event.classifier)
    if (!before || isLater(event, before)) winner.times.set(event.classifier, event)
  }
  return [...winners.values()].map(({ reached, times }) => {
    const planned = times.get(EventClassifier.Planned)
    const estimated = times.get(EventClassifier.Estimated)
    const actual = times.get(EventClassifier.Actual)
    const surest = (actual ?? estimated ?? planned) as TrackedEvent
    return {
      ...reached,
      ...(planned && { plannedTime: planned.eventTime }),
      ...(estimated && { estimatedTime: estimated.eventTime }),
      ...(actual && { actualTime: actual.eventTime }),
      source: surest.source,
      eventPortId: surest.portId,
      isReported: !!actual && actual.source !== EventSource.Manual,
    }
  })
}

/** Later written; of two written at once the one with the later time, then with the greater id, so that all orders give the same. */
export function isLater(one: TrackedEvent, other: TrackedEvent): boolean {
  return (
    (one.eventCreatedTime.getTime() - other.eventCreatedTime.getTime() ||
      one.eventTime.getTime() - other.eventTime.getTime() ||
      (one.id > other.id ? 1 : -1)) > 0
  )
}

/** True while customs hold a shipment: the latest actual hold or release of customs is a hold. Undefined without any. */
export function isHeldByCustoms(events: readonly TrackedEvent[]): boolean | undefined {
  let latest: TrackedEvent | undefined
  for (const event of events) {
    const { eventCategory, eventTypeCode, documentTypeCode, classifier } = event
    const isAbout =
      eventCategory === EventCategory.Shipment &&
      documentTypeCode === 'CUS' &&
      classifier === EventClassifier.Actual &&
      (eventTypeCode === 'HOLD' || eventTypeCode === 'RELS')
    if (isAbout && (!latest || isLaterOnWay(event, latest))) latest = event
  }
  return latest && latest.eventTypeCode === 'HOLD'
}

function isLaterOnWay(one: TrackedEvent, other: TrackedEvent): boolean {
  const difference = one.eventTime.getTime() - other.eventTime.getTime()
  return difference === 0 ? isLater(one, other) : difference > 0
}

/** The actions that shipments take by themselves when their events tell so, in the order of the journey. */
const followingActions = [
  ['depart', DEP, ShipmentStatus.InTransit],
  ['arrive', ARV, ShipmentStatus.Arrived],
  ['clearCustoms', CCI, ShipmentStatus.CustomsCleared],
  ['deliver', DLV, ShipmentStatus.Delivered],
] as const

/** An action that follows from events. */
export type FollowingAction = (typeof followingActions)[number][0]

/** The actions that a shipment takes now, each with its time, and those that events tell but its state refuses. */
export interface Following {
  readonly actions: readonly { readonly action: FollowingAction; readonly time: Date }[]
  readonly refused: readonly FollowingAction[]
}

/** The members of a shipment that decide which actions follow. */
export type FollowedShipment = Pick<Shipment, 'status' | 'isOnHold' | 'actualDeparture' | 'actualArrival'>

/** The actions that follow from milestones (domain model, section 2.1, automatic transitions). */
export function followingOf(
  shipment: FollowedShipment,
  milestones: readonly TrackedMilestone[],
  facts: Pick<TransitionFacts, 'now' | 'lacksProofOfDelivery' | 'containersNotReady'>,
): Following {
  const actions: { action: FollowingAction; time: Date }[] = []
  const refused: FollowingAction[] = []
  // Member by member: a row that was loaded has its values behind getters, which a spread does not copy.
  const { isOnHold, actualDeparture, actualArrival, status } = shipment
  const state = { isOnHold, actualDeparture, actualArrival, status }
  for (const [action, code, reaches] of followingActions) {
    const time = milestones.find((one) => one.code === code && one.isReported)?.actualTime
    if (!time || state.status >= reaches) continue
    const to = targetOf(action, state.status, false)
    const others = { time, roles: new Set<never>(), criticalExceptions: [], isRouted: false, openCharges: 0 }
    if (to === undefined || refusalOf(action, state as Shipment, { ...facts, ...others })) {
      refused.push(action)
      continue
    }
    actions.push({ action, time })
    state.status = to
    if (action === 'depart') state.actualDeparture = time
    if (action === 'arrive') state.actualArrival = time
  }
  return { actions, refused }
}

/** The times of a container that events give. */
export type ContainerTime =
  | 'emptyPickupTime'
  | 'gateInTime'
  | 'loadedTime'
  | 'dischargedTime'
  | 'gateOutTime'
  | 'emptyReturnTime'

/** The times of a container that its actual events tell, of each the one that was written last. */
export function containerTimesOf(events: readonly TrackedEvent[]): Partial<Record<ContainerTime, Date>> {
  const winners = new Map<ContainerTime, TrackedEvent>()
  for (const event of events) {
    const time = containerTimeOf(event)
    const before = time && winners.get(time)
    if (time && (!before || isLater(event, before))) winners.set(time, event)
  }
  return Object.fromEntries([...winners].map(([time, { eventTime }]) => [time, eventTime]))
}

function containerTimeOf(event: TrackedEvent): ContainerTime | undefined {
  const { eventCategory, classifier, eventTypeCode, emptyIndicator } = event
  if (eventCategory !== EventCategory.Equipment || classifier !== EventClassifier.Actual) return undefined
  const isEmpty = emptyIndicator === EmptyIndicator.Empty
  switch (eventTypeCode) {
    case 'LOAD':
      return 'loadedTime'
    case 'DISC':
      return 'dischargedTime'
    case 'GTIN':
      return isEmpty ? 'emptyReturnTime' : 'gateInTime'
    case 'GTOT':
      return isEmpty ? 'emptyPickupTime' : 'gateOutTime'
    default:
      return undefined
  }
}
