import { ShipmentStatus } from '../../contracts/enumerations.js'
import { type Draws, Stream } from './random.js'
import type { Route } from './route.js'
import { type DemoWorld, dayMs, drawsFor, pastDeparture } from './world.js'

/** Where a shipment stands between its first draft and its completion, counted from "now". */
export type Phase = 'Past' | 'InTransit' | 'Ahead' | 'Draft'

/** The dates of a shipment in ms, whole minutes, null where unknown or in the future, and its status. */
export interface Timeline {
  status: ShipmentStatus
  created: number
  modified: number
  cargoReady: number | null
  estimatedPickup: number | null
  actualPickup: number | null
  estimatedDeparture: number | null
  actualDeparture: number | null
  estimatedArrival: number | null
  actualArrival: number | null
  estimatedDelivery: number | null
  actualDelivery: number | null
}

/** The oldest shipments have the lowest ordinals, drafts the highest. */
export function phaseOf(world: DemoWorld, ordinal: number): Phase {
  const place = (ordinal + 0.5) / world.shipments
  if (place < 0.65) return 'Past'
  if (place < 0.75) return 'InTransit'
  if (place < 0.93) return 'Ahead'
  return 'Draft'
}

export function isCancelled(world: DemoWorld, ordinal: number): boolean {
  return drawsFor(world, Stream.Fate, ordinal).chance(0.03)
}

export function timelineOf(world: DemoWorld, ordinal: number, route: Route): Timeline {
  const draws = drawsFor(world, Stream.Timeline, ordinal)
  const phase = phaseOf(world, ordinal)
  const cancelled = isCancelled(world, ordinal)
  if (phase === 'Draft') return draftTimeline(world, draws, cancelled)

  const delays = drawDelays(route, draws)
  const place = (ordinal + draws.unit()) / world.shipments
  const departure = estimatedDeparture(world, phase, place, route, delays, draws)
  const arrival = departure + route.transitDays * dayMs
  const leadDays = clamp(draws.logNormal(route.mode === 'Sea' ? 18 : 7, 0.5), 1, 75)
  const created = Math.min(departure - leadDays * dayMs, world.now - draws.between(0.1, 3) * dayMs)
  const readyDays = Math.min(
    route.mode === 'Sea' ? draws.between(2, 9) : draws.between(0.5, 3),
    leadDays * 0.8,
  )
  const ready = departure - readyDays * dayMs
  const pickup = departure - readyDays * draws.between(0.4, 0.9) * dayMs
  const happened = cancelled
    ? happenedNothing(ShipmentStatus.Cancelled)
    : whatHappened(world, phase, { departure, arrival, pickup }, delays, draws)
  const { actualPickup, actualDeparture, actualArrival, actualDelivery } = happened
  const last = actualDelivery ?? actualArrival ?? actualDeparture ?? actualPickup ?? created
  // Every field by hand: spreading objects costs more than all the rest, and this runs by the million.
  return {
    status: happened.status,
    created: minute(created),
    modified: minute(Math.min(last + draws.between(0.02, 1) * dayMs, world.now)),
    cargoReady: draws.optional(minute(ready)),
    estimatedPickup: draws.optional(minute(pickup)),
    actualPickup,
    estimatedDeparture: minute(departure),
    actualDeparture,
    estimatedArrival: minute(arrival),
    actualArrival,
    estimatedDelivery: draws.optional(minute(arrival + draws.between(1.5, 5) * dayMs)),
    actualDelivery,
  }
}

interface Happened {
  status: ShipmentStatus
  actualPickup: number | null
  actualDeparture: number | null
  actualArrival: number | null
  actualDelivery: number | null
}

function happenedNothing(status: ShipmentStatus): Happened {
  return { status, actualPickup: null, actualDeparture: null, actualArrival: null, actualDelivery: null }
}

