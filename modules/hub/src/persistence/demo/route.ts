import { lanes, type PortPair, railLanes, roadLanes, sailingDaysOf } from './lanes.js'
import { Choice, type Draws, Stream } from './random.js'
import { portOf } from './reference-ids.js'
import { type DemoWorld, drawsFor } from './world.js'

export type DemoMode = 'Sea' | 'Air' | 'Road' | 'Rail'

/** How and where a shipment travels on its main leg. */
export interface Route extends PortPair {
  mode: DemoMode
  containerMode: string
  distanceKm: number
  transitDays: number
}

const modes = new Choice<DemoMode>([
  [71, 'Sea'],
  [22, 'Air'],
  [5, 'Road'],
  [2, 'Rail'],
])

const containerModes: Readonly<Record<DemoMode, Choice<string>>> = {
  Sea: new Choice([
    [68, 'FCL'],
    [28, 'LCL'],
    [2, 'BCN'],
    [1, 'BBK'],
    [0.6, 'ROR'],
    [0.4, 'LQD'],
  ]),
  Air: new Choice([
    [82, 'LSE'],
    [18, 'ULD'],
  ]),
  Road: new Choice([
    [60, 'FTL'],
    [40, 'LTL'],
  ]),
  Rail: new Choice([
    [85, 'FCL'],
    [15, 'LCL'],
  ]),
}

export function routeOf(world: DemoWorld, ordinal: number): Route {
  const draws = drawsFor(world, Stream.Route, ordinal)
  const mode = modes.draw(draws)
  return { mode, containerMode: containerModes[mode].draw(draws), ...journeys[mode](draws) }
}

type Journey = PortPair & { distanceKm: number; transitDays: number }

const journeys: Readonly<Record<DemoMode, (draws: Draws) => Journey>> = {
  Sea(draws) {
    const { sea } = lanes.draw(draws)
    const { from, to } = sea
    const sailingDays = sailingDaysOf(sea)
    return {
      from,
      to,
      distanceKm: sea.nauticalMiles * 1.852,
      transitDays: Math.max(sailingDays * 0.7, draws.normal(sailingDays, 2)),
    }
  },
  Air(draws) {
    const { from, to } = lanes.draw(draws).air
    return { from, to, distanceKm: greatCircleKm(from, to), transitDays: draws.between(1, 4) }
  },
  Road(draws) {
    const { from, to } = draws.pick(roadLanes)
    const distanceKm = greatCircleKm(from, to) * 1.3
    return { from, to, distanceKm, transitDays: distanceKm / 600 + draws.between(0.5, 1.5) }
  },
  Rail(draws) {
    const { from, to } = draws.pick(railLanes)
    const distanceKm = greatCircleKm(from, to) * 1.2
    return { from, to, distanceKm, transitDays: distanceKm / 650 + draws.between(1, 4) }
  },
}

const distances = new Map<string, number>()

function greatCircleKm(from: string, to: string): number {
  const key = from + to
  const known = distances.get(key)
  if (known !== undefined) return known
  const a = portOf(from)
  const b = portOf(to)
  const radians = Math.PI / 180
  const h =
    Math.sin(((b.latitude - a.latitude) * radians) / 2) ** 2 +
    Math.cos(a.latitude * radians) *
      Math.cos(b.latitude * radians) *
      Math.sin(((b.longitude - a.longitude) * radians) / 2) ** 2
  const distance = 2 * 6371.0088 * Math.asin(Math.sqrt(h))
  distances.set(key, distance)
  return distance
}
