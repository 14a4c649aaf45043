import type { DemoRow } from './demo-table.js'
import { laneList, transhipments } from './lanes.js'
import { demoId, Stream } from './random.js'
import { portOf } from './reference-ids.js'

interface Facility {
  readonly code: string
  readonly name: string
  readonly type: string
  /** Degrees from the middle of the port, to the north and to the east. */
  readonly offset: readonly [north: number, east: number]
}

/** What a sea port has. Ships call at the terminals, which stand first. */
const ofSeaPorts: readonly Facility[] = [
  { code: 'NCT', name: 'North Container Terminal', type: 'POTE', offset: [0.03, 0.02] },
  { code: 'SCT', name: 'South Container Terminal', type: 'POTE', offset: [-0.02, 0.03] },
  { code: 'DEP', name: 'Empty Depot', type: 'DEPO', offset: [0.01, -0.03] },
]

/** What an airport has. */
const ofAirports: readonly Facility[] = [
  { code: 'CGO', name: 'Cargo Centre', type: 'COFS', offset: [0.01, 0.01] },
]

const facilities = new Map<string, readonly Facility[]>([
  ...laneList.flatMap(({ air }) => [air.from, air.to]).map((port) => [port, ofAirports] as const),
  ...laneList.flatMap(({ sea }) => [sea.from, sea.to]).map((port) => [port, ofSeaPorts] as const),
  ...Object.values(transhipments)
    .flat()
    .map((port) => [port, ofSeaPorts] as const),
])

const places = new Map([...facilities.keys()].map((port, place) => [port, place]))

export const terminalCount = [...facilities.values()].reduce((sum, { length }) => sum + length, 0)

/** Rows of HubTerminals: of the ports that ships and aircraft of the lanes call at. */
export function* terminalRows(seed: number): Iterable<DemoRow> {
  for (const [unLocode, some] of facilities) {
    const port = portOf(unLocode)
    for (const [index, { code, name, type, offset }] of some.entries())
      yield {
        Id: idOf(seed, unLocode, index),
        PortId: port.id,
        Code: code,
        Name: `${port.name} ${name}`,
        FacilityTypeCode: type,
        BicFacilityCode: `${unLocode}${code}1`,
        Latitude: rounded(port.latitude + offset[0]),
        Longitude: rounded(port.longitude + offset[1]),
      }
  }
}

/** A terminal that ships or aircraft call at in a port, the same for the same number; null for other ports. */
export function terminalIdOf(seed: number, unLocode: string, number: number): string | null {
  const some = facilities.get(unLocode)?.filter(({ type }) => type !== 'DEPO')
  return some ? idOf(seed, unLocode, number % some.length) : null
}

function idOf(seed: number, unLocode: string, index: number): string {
  return demoId(Stream.Terminal, seed, places.get(unLocode) as number, index)
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e4) / 1e4
}
