import {
  ConsolStatus,
  ConsolType,
  LegType,
  PaymentTerm,
  ShipmentStatus,
  VesselType,
  VgmMethod,
} from '../../contracts/enumerations.js'
import { containerCheckDigit } from '../../domain/container-number.js'
import { carriers, containerTypes } from '../reference/transport.js'
import { type Cargo, cargoOf, round } from './cargo.js'
import { vesselNames } from './carriers.js'
import type { DemoRow } from './demo-table.js'
import { regionOf, transhipments } from './lanes.js'
import { Choice, Draws, demoId, Stream } from './random.js'
import { codeIdOf, portIdOf } from './reference-ids.js'
import { type Route, routeOf } from './route.js'
import { papersOf, shipmentId } from './shipments.js'
import { terminalIdOf } from './terminals.js'
import { isCancelled, type Timeline, timelineOf } from './timeline.js'
import { type DemoWorld, dayMs, drawsFor } from './world.js'

/** Times in ms; null where they are unknown or have not come. */
export interface DemoLeg {
  readonly from: string
  readonly to: string
  readonly estimatedDeparture: number
  readonly estimatedArrival: number
  readonly actualDeparture: number | null
  readonly actualArrival: number | null
  readonly distanceKm: number
}

/** How a shipment is carried from port to port. */
export interface Movement {
  readonly route: Route
  readonly timeline: Timeline
  readonly cargo: Cargo
  readonly legs: readonly DemoLeg[]
  readonly containers: number
}

/** The carriage of a shipment; undefined before it is confirmed, and when it was cancelled. */
export function movementOf(world: DemoWorld, ordinal: number): Movement | undefined {
  if (isCancelled(world, ordinal)) return undefined
  const route = routeOf(world, ordinal)
  const timeline = timelineOf(world, ordinal, route)
  if (timeline.status < ShipmentStatus.Confirmed) return undefined
  const cargo = cargoOf(world, ordinal, route)
  return {
    route,
    timeline,
    cargo,
    legs: drawLegs(world, route, timeline, drawsFor(world, Stream.Leg, ordinal)),
    containers: route.containerMode === 'FCL' ? boxesFor(cargo) : 0,
  }
}

const legCounts = new Choice<number>([
  [55, 1],
  [32, 2],
  [13, 3],
])

function drawLegs(world: DemoWorld, route: Route, timeline: Timeline, draws: Draws): DemoLeg[] {
  const { from, to, mode } = route
  const hubs = (transhipments[mode === 'Sea' ? `${regionOf(from)}-${regionOf(to)}` : ''] ?? []).filter(
    (port) => port !== from && port !== to,
  )
  const stops = hubs.slice(0, legCounts.draw(draws) - 1)
  const ports = [from, ...stops, to]
  const departure = timeline.estimatedDeparture ?? world.now
  const arrival = timeline.estimatedArrival ?? departure + route.transitDays * dayMs
  const stay = Math.min(2 * dayMs, (arrival - departure) * 0.1)
  const sailing = (arrival - departure - stay * stops.length) / (ports.length - 1)
  return ports.slice(1).map((port, index) => {
    const leaves = departure + index * (sailing + stay)
    return {
      from: ports[index] as string,
      to: port,
      estimatedDeparture: leaves,
      estimatedArrival: leaves + sailing,
      actualDeparture: happened(world, leaves, timeline),
      actualArrival: happened(world, leaves + sailing, timeline),
      distanceKm: round(route.distanceKm / (ports.length - 1), 1),
    }
  })
}

/** When something that was planned on the way happened: as late as departure and, as the way goes on, arrival were. Null when it has not. */
function happened(world: DemoWorld, planned: number, timeline: Timeline): number | null {
  const { estimatedDeparture, estimatedArrival, actualDeparture, actualArrival } = timeline
  if (estimatedDeparture === null || estimatedArrival === null || actualDeparture === null) return null
  const way = (planned - estimatedDeparture) / (estimatedArrival - estimatedDeparture)
  const late = actualDeparture - estimatedDeparture
  const lateAtEnd = actualArrival === null ? late : actualArrival - estimatedArrival
  const time = planned + late + way * (lateAtEnd - late)
  const isUnderWay = actualArrival === null && way >= 1
  return time <= world.now && !isUnderWay ? Math.floor(time / 60_000) * 60_000 : null
}

const date = (time: number | null): Date | null => (time === null ? null : new Date(time))

const carrierIds = new Map(carriers.map((carrier) => [carrier.scacCode ?? carrier.awbPrefix, carrier.id]))

/** The carrier that a master bill names: its first four letters, or the three digits of an air waybill. */
export function carrierIdOf(masterBill: string | null): string | null {
  return (
    carrierIds.get(masterBill?.slice(0, 4) ?? '') ?? carrierIds.get(masterBill?.slice(0, 3) ?? '') ?? null
  )
}

export const vesselCount = vesselNames.length

