import { chilledGoods, dangerousGoods, type Goods, ordinaryGoods } from './goods.js'
import { Choice, type Draws, Stream } from './random.js'
import type { Route } from './route.js'
import { type DemoWorld, drawsFor } from './world.js'

/** The goods of a shipment; weights in kg, volume in cubic metres. */
export interface Cargo {
  description: string
  packageTypeCode: string
  packages: number
  grossWeight: number
  volume: number
  chargeableWeight: number | null
  isDangerous: boolean
  isChilled: boolean
}

interface Size {
  grossWeight: number
  volume: number
}

export function cargoOf(world: DemoWorld, ordinal: number, route: Route): Cargo {
  const draws = drawsFor(world, Stream.Cargo, ordinal)
  const size = sizes[route.containerMode]?.(draws) ?? drawBulk(draws)
  const grossWeight = round(size.grossWeight, 1)
  const volume = round(size.volume, 3)
  const packaging = packagings.draw(draws)
  const packages = Math.max(1, Math.round(volume / draws.between(...packaging.volume)))
  const kind = draws.unit()
  const goods = kind < 0.03 ? dangerousGoods : kind < 0.08 ? chilledGoods : ordinaryGoods
  return {
    description: describe(packages, packaging, draws.pick(goods)),
    packageTypeCode: packaging.code,
    packages,
    grossWeight,
    volume,
    chargeableWeight: chargeableWeight(route, grossWeight, volume),
    isDangerous: goods === dangerousGoods,
    isChilled: goods === chilledGoods,
  }
}

interface Packaging {
  code: string
  singular: string
  plural: string
  /** From and to how many cubic metres one of them takes. */
  volume: readonly [number, number]
}

const packagings = new Choice<Packaging>([
  [55, { code: 'CT', singular: 'carton', plural: 'cartons', volume: [0.03, 0.12] }],
  [30, { code: 'PX', singular: 'pallet', plural: 'pallets', volume: [0.9, 1.7] }],
  [6, { code: 'CR', singular: 'crate', plural: 'crates', volume: [0.5, 2] }],
  [5, { code: 'PK', singular: 'package', plural: 'packages', volume: [0.05, 0.5] }],
  [4, { code: 'CS', singular: 'case', plural: 'cases', volume: [0.05, 0.4] }],
])

function describe(packages: number, { singular, plural }: Packaging, [heading, text]: Goods): string {
  return `${packages} ${packages === 1 ? singular : plural} of ${text}, HS ${heading}`
}

/** Capacity in cubic metres and payload in kg of the containers that are in use. */
const containers = new Choice<readonly [capacity: number, payload: number]>([
  [52, [76.3, 28_600]],
  [27, [33.2, 28_250]],
  [14, [67.7, 26_760]],
  [5, [67.5, 29_360]],
  [2, [65.5, 26_630]],
])

const containerCounts = new Choice<number>([
  [62, 1],
  [22, 2],
  [9, 3],
  [4, 4],
  [2, 5],
  [1, 6],
])

const sizes: Readonly<Record<string, (draws: Draws) => Size>> = {
  FCL: drawContainers,
  BCN: drawContainers,
  LCL: drawGroupage,
  LTL: drawGroupage,
  LSE: drawAirFreight,
  ULD: drawAirFreight,
  FTL: drawTruck,
}

function drawContainers(draws: Draws): Size {
  let grossWeight = 0
  let volume = 0
  for (let left = containerCounts.draw(draws); left > 0; left--) {
    const [capacity, payload] = containers.draw(draws)
    grossWeight += clamp(draws.normal(16_000, 5_000), 2_000, payload)
    volume += capacity * draws.between(0.55, 0.95)
  }
  return { grossWeight, volume }
}

function drawGroupage(draws: Draws): Size {
  const volume = clamp(draws.logNormal(4.2, 0.8), 0.1, 28)
  return { volume, grossWeight: volume * draws.between(90, 420) }
}

function drawAirFreight(draws: Draws): Size {
  const grossWeight = clamp(draws.logNormal(240, 1.1), 2, 30_000)
  return { grossWeight, volume: grossWeight / draws.between(110, 260) }
}

function drawTruck(draws: Draws): Size {
  return { grossWeight: clamp(draws.normal(15_000, 5_000), 2_000, 24_000), volume: draws.between(45, 85) }
}

function drawBulk(draws: Draws): Size {
  const grossWeight = draws.logNormal(60_000, 0.7)
  return { grossWeight, volume: grossWeight / draws.between(250, 900) }
}

/** Air: kg at 6,000 cm³, rounded up to halves. Groupage by sea: revenue tons. Trucks: 333 kg per m³. */
function chargeableWeight(
  { mode, containerMode }: Route,
  grossWeight: number,
  volume: number,
): number | null {
  if (mode === 'Air') return Math.ceil(Math.max(grossWeight, (volume * 1_000_000) / 6_000) * 2) / 2
  if (mode === 'Road') return round(Math.max(grossWeight, volume * 333), 1)
  if (containerMode === 'LCL') return round(Math.max(grossWeight / 1_000, volume, 1), 3)
  return null
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}

export function round(value: number, digits: number): number {
  const factor = 10 ** digits
  return Math.round(value * factor) / factor
}
