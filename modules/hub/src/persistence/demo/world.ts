import type { Region } from './lanes.js'
import {
  type DemoOrganization,
  type DemoOrganizations,
  makeOrganizations,
  type OrganizationKind,
} from './organizations.js'
import { Draws, type StreamNumber } from './random.js'

/** Data shared by all shipments of a data set. */
export interface DemoWorld {
  seed: number
  shipments: number
  /** Milliseconds; what lies before has happened. */
  now: number
  organizations: DemoOrganizations
  organizationsByKind: Readonly<Record<OrganizationKind, DemoOrganizations>>
  partnersByRegion: Readonly<Record<Region, DemoOrganizations>>
  /** Upper limits of the customers' shares in all shipments, rising to 1. */
  customerLimits: Float64Array
  /** Departures up to each of the last 548 days, oldest first, not scaled. */
  departureLimits: Float64Array
}

export const dayMs = 86_400_000

/** Departures reach back 18 months. */
export const pastDays = 548

export function makeWorld(options: { seed: number; shipments: number; now: Date }): DemoWorld {
  const organizations = makeOrganizations(options.seed, options.shipments)
  const ofKind = (kind: OrganizationKind) =>
    organizations.filter((organization) => organization.kind === kind)
  const partners = ofKind('Partner')
  const inRegion = (region: Region) => partners.filter((partner) => partner.region === region)
  const customers = ofKind('Customer')
  return {
    seed: options.seed,
    shipments: options.shipments,
    now: options.now.getTime(),
    organizations,
    organizationsByKind: {
      Customer: customers,
      Partner: partners,
      Forwarder: ofKind('Forwarder'),
      Broker: ofKind('Broker'),
      Carrier: ofKind('Carrier'),
    },
    partnersByRegion: {
      Asia: inRegion('Asia'),
      Europe: inRegion('Europe'),
      NorthAmerica: inRegion('NorthAmerica'),
      SouthAsia: inRegion('SouthAsia'),
      LatinAmerica: inRegion('LatinAmerica'),
      Africa: inRegion('Africa'),
    },
    customerLimits: customerLimits(customers.length),
    departureLimits: departureLimits(options.now.getTime()),
  }
}

/** Customers' sizes follow rank^-1.1 (Zipf), shifted so that the biggest has 8 % of shipments. */
function customerLimits(count: number): Float64Array {
  let low = 0
  let high = count * 10
  for (let step = 0; step < 60; step++) {
    const shift = (low + high) / 2
    if (shareOfBiggest(count, shift) > 0.08) low = shift
    else high = shift
  }
  return cumulate(count, (rank) => (rank + 1 + high) ** -1.1)
}

function shareOfBiggest(count: number, shift: number): number {
  let sum = 0
  for (let rank = 0; rank < count; rank++) sum += (rank + 1 + shift) ** -1.1
  return (1 + shift) ** -1.1 / sum
}

function cumulate(count: number, weight: (index: number) => number): Float64Array {
  const limits = new Float64Array(count)
  let sum = 0
  for (let index = 0; index < count; index++) {
    sum += weight(index)
    limits[index] = sum
  }
  return limits.map((limit) => limit / sum)
}

export function drawCustomer(world: DemoWorld, draws: Draws): DemoOrganization {
  const index = placeIn(world.customerLimits, draws.unit())
  return world.organizationsByKind.Customer[index] as DemoOrganization
}

const lunarNewYears = (
  '2024-02-10 2025-01-29 2026-02-17 2027-02-06 2028-01-26 2029-02-13 2030-02-03 ' +
  '2031-01-23 2032-02-11 2033-01-31 2034-02-19 2035-02-08'
)
  .split(' ')
  .map((date) => Date.parse(date))

/** More from month to month, a quarter more in September and October, a fifth less around Lunar New Year. */
function departureLimits(now: number): Float64Array {
  return cumulate(pastDays, (day) => {
    const time = now - (pastDays - day) * dayMs
    const growth = 1.01 ** (day / 30.4)
    const month = new Date(time).getUTCMonth()
    const peak = month === 8 || month === 9 ? 1.25 : 1
    const holiday = lunarNewYears.some((start) => Math.abs(time - start) < 10 * dayMs) ? 0.8 : 1
    return growth * peak * holiday
  })
}

/**
 * A departure `place` (0 to 1) of the way from the oldest to the latest that lies at least `leastDays` back.
 */
export function pastDeparture(world: DemoWorld, place: number, leastDays: number): number {
  const limits = world.departureLimits
  const latest = pastDays - leastDays
  const wanted = place * limitAt(limits, latest)
  const day = placeIn(limits, wanted)
  const before = limits[day - 1] ?? 0
  const within = (wanted - before) / ((limits[day] ?? 1) - before)
  return world.now - (pastDays - Math.min(day + within, latest)) * dayMs
}

function limitAt(limits: Float64Array, days: number): number {
  const day = Math.floor(days)
  const before = limits[day - 1] ?? 0
  return before + ((limits[day] ?? 1) - before) * (days - day)
}

/** The first index whose limit is above `value`. */
function placeIn(limits: Float64Array, value: number): number {
  let low = 0
  let high = limits.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((limits[middle] as number) > value) high = middle
    else low = middle + 1
  }
  return low
}

/** The numbers of one shipment for one subject. */
export function drawsFor(world: DemoWorld, stream: StreamNumber, ordinal: number): Draws {
  return new Draws(world.seed, stream, ordinal)
}
