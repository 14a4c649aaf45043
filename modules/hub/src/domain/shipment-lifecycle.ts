import {
  AddressRole,
  forcedCancellations,
  HubErrors,
  type ShipmentStatus,
  shipmentMoves,
} from '../contracts/index.js'
import { firstRefusal, type Guard, type Refusal, type Transition, targetOfMove } from './lifecycle.js'
import type { Shipment } from './shipment.js'

/** The facts, beside the shipment, that guards look at. */
export interface TransitionFacts {
  /** When the action took place. */
  readonly time: Date
  readonly now: Date
  /** The roles that parties play on the shipment. */
  readonly roles: ReadonlySet<AddressRole>
  /** The codes of the types of critical exceptions that are not resolved. */
  readonly criticalExceptions: readonly string[]
  /** True when it travels on a consol that has legs. */
  readonly isRouted: boolean
  /** True when a proof of delivery is demanded and the action brings none. */
  readonly lacksProofOfDelivery: boolean
  /** How many of its charges are neither approved nor cancelled. */
  readonly openCharges: number
  /** Containers that must not depart yet: their numbers, or their ids where they have none. */
  readonly containersNotReady: readonly string[]
}

/** An action that changes the status of a shipment. */
export interface ShipmentTransition extends Transition<ShipmentStatus, Shipment, TransitionFacts> {
  /** The member that takes the time of the action. */
  readonly sets?: 'actualPickup' | 'actualDeparture' | 'actualArrival' | 'actualDelivery'
}

const hourMs = 3_600_000

/** An actual time may lie this far ahead: clocks and time zones differ. */
const aheadMs = 24 * hourMs

/** The transitions of shipments by their action. Actions not named here leave the status as it is. */
export const shipmentTransitions = {
  book: { moves: shipmentMoves.book, guards: [isReadyToBook] },
  confirm: { moves: shipmentMoves.confirm, guards: [isReadyToConfirm, arrivesAfterDeparture] },
  receiveCargo: { moves: shipmentMoves.receiveCargo, guards: [hasHappened], sets: 'actualPickup' },
  depart: {
    moves: shipmentMoves.depart,
    guards: [isNotOnHold, hasHappened, hasReadyContainers],
    sets: 'actualDeparture',
  },
  arrive: { moves: shipmentMoves.arrive, guards: [hasHappened, hasDepartedBefore], sets: 'actualArrival' },
  clearCustoms: { moves: shipmentMoves.clearCustoms, guards: [hasHappened] },
  dispatchDelivery: { moves: shipmentMoves.dispatchDelivery, guards: [isNotOnHold, isNotHeldByCustoms] },
  deliver: {
    moves: shipmentMoves.deliver,
    guards: [hasHappened, hasArrivedBefore, hasProofOfDelivery],
    sets: 'actualDelivery',
  },
  complete: { moves: shipmentMoves.complete, guards: [hasNoCriticalException, hasApprovedCharges] },
  cancel: { moves: shipmentMoves.cancel, forcedMoves: forcedCancellations, guards: [] },
  reopen: { moves: shipmentMoves.reopen, guards: [] },
} as const satisfies Record<string, ShipmentTransition>

/** The names of the actions that change the status, as routes and events have them. */
export type ShipmentAction = keyof typeof shipmentTransitions

/** The status that an action leads to; undefined where it is not possible. */
export function targetOf(
  action: ShipmentAction,
  from: ShipmentStatus,
  mayForce: boolean,
): ShipmentStatus | undefined {
  return targetOfMove<ShipmentStatus>(shipmentTransitions[action], from, mayForce)
}

/** The refusal of the first guard that says no. */
export function refusalOf(
  action: ShipmentAction,
  shipment: Shipment,
  facts: TransitionFacts,
): Refusal | undefined {
  const guards: readonly Guard<Shipment, TransitionFacts>[] = shipmentTransitions[action].guards
  return firstRefusal(guards, shipment, facts)
}

/** Refuses a booking without modes, ports, consignor, consignee, or a date of cargo or departure. */
function isReadyToBook(shipment: Shipment, { roles }: TransitionFacts): Refusal | undefined {
  const fields = missingOf(shipment, [
    'transportModeId',
    'containerModeId',
    'firstConsolLegDeparturePortId',
    'lastConsolLegArrivalPortId',
  ])
  if (!shipment.cargoReadyDate && !shipment.estimatedDeparture) fields.push('estimatedDeparture')
  if (!roles.has(AddressRole.Consignor)) fields.push('addresses.Consignor')
  if (!roles.has(AddressRole.Consignee)) fields.push('addresses.Consignee')
  return fields.length ? lacking(HubErrors.MissingForBooking, fields) : undefined
}

