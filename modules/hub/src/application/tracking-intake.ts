import { Clock, Injectable, Settings } from '@keel/framework'
import { type NewRow, ReferenceSets } from '@keel/framework/data'
import {
  type CreateTrackingEventDto,
  EventCategory,
  EventClassifier,
  eventTypes,
  HubErrors,
  HubSettings,
  MilestoneCode,
  Severity,
  ShipmentStatus,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import type { ConsolLeg } from '../domain/consol.js'
import type { Refusal } from '../domain/lifecycle.js'
import { sequenceOf } from '../domain/milestone-plan.js'
import { Port } from '../domain/port.js'
import type { Shipment } from '../domain/shipment.js'
import {
  containerTimesOf,
  followingOf,
  isHeldByCustoms,
  type Journey,
  type TrackedMilestone,
  trackedMilestones,
} from '../domain/tracking.js'
import type { TrackingEvent } from '../domain/tracking-event.js'
import {
  ConsolLegStore,
  ConsolShipmentStore,
  ConsolStore,
  ContainerStore,
} from '../persistence/consol-stores.js'
import { ShipmentChildren } from '../persistence/shipment-children.js'
import { ShipmentMilestoneStore, ShipmentStore } from '../persistence/stores.js'
import { type EventSubject, TrackingEventStore } from '../persistence/tracking-stores.js'
import { sourceOfCaller } from './occurrence.js'
import { ShipmentLifecycle } from './shipment-lifecycle.js'
import { ShipmentRouting } from './shipment-routing.js'

const { DEP, ARV, TSA, TSD, PUP, GIN, DLV } = MilestoneCode

/** What became of events: how many were taken, how many had come before, and the others with their reasons. */
export interface Intake {
  readonly accepted: number
  readonly duplicates: number
  readonly refusals: readonly { readonly index: number; readonly refusal: Refusal }[]
}

/** A row for each shipment that an event is about. */
type EventRow = NewRow<TrackingEvent> & Pick<TrackingEvent, 'shipmentId' | 'source'>

/** Takes events of track and trace, and lets milestones, dates, exceptions and the status of shipments follow. */
@Injectable()
export class TrackingIntake {
  constructor(
    private readonly events: TrackingEventStore,
    private readonly shipments: ShipmentStore,
    private readonly milestones: ShipmentMilestoneStore,
    private readonly links: ConsolShipmentStore,
    private readonly legs: ConsolLegStore,
    private readonly consols: ConsolStore,
    private readonly containers: ContainerStore,
    private readonly children: ShipmentChildren,
    private readonly lifecycle: ShipmentLifecycle,
    private readonly routing: ShipmentRouting,
    private readonly references: ReferenceSets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Takes the events that name a shipment which the caller sees. Idempotent: an event with the source and the external id of one that came before is not taken again. */
  async take(inputs: readonly CreateTrackingEventDto[]): Promise<Intake> {
    const refusals: { index: number; refusal: Refusal }[] = []
    const rowsOf: EventRow[][] = []
    const subjects = new Map<string, Promise<Awaited<ReturnType<TrackingEventStore['shipmentsOf']>>>>()
    const ports = await this.references.matching(
      Port,
      'unLocode',
      inputs.flatMap(({ unLocode }) => unLocode ?? []),
    )
    for (const [index, input] of inputs.entries()) {
      const refuse = (code: string, data: Refusal['data'] = {}) =>
        refusals.push({ index, refusal: { code, data } })
      const { eventCategory, eventTypeCode, unLocode } = input
      const [portId = null] = unLocode ? ports.idsBy('unLocode', unLocode) : []
      if (!eventTypes[eventCategory].includes(eventTypeCode)) {
        refuse(HubErrors.UnknownEventType, { eventTypeCode })
        continue
      }
      if (unLocode && !portId) {
        refuse(HubErrors.UnknownPlace, { unLocode })
        continue
      }
      const subject = subjectOf(input)
      const key = JSON.stringify(subject)
      const found = subjects.get(key) ?? this.visibleShipmentsOf(subject)
      subjects.set(key, found)
      const rows = (await found).map(({ id, containerId }) => this.rowOf(input, id, containerId, portId))
      if (rows.length) rowsOf.push(rows)
      else refuse(HubErrors.UnknownReference)
    }
    const taken = await this.insertNew(rowsOf)
    const changed = [...new Set(taken.flat().map(({ shipmentId }) => shipmentId))].sort()
    for (const shipmentId of changed) await this.follow(shipmentId)
    const accepted = taken.filter((rows) => rows.length).length
    return { accepted, duplicates: rowsOf.length - accepted, refusals }
  }

  private async visibleShipmentsOf(subject: EventSubject | undefined) {
    if (!subject) return []
    const found = await this.events.shipmentsOf(subject)
    const visible = new Set((await this.shipments.withIds(found.map(({ id }) => id))).map(({ id }) => id))
    return found.filter(({ id }) => visible.has(id))
  }

  private rowOf(
    { source, eventCreatedTime, ...input }: CreateTrackingEventDto,
    shipmentId: string,
    containerId: string | null,
    portId: string | null,
  ): EventRow {
    const {
      shipmentReference: _r,
      masterBillNumber: _m,
      containerNumber: _c,
      unLocode: _u,
      ...values
    } = input
    return {
      ...values,
      shipmentId,
      containerId,
      portId,
      source: source ?? sourceOfCaller(),
      eventCreatedTime: eventCreatedTime ?? this.clock.now,
    }
  }

  /** Adds the rows that are not there yet. The shipments stay locked, so that of two calls with one event the second finds the row of the first. */
  private async insertNew(rowsOf: readonly EventRow[][]): Promise<EventRow[][]> {
    const ids = [...new Set(rowsOf.flat().map(({ shipmentId }) => shipmentId))]
    if (!ids.length) return []
    await this.shipments.lock(ids)
    const external = rowsOf.flat().flatMap(({ externalEventId }) => externalEventId ?? [])
    const seen = new Set((await this.events.withExternalIds(ids, external)).map(keyOf))
    const taken = rowsOf.map((rows) =>
      rows.filter((row) => {
        const key = keyOf(row)
        if (key && seen.has(key)) return false
        if (key) seen.add(key)
        return true
      }),
    )
    const legs = await this.legsOf(ids)
    for (const row of taken.flat())
      await this.events.insert({
        ...row,
        consolLegId: legOf(legs.get(row.shipmentId) ?? [], row)?.id ?? null,
      })
    return taken
  }

  /** Lets a shipment follow all of its events. */
  private async follow(shipmentId: string): Promise<void> {
    const events = await this.events.ofShipments([shipmentId])
    const legs = (await this.legsOf([shipmentId])).get(shipmentId) ?? []
    const milestones = trackedMilestones(events, journeyOf(legs, await this.shipments.get(shipmentId)))
    await this.followContainers(events)
    await this.moveLegs(legs, milestones)
    if (!legs.length) await this.moveDates(shipmentId, milestones)
    const shipment = await this.shipments.get(shipmentId)
    const { actions, refused } = followingOf(shipment, milestones, {
      now: this.clock.now,
      containersNotReady: await this.lifecycle.containersHeldBack(shipment),
      lacksProofOfDelivery: await this.settings.isOn(HubSettings.RequirePod),
    })
    for (const { action, time } of actions)
      await this.lifecycle.perform(shipmentId, action, { actualTime: time })
    await this.correctActualTimes(shipmentId, milestones)
    await this.reachMilestones(shipmentId, milestones)
    for (const action of refused)
      await this.raise(shipmentId, 'DOC', Severity.Info, `Track and trace: ${action} is not possible`)
    const isHeld = isHeldByCustoms(events)
    if (isHeld) await this.raise(shipmentId, 'CUH', Severity.Critical, heldByCustoms)
    else if (isHeld === false) await this.children.resolve(shipmentId, heldByCustoms, this.clock.now)
  }

  private async legsOf(shipmentIds: readonly string[]): Promise<ReadonlyMap<string, ConsolLeg[]>> {
    const links = await this.links.ofShipments(shipmentIds)
    const legs = await this.legs.ofConsols([...new Set(links.map(({ consolId }) => consolId))])
    const found = new Map<string, ConsolLeg[]>()
    for (const { shipmentId, consolId } of links) {
      const own = legs.filter((leg) => leg.consolId === consolId)
      found.set(shipmentId, [...(found.get(shipmentId) ?? []), ...own])
    }
    return found
  }

  /** Gives legs the times of their departures and arrivals, and lets all shipments on their consols follow. */
  private async moveLegs(legs: readonly ConsolLeg[], milestones: readonly TrackedMilestone[]): Promise<void> {
    const moved = new Set<string>()
    for (const [index, leg] of legs.entries()) {
      const departs = milestones.find((one) =>
        index === 0 ? one.code === DEP : one.code === TSD && one.portId === leg.departurePortId,
      )
      const arrives = milestones.find((one) =>
        index === legs.length - 1 ? one.code === ARV : one.code === TSA && one.portId === leg.arrivalPortId,
      )
      const actualDeparture = departs?.actualTime ?? leg.actualDeparture
      const actualArrival = arrives?.actualTime ?? leg.actualArrival
      const isInOrder = !actualDeparture || !actualArrival || actualArrival >= actualDeparture
      const changes = {
        estimatedDeparture: departs?.estimatedTime ?? departs?.plannedTime ?? leg.estimatedDeparture,
        estimatedArrival: arrives?.estimatedTime ?? arrives?.plannedTime ?? leg.estimatedArrival,
        ...(isInOrder && { actualDeparture, actualArrival }),
      }
      const isChanged = Object.entries(changes).some(
        ([name, time]) => Number(time) !== Number(leg[name as keyof typeof changes]),
      )
      if (!isChanged) continue
      await this.legs.update(leg, changes)
      moved.add(leg.consolId)
    }
    for (const consolId of moved) await this.moveConsol(consolId)
  }

  private async moveConsol(consolId: string): Promise<void> {
    const legs = await this.legs.ofConsols([consolId])
    const [consol] = await this.consols.everyWithIds([consolId])
    if (consol)
      await this.consols.update(consol, {
        estimatedDeparture: legs[0]?.estimatedDeparture ?? null,
        estimatedArrival: legs.at(-1)?.estimatedArrival ?? null,
      })
    await this.routing.derive((await this.links.ofConsol(consolId)).map(({ shipmentId }) => shipmentId))
  }

  /** Moves the estimated dates of a shipment without legs, unless its routing is overridden. */
  private async moveDates(shipmentId: string, milestones: readonly TrackedMilestone[]): Promise<void> {
    const shipment = await this.shipments.get(shipmentId)
    if (shipment.isRoutingOverridden) return
    const expected = (code: MilestoneCode) => {
      const milestone = milestones.find((one) => one.code === code)
      return milestone?.estimatedTime ?? milestone?.plannedTime
    }
    const [departure, arrival] = [expected(DEP), expected(ARV)]
    await this.routing.apply(shipment, {
      ...(departure && { estimatedDeparture: departure }),
      ...(arrival && { estimatedArrival: arrival }),
    })
  }

  /** Gives a shipment the actual times of steps that it has taken, as its latest events have them. */
  private async correctActualTimes(
    shipmentId: string,
    milestones: readonly TrackedMilestone[],
  ): Promise<void> {
    const shipment = await this.shipments.get(shipmentId)
    const { status } = shipment
    if (status === ShipmentStatus.Cancelled) return
    const actual = (code: MilestoneCode) =>
      milestones.find((one) => one.code === code && one.isReported)?.actualTime
    const pickup = actual(PUP) ?? actual(GIN)
    const [departure, arrival, delivery] = [actual(DEP), actual(ARV), actual(DLV)]
    await this.shipments.update(shipment, {
      ...(pickup && { actualPickup: pickup }),
      ...(departure && status >= ShipmentStatus.InTransit && { actualDeparture: departure }),
      ...(arrival && status >= ShipmentStatus.Arrived && { actualArrival: arrival }),
      ...(delivery && status >= ShipmentStatus.Delivered && { actualDelivery: delivery }),
    })
  }

  private async reachMilestones(shipmentId: string, tracked: readonly TrackedMilestone[]): Promise<void> {
    const rows = await this.milestones.ofShipment(shipmentId)
    for (const { code, portId, plannedTime, estimatedTime, actualTime, source, eventPortId } of tracked) {
      const times = {
        ...(plannedTime && { plannedTime }),
        ...(estimatedTime && { estimatedTime }),
        ...(actualTime && { actualTime }),
      }
      const row = rows.find((one) => one.code === code && (portId === null || one.portId === portId))
      const place = portId ?? (actualTime ? eventPortId : null)
      if (row) await this.milestones.update(row, { ...times, source, ...(place && { portId: place }) })
      else
        await this.milestones.insert({
          shipmentId,
          code,
          sequence: sequenceOf(code),
          portId: place,
          ...times,
          source,
        })
    }
  }

  private async followContainers(events: readonly TrackingEvent[]): Promise<void> {
    for (const containerId of new Set(events.flatMap((event) => event.containerId ?? []))) {
      const times = containerTimesOf(events.filter((event) => event.containerId === containerId))
      const container = await this.containers.find(containerId)
      if (container && Object.keys(times).length) await this.containers.update(container, times)
    }
  }

  /** Raises an exception, unless the shipment has one that is open and says the same. */
  private async raise(
    shipmentId: string,
    type: string,
    severity: Severity,
    description: string,
  ): Promise<void> {
    if (await this.children.isRaised(shipmentId, description)) return
    const codes = await this.references.matching(CodeEntity, 'code', [type])
    const exceptionTypeId = codes
      .idsBy('code', type)
      .find((id) => codes.value(id, 'type') === 'ExceptionType')
    if (!exceptionTypeId) return
    await this.children.raise({
      shipmentId,
      exceptionTypeId,
      severity,
      raisedTime: this.clock.now,
      description,
    })
  }
}

const heldByCustoms = 'Track and trace: held by customs'

function keyOf({
  source,
  externalEventId,
  shipmentId,
}: Pick<EventRow, 'source' | 'externalEventId' | 'shipmentId'>): string | undefined {
  return externalEventId ? `${source}:${shipmentId}:${externalEventId}` : undefined
}

/** The one thing by which an event names its shipments; undefined when it names none. */
function subjectOf(input: CreateTrackingEventDto): EventSubject | undefined {
  const { shipmentId, shipmentReference, masterBillNumber, containerNumber } = input
  // With a container beside, the event is about the container of that shipment.
  if (shipmentId) return { shipmentId, containerNumber }
  if (shipmentReference) return { shipmentReference, containerNumber }
  if (masterBillNumber) return { masterBillNumber, containerNumber }
  return containerNumber ? { containerNumber } : undefined
}

/** The ports of the legs, else those of the shipment. */
function journeyOf(legs: readonly ConsolLeg[], shipment: Shipment): Journey {
  const [first] = legs
  if (first) return [first.departurePortId, ...legs.map(({ arrivalPortId }) => arrivalPortId)]
  const { firstConsolLegDeparturePortId, lastConsolLegArrivalPortId } = shipment
  return [firstConsolLegDeparturePortId, lastConsolLegArrivalPortId].filter((port) => port !== null)
}

/** The leg that a departure or an arrival is about. */
function legOf(legs: readonly ConsolLeg[], event: EventRow): ConsolLeg | undefined {
  if (event.eventCategory !== EventCategory.Transport || event.classifier === EventClassifier.Requested)
    return undefined
  const port = event.eventTypeCode === 'DEPA' ? 'departurePortId' : 'arrivalPortId'
  return legs.find((leg) => leg[port] === event.portId)
}