function draftTimeline(world: DemoWorld, draws: Draws, cancelled: boolean): Timeline {
  const created = minute(world.now - draws.between(0.01, 30) * dayMs)
  return {
    status: cancelled ? ShipmentStatus.Cancelled : ShipmentStatus.Draft,
    created,
    modified: minute(Math.min(created + draws.between(0, 2) * dayMs, world.now)),
    cargoReady: draws.chance(0.5) ? minute(world.now + draws.between(1, 45) * dayMs) : null,
    estimatedPickup: null,
    actualPickup: null,
    estimatedDeparture: null,
    actualDeparture: null,
    estimatedArrival: null,
    actualArrival: null,
    estimatedDelivery: null,
    actualDelivery: null,
  }
}

/** How many days the real departure and the real arrival lag behind the estimated ones. */
interface Delays {
  departure: number
  arrival: number
}

/** Sea: half of all arrivals are at most 0.6 days late, 8 % more than 5 days. */
function drawDelays(route: Route, draws: Draws): Delays {
  const departure = Math.min(draws.logNormal(0.15, 1), 5)
  const late = Math.min(draws.logNormal(0.6, 1.509), 25) * (route.mode === 'Sea' ? 1 : 0.3)
  // Nobody makes up more than 40 % of the planned transit time.
  return { departure, arrival: Math.max(late, departure - route.transitDays * 0.4) }
}

function estimatedDeparture(
  world: DemoWorld,
  phase: Phase,
  place: number,
  route: Route,
  delays: Delays,
  draws: Draws,
): number {
  const daysToArrival = route.transitDays + delays.arrival
  if (phase === 'Past') return pastDeparture(world, place / 0.65, daysToArrival + 0.05)
  if (phase === 'InTransit') {
    const travelled = draws.between(0.02, 0.98) * (daysToArrival - delays.departure)
    return world.now - (delays.departure + travelled) * dayMs
  }
  // A third within two weeks, the rest up to day 60.
  const ahead = clamp((place - 0.75) / 0.18, 0, 1)
  const days = ahead < 1 / 3 ? ahead * 42 : 14 + (ahead - 1 / 3) * 69
  return world.now + (days + 0.01) * dayMs
}

function whatHappened(
  world: DemoWorld,
  phase: Phase,
  plan: { departure: number; arrival: number; pickup: number },
  delays: Delays,
  draws: Draws,
): Happened {
  if (phase === 'Ahead') return beforeDeparture(world, plan, draws)
  const happened = happenedNothing(ShipmentStatus.InTransit)
  happened.actualPickup = minute(plan.pickup)
  happened.actualDeparture = minute(plan.departure + delays.departure * dayMs)
  if (phase === 'InTransit') return happened

  happened.actualArrival = minute(plan.arrival + delays.arrival * dayMs)
  const deliveryDays = draws.between(1, 5)
  const completionDays = deliveryDays + draws.between(10, 25)
  const daysAgo = (world.now - happened.actualArrival) / dayMs
  if (daysAgo >= deliveryDays) happened.actualDelivery = minute(happened.actualArrival + deliveryDays * dayMs)
  happened.status = statusAfterArrival(daysAgo, deliveryDays, completionDays)
  return happened
}

function statusAfterArrival(daysAgo: number, deliveryDays: number, completionDays: number): ShipmentStatus {
  if (daysAgo < deliveryDays * 0.4) return ShipmentStatus.Arrived
  if (daysAgo < deliveryDays * 0.75) return ShipmentStatus.CustomsCleared
  if (daysAgo < deliveryDays) return ShipmentStatus.OutForDelivery
  return daysAgo < completionDays ? ShipmentStatus.Delivered : ShipmentStatus.Completed
}

function beforeDeparture(
  world: DemoWorld,
  plan: { departure: number; pickup: number },
  draws: Draws,
): Happened {
  const daysLeft = (plan.departure - world.now) / dayMs
  const isConfirmed = draws.chance(daysLeft < 14 ? 0.75 : 0.35)
  const happened = happenedNothing(isConfirmed ? ShipmentStatus.Confirmed : ShipmentStatus.Booked)
  if (isConfirmed && plan.pickup < world.now) {
    happened.actualPickup = minute(plan.pickup)
    happened.status = ShipmentStatus.CargoReceived
  }
  return happened
}

function minute(time: number): number {
  return Math.floor(time / 60_000) * 60_000
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