/** Rows of HubVessels: all that shipments name. */
export function* vesselRows(seed: number): Iterable<DemoRow> {
  for (const [ordinal, name] of vesselNames.entries()) {
    const draws = new Draws(seed, Stream.Vessel, ordinal)
    yield {
      Id: demoId(Stream.Vessel, seed, ordinal),
      ImoNumber: imoNumber(900_000 + ordinal * 7),
      Name: name,
      FlagCountryCode: draws.pick(['PA', 'LR', 'MH', 'SG', 'HK', 'MT', 'DK']),
      TeuCapacity: 4_000 + draws.below(200) * 100,
      YearBuilt: 2_004 + draws.below(21),
      VesselType: VesselType.Container,
    }
  }
}

/** Six digits and the one that the IMO's scheme checks them by: the sum of each times its place from the right, 7 to 2. */
function imoNumber(serial: number): string {
  const digits = String(serial)
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (7 - index), 0)
  return `${digits}${sum % 10}`
}

const vesselOrdinals = new Map(vesselNames.map((name, ordinal) => [name, ordinal]))

/** The id of a ship by its name; null for none. */
export function vesselIdOf({ seed }: DemoWorld, name: string | null): string | null {
  const ordinal = name === null ? undefined : vesselOrdinals.get(name)
  return ordinal === undefined ? null : demoId(Stream.Vessel, seed, ordinal)
}

/** The id of the departure that the first leg of a shipment is booked on: of ships and aircraft that have not left. */
export function bookedSailingId(
  world: DemoWorld,
  ordinal: number,
  { route, timeline }: Movement,
): string | null {
  const isBookable = route.mode === 'Sea' || route.mode === 'Air'
  return isBookable && timeline.actualDeparture === null
    ? demoId(Stream.BookedSailing, world.seed, ordinal)
    : null
}

/** The consol of each shipment that is carried: one of its own. */
export const consolCount = (world: DemoWorld, ordinal: number): number => (movementOf(world, ordinal) ? 1 : 0)

/** Rows of HubConsols. */
export function* consolRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  if (!movement) return
  const { route, timeline } = movement
  const papers = papersOf(world, ordinal, movement)
  const draws = drawsFor(world, Stream.Consol, ordinal)
  const departure = timeline.estimatedDeparture
  const before = (days: number) => date(departure === null ? null : departure - days * dayMs)
  const isSea = route.mode === 'Sea'
  yield {
    Id: demoId(Stream.Consol, world.seed, ordinal),
    ConsolNumber: `C${20_000_001 + ordinal}`,
    TransportModeId: codeIdOf('TransportMode', route.mode),
    ContainerModeId: codeIdOf('ContainerMode', route.containerMode),
    ConsolType: ConsolType.Direct,
    Status: consolStatus(timeline),
    MasterBillNumber: papers.masterBillNumber,
    BookingReference: papers.bookingReference,
    CarrierId: carrierIdOf(papers.masterBillNumber),
    FirstLoadPortId: portIdOf(route.from),
    LastDischargePortId: portIdOf(route.to),
    EstimatedDeparture: date(departure),
    EstimatedArrival: date(timeline.estimatedArrival),
    ActualDeparture: date(timeline.actualDeparture),
    ActualArrival: date(timeline.actualArrival),
    CargoCutOff: isSea ? before(2) : null,
    DocumentCutOff: isSea ? before(3) : null,
    VgmCutOff: isSea ? before(2.5) : null,
    PaymentTerm: draws.chance(0.7) ? PaymentTerm.Prepaid : PaymentTerm.Collect,
    CreationTime: new Date(timeline.created),
    ConcurrencyStamp: draws.hex(4),
  }
}

function consolStatus({ status, actualDeparture, actualArrival }: Timeline): ConsolStatus {
  if (status === ShipmentStatus.Completed) return ConsolStatus.Completed
  if (actualArrival !== null) return ConsolStatus.Arrived
  if (actualDeparture !== null) return ConsolStatus.Departed
  return status >= ShipmentStatus.CargoReceived ? ConsolStatus.Closed : ConsolStatus.Booked
}

export const legCount = (world: DemoWorld, ordinal: number): number =>
  movementOf(world, ordinal)?.legs.length ?? 0

/** The id of a leg, counted from 0. */
export const legId = (world: DemoWorld, ordinal: number, index: number): string =>
  demoId(Stream.Leg, world.seed, ordinal, index)

/** Rows of HubConsolLegs. */
export function* legRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  if (!movement) return
  const { route, timeline, legs } = movement
  const papers = papersOf(world, ordinal, movement)
  for (const [index, leg] of legs.entries()) {
    // The ship that the shipment names carries it first.
    const vessel = index === 0 ? papers.vesselName : nextVessel(papers.vesselName, index)
    yield {
      Id: legId(world, ordinal, index),
      ConsolId: demoId(Stream.Consol, world.seed, ordinal),
      LegNumber: index + 1,
      LegType: LegType.Main,
      TransportModeId: codeIdOf('TransportMode', route.mode),
      DeparturePortId: portIdOf(leg.from),
      ArrivalPortId: portIdOf(leg.to),
      // Where one leg ends the next one begins.
      DepartureTerminalId: terminalIdOf(world.seed, leg.from, ordinal + index),
      ArrivalTerminalId: terminalIdOf(world.seed, leg.to, ordinal + index + 1),
      CarrierId: carrierIdOf(papers.masterBillNumber),
      VesselId: vesselIdOf(world, vessel),
      VoyageFlightNumber: papers.voyageFlightNumber,
      SailingScheduleId: index === 0 ? bookedSailingId(world, ordinal, movement) : null,
      EstimatedDeparture: date(leg.estimatedDeparture),
      EstimatedArrival: date(leg.estimatedArrival),
      ActualDeparture: date(leg.actualDeparture),
      ActualArrival: date(leg.actualArrival),
      DistanceKm: leg.distanceKm,
      CreationTime: new Date(timeline.created),
    }
  }
}

