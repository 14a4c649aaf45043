import { ShipmentStatus } from '../../contracts/enumerations.js'
import { visibleOrganizationIds } from '../../domain/shipment-visibility.js'
import { type Cargo, cargoOf, round } from './cargo.js'
import { drawCarriage } from './carriers.js'
import type { DemoRow } from './demo-table.js'
import { partiesOf } from './parties.js'
import { Choice, type Draws, demoId, Stream } from './random.js'
import { codeIdOf, portIdOf } from './reference-ids.js'
import { type DemoMode, type Route, routeOf } from './route.js'
import { type Timeline, timelineOf } from './timeline.js'
import { type DemoWorld, drawsFor } from './world.js'

export function shipmentId(world: DemoWorld, ordinal: number): string {
  return demoId(Stream.Shipment, world.seed, ordinal)
}

/** `S` and eight digits, in the order in which shipments were made. */
export function shipmentReference(ordinal: number): string {
  return `S${10_000_001 + ordinal}`
}

/** The row of HubShipments with this ordinal. */
export function shipmentRow(world: DemoWorld, ordinal: number): DemoRow {
  const route = routeOf(world, ordinal)
  const timeline = timelineOf(world, ordinal, route)
  const cargo = cargoOf(world, ordinal, route)
  const parties = partiesOf(world, ordinal, route)
  const drawn = drawDetails(world, ordinal, route, timeline, cargo)
  const { draws, hold, knownRoute, goodsValue, goodsCurrency, papers } = drawn
  // Every column by hand: spreading objects costs more than all the rest, and this runs by the million.
  return {
    Id: shipmentId(world, ordinal),
    ShipmentReference: shipmentReference(ordinal),
    Status: timeline.status,
    IsOnHold: hold !== null,
    HoldReason: hold,
    Direction: parties.direction,
    CargoReadyDate: date(timeline.cargoReady),
    EstimatedPickup: date(timeline.estimatedPickup),
    EstimatedDeparture: date(timeline.estimatedDeparture),
    EstimatedArrival: date(timeline.estimatedArrival),
    EstimatedDelivery: date(timeline.estimatedDelivery),
    ActualPickup: date(timeline.actualPickup),
    ActualDeparture: date(timeline.actualDeparture),
    ActualArrival: date(timeline.actualArrival),
    ActualDelivery: date(timeline.actualDelivery),
    FirstConsolLegDeparturePortId: knownRoute.departurePortId,
    LastConsolLegArrivalPortId: knownRoute.arrivalPortId,
    OriginPortId: draws.chance(0.3) ? knownRoute.departurePortId : null,
    DestinationPortId: draws.chance(0.3) ? knownRoute.arrivalPortId : null,
    TransportModeId: knownRoute.transportModeId,
    ContainerModeId: knownRoute.containerModeId,
    IncotermId: draws.optional(codeIdOf('Incoterm', incoterms[route.mode].draw(draws))),
    ServiceLevelId: draws.optional(codeIdOf('ServiceLevel', serviceLevels.draw(draws))),
    ReleaseTypeId: papers.releaseTypeId,
    PackageTypeId: draws.optional(codeIdOf('PackageType', cargo.packageTypeCode)),
    CargoDescription: draws.optional(cargo.description),
    TotalPackages: draws.optional(cargo.packages),
    TotalGrossWeight: draws.optional(cargo.grossWeight),
    TotalVolume: draws.optional(cargo.volume),
    TotalChargeableWeight: cargo.chargeableWeight,
    Co2Emissions: timeline.actualDeparture === null ? null : co2Kg(route, cargo.grossWeight),
    GoodsValue: goodsValue,
    GoodsCurrencyCode: goodsValue === null ? null : goodsCurrency,
    HouseBillNumber: papers.houseBillNumber,
    MasterBillNumber: papers.masterBillNumber,
    BookingReference: papers.bookingReference,
    ControllingCustomerId: parties.customer.id,
    VesselName: papers.vesselName,
    VoyageFlightNumber: papers.voyageFlightNumber,
    IsDangerousGoods: cargo.isDangerous,
    IsTemperatureControlled: cargo.isChilled,
    VisibleOrganizationIds: visibleOrganizationIds(parties.all),
    CreationTime: new Date(timeline.created),
    LastModificationTime: new Date(timeline.modified),
    ConcurrencyStamp: draws.hex(4),
  }
}

/** The papers of a shipment, as its row names them. */
export function papersOf(
  world: DemoWorld,
  ordinal: number,
  { route, timeline, cargo }: { route: Route; timeline: Timeline; cargo: Cargo },
): Papers {
  return drawDetails(world, ordinal, route, timeline, cargo).papers
}

/** What is drawn first of a shipment, in this order; `draws` goes on with the rest. */
function drawDetails(world: DemoWorld, ordinal: number, route: Route, timeline: Timeline, cargo: Cargo) {
  const draws = drawsFor(world, Stream.Shipment, ordinal)
  const hold = drawHold(timeline.status, draws)
  const knownRoute = drawKnownRoute(route, timeline, draws)
  const goodsValue = draws.chance(0.6) ? round(cargo.grossWeight * draws.logNormal(9, 0.9), 2) : null
  const goodsCurrency = currencies.draw(draws)
  const papers = drawPapers(ordinal, route, timeline, draws)
  return { draws, hold, knownRoute, goodsValue, goodsCurrency, papers }
}

