import { CarrierType } from '../../contracts/enumerations.js'
import { transitDaysOf } from '../../domain/sailing-schedule.js'
import { carriers } from '../reference/transport.js'
import { vesselNames } from './carriers.js'
import type { DemoRow } from './demo-table.js'
import { laneList, type PortPair, sailingDaysOf } from './lanes.js'
import { bookedSailingId, carrierIdOf, movementOf, vesselIdOf } from './movements.js'
import { demoId, Stream } from './random.js'
import { codeIdOf, portIdOf } from './reference-ids.js'
import { papersOf } from './shipments.js'
import { type DemoWorld, dayMs, drawsFor } from './world.js'

const weeks = 12

/** A carrier that serves a lane once a week. */
interface Service extends PortPair {
  readonly mode: 'Sea' | 'Air'
  readonly carrierId: string
  /** The name of the service. */
  readonly code: string
  readonly days: number
  readonly portCalls: number
}

const shippingLines = carriers.filter(({ carrierType }) => carrierType === CarrierType.Ocean)
const airlines = carriers.filter(({ carrierType }) => carrierType === CarrierType.Air)

/** Four shipping lines and an airline on each lane. */
const services: readonly Service[] = laneList.flatMap(({ sea, air }, lane) => [
  ...[0, 1, 2, 3].map((place): Service => {
    const carrier = takenFrom(shippingLines, lane * 4 + place)
    const code = `${carrier.code.slice(0, 2)}${lane + 1}`
    const days = sailingDaysOf(sea)
    return { ...sea, mode: 'Sea', carrierId: carrier.id, code, days, portCalls: sea.portCalls }
  }),
  serviceByAir(air, lane),
])

function serviceByAir(air: PortPair, lane: number): Service {
  const { id: carrierId, code } = takenFrom(airlines, lane)
  return { ...air, mode: 'Air', carrierId, code: `${code}${100 + lane * 7}`, days: 1.5, portCalls: 0 }
}

/** How many departures the services have; those that shipments are booked on are further ones. */
export const weeklySailingCount = services.length * weeks

/** Rows of HubSailingSchedules: the departures of the next twelve weeks, of which the carriers leave some out. */
export function* weeklySailingRows(world: DemoWorld): Iterable<DemoRow> {
  for (const [number, service] of services.entries()) {
    const draws = drawsFor(world, Stream.Sailing, number)
    const first = draws.between(0.2, 7)
    for (let week = 0; week < weeks; week++) {
      const isSea = service.mode === 'Sea'
      const departure = minute(world.now + (first + week * 7) * dayMs)
      const voyage = isSea
        ? `${String(101 + number * 3 + week).padStart(3, '0')}${draws.pick(['E', 'W'])}`
        : service.code
      yield sailingRow(world, service, {
        id: demoId(Stream.Sailing, world.seed, number, week),
        serviceCode: isSea ? service.code : null,
        vesselId: isSea ? vesselIdOf(world, takenFrom(vesselNames, number * 5 + week)) : null,
        voyage,
        transshipments: isSea && service.portCalls > 1 ? draws.below(2) : 0,
        departure,
        arrival: minute(departure + service.days * draws.between(0.95, 1.1) * dayMs),
        created: minute(world.now - draws.between(5, 40) * dayMs),
        isCancelled: draws.chance(0.02),
      })
    }
  }
}

/** One or none. */
export function bookedSailingCount(world: DemoWorld, ordinal: number): number {
  const movement = movementOf(world, ordinal)
  return movement && bookedSailingId(world, ordinal, movement) ? 1 : 0
}

/** The row of HubSailingSchedules that a shipment is booked on. */
export function* bookedSailingRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  const id = movement && bookedSailingId(world, ordinal, movement)
  if (!id) return
  const { route, timeline, legs } = movement
  const [leg] = legs
  const { masterBillNumber, vesselName, voyageFlightNumber } = papersOf(world, ordinal, movement)
  const carrierId = carrierIdOf(masterBillNumber)
  if (!leg || !carrierId || !voyageFlightNumber) throw new Error(`Shipment ${ordinal} is on no departure`)
  yield sailingRow(
    world,
    { mode: route.mode, from: leg.from, to: leg.to, carrierId },
    {
      id,
      serviceCode: null,
      vesselId: vesselIdOf(world, vesselName),
      voyage: voyageFlightNumber,
      transshipments: 0,
      departure: leg.estimatedDeparture,
      arrival: leg.estimatedArrival,
      created: timeline.created,
      isCancelled: false,
    },
  )
}

interface Departure {
  readonly id: string
  readonly serviceCode: string | null
  readonly vesselId: string | null
  readonly voyage: string
  readonly transshipments: number
  readonly departure: number
  readonly arrival: number
  readonly created: number
  readonly isCancelled: boolean
}

function sailingRow(
  { now }: DemoWorld,
  {
    mode,
    from,
    to,
    carrierId,
  }: PortPair & { readonly mode: 'Sea' | 'Air' | 'Road' | 'Rail'; readonly carrierId: string },
  departure: Departure,
): DemoRow {
  const before = (days: number) => (mode === 'Sea' ? new Date(departure.departure - days * dayMs) : null)
  const [leaves, arrives] = [new Date(departure.departure), new Date(departure.arrival)]
  return {
    Id: departure.id,
    CarrierId: carrierId,
    TransportModeId: codeIdOf('TransportMode', mode),
    ServiceCode: departure.serviceCode,
    VesselId: departure.vesselId,
    VoyageFlightNumber: departure.voyage,
    DeparturePortId: portIdOf(from),
    ArrivalPortId: portIdOf(to),
    EstimatedDeparture: leaves,
    EstimatedArrival: arrives,
    TransitDays: transitDaysOf(leaves, arrives),
    TransshipmentCount: departure.transshipments,
    CargoCutOff: before(2),
    DocumentCutOff: before(3),
    VgmCutOff: before(2.5),
    IsCancelled: departure.isCancelled,
    CreationTime: new Date(Math.min(departure.created, now)),
  }
}

function takenFrom<T>(values: readonly T[], place: number): T {
  return values[place % values.length] as T
}

function minute(time: number): number {
  return Math.floor(time / 60_000) * 60_000
}
