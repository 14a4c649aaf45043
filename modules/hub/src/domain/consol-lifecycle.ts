import { type ConsolStatus, consolMoves, HubErrors, ShipmentStatus } from '../contracts/index.js'
import type { Consol } from './consol.js'
import type { Refusal, Transition } from './lifecycle.js'
import { isTooFarAhead } from './shipment-lifecycle.js'

/** The facts, beside the consol, that guards look at. */
export interface ConsolFacts {
  readonly time: Date
  readonly now: Date
  readonly legs: number
  /** The statuses of the shipments on it. */
  readonly shipmentStatuses: readonly ShipmentStatus[]
  /** How many of its containers have not left the terminal. */
  readonly containersInside: number
}

/** The transitions of consols by their action (domain model, section 2.4). */
export const consolTransitions = {
  book: { moves: consolMoves.book, guards: [hasLegsAndCarrier] },
  close: { moves: consolMoves.close, guards: [hasShipmentsAndBill] },
  depart: { moves: consolMoves.depart, guards: [hasHappened] },
  arrive: { moves: consolMoves.arrive, guards: [hasHappened, hasDepartedBefore] },
  complete: { moves: consolMoves.complete, guards: [containersAreOut] },
  cancel: { moves: consolMoves.cancel, guards: [shipmentsWait] },
} as const satisfies Record<string, Transition<ConsolStatus, Consol, ConsolFacts>>

/** The names of the actions, as routes have them. */
export type ConsolAction = keyof typeof consolTransitions

function hasLegsAndCarrier({ carrierId }: Consol, { legs }: ConsolFacts): Refusal | undefined {
  return incomplete([...(legs ? [] : ['legs']), ...(carrierId ? [] : ['carrierId'])])
}

function hasShipmentsAndBill(consol: Consol, { shipmentStatuses }: ConsolFacts): Refusal | undefined {
  const { masterBillNumber } = consol
  return incomplete([
    ...(shipmentStatuses.length ? [] : ['shipments']),
    ...(masterBillNumber ? [] : ['masterBillNumber']),
  ])
}

/** The labels of what is missing. */
const labels: Readonly<Record<string, string>> = {
  legs: 'Hub:Consol:Legs',
  shipments: 'Hub:Consol:Shipments',
  carrierId: 'Entity:Carrier',
  masterBillNumber: 'DisplayName:Shipment:MasterBillNumber',
}

function incomplete(fields: readonly string[]): Refusal | undefined {
  if (!fields.length) return undefined
  const words = { fields: fields.map((field) => labels[field] ?? field) }
  return { code: HubErrors.ConsolIncomplete, data: { fields }, words }
}

function hasHappened(_: Consol, { time, now }: ConsolFacts): Refusal | undefined {
  const data = { actualTime: time.toISOString() }
  return isTooFarAhead(time, now) ? { code: HubErrors.ActualTimeInFuture, data } : undefined
}

function hasDepartedBefore({ actualDeparture }: Consol, { time }: ConsolFacts): Refusal | undefined {
  if (!actualDeparture || time >= actualDeparture) return undefined
  const data = { arrival: time.toISOString(), departure: actualDeparture.toISOString() }
  return { code: HubErrors.ArrivalBeforeDeparture, data }
}

function containersAreOut(_: Consol, { containersInside: count }: ConsolFacts): Refusal | undefined {
  return count ? { code: HubErrors.ContainersInside, data: { count } } : undefined
}

function shipmentsWait(_: Consol, { shipmentStatuses }: ConsolFacts): Refusal | undefined {
  const moving = shipmentStatuses.filter(
    (status) => status > ShipmentStatus.Confirmed && status !== ShipmentStatus.Cancelled,
  )
  return moving.length
    ? { code: HubErrors.ConsolShipmentsUnderway, data: { count: moving.length } }
    : undefined
}