function nextVessel(name: string | null, index: number): string | null {
  const ordinal = name === null ? undefined : vesselOrdinals.get(name)
  return ordinal === undefined ? null : (vesselNames[(ordinal + index * 37) % vesselCount] ?? null)
}

/** Rows of HubConsolShipments. */
export function* consolShipmentRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  if (!movement) return
  yield {
    Id: demoId(Stream.ConsolShipment, world.seed, ordinal),
    ConsolId: demoId(Stream.Consol, world.seed, ordinal),
    ShipmentId: shipmentId(world, ordinal),
    Sequence: 1,
    CreationTime: new Date(movement.timeline.created),
  }
}

const highCube = { capacity: 76.3, payload: 28_600 }

/** As many 40-foot boxes as the goods need. */
function boxesFor({ volume, grossWeight }: Cargo): number {
  return Math.max(1, Math.ceil(volume / highCube.capacity), Math.ceil(grossWeight / highCube.payload))
}

export const containerCount = (world: DemoWorld, ordinal: number): number =>
  movementOf(world, ordinal)?.containers ?? 0

/** The id of a container, counted from 0. */
export const containerId = (world: DemoWorld, ordinal: number, index: number): string =>
  demoId(Stream.Container, world.seed, ordinal, index)

const boxTypes = new Choice<string>([
  [72, '45G1'],
  [28, '42G1'],
])
const typesByCode = new Map(containerTypes.map((type) => [type.isoCode, type]))
const owners = 'MSKU MSCU CMAU HLXU OOLU TCLU TGHU CSQU EGHU ONEU'.split(' ')

/** Rows of HubContainers. */
export function* containerRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  if (!movement) return
  const { timeline, cargo, containers } = movement
  const { status, actualPickup, actualDeparture, actualArrival, actualDelivery } = timeline
  for (let index = 0; index < containers; index++) {
    const draws = drawsFor(world, Stream.Container, ordinal * 64 + index)
    const type = typesByCode.get(cargo.isChilled ? '45R1' : boxTypes.draw(draws))
    const number = draws.pick(owners) + draws.digits(6)
    const isPacked = status >= ShipmentStatus.CargoReceived
    const tare = type?.tareWeightKg ?? 0
    const gross = round(cargo.grossWeight / containers + tare, 1)
    yield {
      Id: containerId(world, ordinal, index),
      ConsolId: demoId(Stream.Consol, world.seed, ordinal),
      ContainerNumber: isPacked ? `${number}${containerCheckDigit(number)}` : null,
      ContainerTypeId: type?.id ?? null,
      SealNumber: isPacked ? `SL${draws.digits(7)}` : null,
      TareWeightKg: tare,
      GrossWeightKg: isPacked ? gross : null,
      VgmWeightKg: isPacked ? gross : null,
      VgmMethod: isPacked ? (draws.chance(0.6) ? VgmMethod.Method2 : VgmMethod.Method1) : null,
      IsShipperOwned: false,
      TemperatureSetPointC: cargo.isChilled ? -18 : null,
      EmptyPickupTime: date(actualPickup === null ? null : actualPickup - dayMs / 2),
      GateInTime: date(isPacked ? actualPickup : null),
      LoadedTime: date(actualDeparture),
      DischargedTime: date(actualArrival),
      GateOutTime: date(actualDelivery),
      EmptyReturnTime: status === ShipmentStatus.Completed ? new Date(timeline.modified) : null,
      CreationTime: new Date(timeline.created),
    }
  }
}

/** Rows of HubShipmentContainers. */
export function* shipmentContainerRows(world: DemoWorld, ordinal: number): Iterable<DemoRow> {
  const movement = movementOf(world, ordinal)
  if (!movement) return
  const { cargo, containers, timeline } = movement
  for (let index = 0; index < containers; index++)
    yield {
      Id: demoId(Stream.ShipmentContainer, world.seed, ordinal, index),
      ShipmentId: shipmentId(world, ordinal),
      ContainerId: containerId(world, ordinal, index),
      Packages: share(cargo.packages, containers, index),
      GrossWeightKg: round(cargo.grossWeight / containers, 1),
      VolumeM3: round(cargo.volume / containers, 3),
      CreationTime: new Date(timeline.created),
    }
}

/** The part of a whole number that falls to one of `parts`: they differ by one at most and add up to it. */
export function share(total: number, parts: number, index: number): number {
  return Math.floor((total * (index + 1)) / parts) - Math.floor((total * index) / parts)
}