const holdReasons = [
  'Awaiting payment',
  'Documents incomplete',
  'Customer asked to wait',
  'Customs inspection',
  'Credit limit exceeded',
]

/** 2 % of all shipments are on hold; only those under way can be, a bit more than a quarter. */
function drawHold(status: ShipmentStatus, draws: Draws): string | null {
  const isUnderWay = status >= ShipmentStatus.Booked && status <= ShipmentStatus.OutForDelivery
  const reason = draws.pick(holdReasons)
  return draws.chance(0.072) && isUnderWay ? reason : null
}

interface KnownRoute {
  departurePortId: string | null
  arrivalPortId: string | null
  transportModeId: string | null
  containerModeId: string | null
}

/** Ports and modes. A draft may lack any of them, everything later has them all. */
function drawKnownRoute(route: Route, timeline: Timeline, draws: Draws): KnownRoute {
  const isPlanned = timeline.estimatedDeparture !== null
  const hasMode = isPlanned || draws.chance(0.9)
  return {
    departurePortId: isPlanned || draws.chance(0.75) ? portIdOf(route.from) : null,
    arrivalPortId: isPlanned || draws.chance(0.8) ? portIdOf(route.to) : null,
    transportModeId: hasMode ? codeIdOf('TransportMode', route.mode) : null,
    containerModeId:
      isPlanned || (hasMode && draws.chance(0.8)) ? codeIdOf('ContainerMode', route.containerMode) : null,
  }
}

const waterIncoterms = new Choice<string>([
  [38, 'FOB'],
  [15, 'FCA'],
  [14, 'CIF'],
  [12, 'EXW'],
  [10, 'DAP'],
  [6, 'CFR'],
  [5, 'DDP'],
])

const otherIncoterms = new Choice<string>([
  [40, 'FCA'],
  [22, 'EXW'],
  [18, 'DAP'],
  [8, 'CPT'],
  [7, 'CIP'],
  [5, 'DDP'],
])

const incoterms: Readonly<Record<DemoMode, Choice<string>>> = {
  Sea: waterIncoterms,
  Air: otherIncoterms,
  Road: otherIncoterms,
  Rail: otherIncoterms,
}

const serviceLevels = new Choice<string>([
  [70, 'STD'],
  [15, 'ECO'],
  [8, 'EXP'],
  [4, 'PRI'],
  [3, 'DEF'],
])

const currencies = new Choice<string>([
  [60, 'USD'],
  [30, 'EUR'],
  [10, 'CNY'],
])

/** Kilograms of CO2e, well to wheel: tonnes × kilometres × the default factor of the mode in grams. */
function co2Kg(route: Route, grossWeight: number): number {
  return round(((grossWeight / 1_000) * route.distanceKm * gramsPerTonneKm(route)) / 1_000, 2)
}

function gramsPerTonneKm({ mode, containerMode, distanceKm }: Route): number {
  if (mode === 'Air') return distanceKm >= 3_700 ? 666.46 : 960.54
  if (mode === 'Road') return containerMode === 'FTL' ? 96.23 : 125.22
  if (mode === 'Rail') return 34.7
  if (containerMode === 'ROR') return 63.28
  return containerMode === 'BBK' || containerMode === 'LQD' ? 16.21 : 19.77
}

const releaseTypes = new Choice<string>([
  [35, 'OBL'],
  [35, 'TLX'],
  [25, 'SWB'],
  [5, 'EBL'],
])

/** The papers of a shipment, and what carries it. */
export interface Papers {
  releaseTypeId: string | null
  houseBillNumber: string | null
  masterBillNumber: string | null
  bookingReference: string | null
  vesselName: string | null
  voyageFlightNumber: string | null
}

/** Numbers appear as the shipment advances: booking, master bill, then house bill once the cargo arrives. */
function drawPapers(ordinal: number, route: Route, { status }: Timeline, draws: Draws): Papers {
  const step = status === ShipmentStatus.Cancelled ? ShipmentStatus.Draft : status
  const carriage = drawCarriage(route.mode, draws)
  const releaseType = releaseTypes.draw(draws)
  const isIssued = step >= ShipmentStatus.CargoReceived
  const isBooked = step >= ShipmentStatus.Booked
  return {
    releaseTypeId: isIssued && route.mode === 'Sea' ? codeIdOf('ReleaseType', releaseType) : null,
    houseBillNumber: isIssued ? route.from.slice(2) + String(1_000_000 + (ordinal % 9_000_000)) : null,
    masterBillNumber: step >= ShipmentStatus.Confirmed ? carriage.masterBillNumber : null,
    bookingReference: isBooked ? `BK${draws.digits(9)}` : null,
    vesselName: isBooked ? carriage.vesselName : null,
    voyageFlightNumber: isBooked ? carriage.voyageFlightNumber : null,
  }
}

function date(time: number | null): Date | null {
  return time === null ? null : new Date(time)
}