/** Refuses a confirmation without both dates, or with neither the carrier's booking nor a consol that has legs. */
function isReadyToConfirm(shipment: Shipment, { isRouted }: TransitionFacts): Refusal | undefined {
  const fields = missingOf(shipment, ['estimatedDeparture', 'estimatedArrival'])
  if (!isRouted) fields.push(...missingOf(shipment, ['bookingReference']))
  return fields.length ? lacking(HubErrors.MissingForConfirmation, fields) : undefined
}

/** The labels of what is missing, as forms have them. */
const labels: Readonly<Record<string, string>> = {
  transportModeId: 'DisplayName:Shipment:TransportMode',
  containerModeId: 'DisplayName:Shipment:ContainerMode',
  firstConsolLegDeparturePortId: 'DisplayName:Shipment:FirstConsolLegDeparturePort',
  lastConsolLegArrivalPortId: 'DisplayName:Shipment:LastConsolLegArrivalPort',
  estimatedDeparture: 'DisplayName:Shipment:EstimatedDeparture',
  estimatedArrival: 'DisplayName:Shipment:EstimatedArrival',
  bookingReference: 'DisplayName:Shipment:BookingReference',
  'addresses.Consignor': `Enum:AddressRole.${AddressRole.Consignor}`,
  'addresses.Consignee': `Enum:AddressRole.${AddressRole.Consignee}`,
}

function lacking(code: string, fields: readonly string[]): Refusal {
  return { code, data: { fields }, words: { fields: fields.map((field) => labels[field] ?? field) } }
}

function missingOf(shipment: Shipment, members: readonly (keyof Shipment & string)[]): string[] {
  return members.filter((member) => !shipment[member])
}

function arrivesAfterDeparture({ estimatedDeparture, estimatedArrival }: Shipment): Refusal | undefined {
  return isBefore(estimatedArrival, estimatedDeparture, true)
    ? arrivalTooEarly(estimatedArrival, estimatedDeparture)
    : undefined
}

function hasDepartedBefore({ actualDeparture }: Shipment, { time }: TransitionFacts): Refusal | undefined {
  return isBefore(time, actualDeparture) ? arrivalTooEarly(time, actualDeparture) : undefined
}

function arrivalTooEarly(arrival: Date | null, departure: Date | null): Refusal {
  const data = { arrival: arrival?.toISOString(), departure: departure?.toISOString() }
  return { code: HubErrors.ArrivalBeforeDeparture, data }
}

function hasArrivedBefore({ actualArrival }: Shipment, { time }: TransitionFacts): Refusal | undefined {
  if (!isBefore(time, actualArrival)) return undefined
  const data = { delivery: time.toISOString(), arrival: actualArrival?.toISOString() }
  return { code: HubErrors.DeliveryBeforeArrival, data }
}

/** True when both are known and the first lies before the second, or, with `orSame`, at the same instant. */
function isBefore(first: Date | null, second: Date | null, orSame = false): boolean {
  if (!first || !second) return false
  return orSame ? first.getTime() <= second.getTime() : first.getTime() < second.getTime()
}

/** True for an actual time that lies further ahead than clocks and time zones differ. */
export function isTooFarAhead(time: Date, now: Date): boolean {
  return time.getTime() > now.getTime() + aheadMs
}

function hasHappened(_: Shipment, { time, now }: TransitionFacts): Refusal | undefined {
  return isTooFarAhead(time, now)
    ? { code: HubErrors.ActualTimeInFuture, data: { actualTime: time.toISOString() } }
    : undefined
}

function isNotOnHold({ isOnHold, holdReason }: Shipment): Refusal | undefined {
  return isOnHold ? { code: HubErrors.ShipmentOnHold, data: { reason: holdReason } } : undefined
}

function isNotHeldByCustoms(_: Shipment, { criticalExceptions }: TransitionFacts): Refusal | undefined {
  return criticalExceptions.includes('CUH') ? openException(['CUH']) : undefined
}

function hasNoCriticalException(_: Shipment, { criticalExceptions }: TransitionFacts): Refusal | undefined {
  return criticalExceptions.length ? openException(criticalExceptions) : undefined
}

function hasApprovedCharges(_: Shipment, { openCharges: count }: TransitionFacts): Refusal | undefined {
  return count ? { code: HubErrors.ChargesNotApproved, data: { count } } : undefined
}

function openException(types: readonly string[]): Refusal {
  return { code: HubErrors.OpenCriticalException, data: { types: [...new Set(types)] } }
}

function hasReadyContainers(_: Shipment, { containersNotReady }: TransitionFacts): Refusal | undefined {
  return containersNotReady.length
    ? { code: HubErrors.ContainersNotReady, data: { containers: containersNotReady.join(', ') } }
    : undefined
}

function hasProofOfDelivery(_: Shipment, { lacksProofOfDelivery }: TransitionFacts): Refusal | undefined {
  return lacksProofOfDelivery ? { code: HubErrors.PodRequired, data: {} } : undefined
}
