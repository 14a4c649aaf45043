/** The subjects of draws. Each has its own numbers, so that a change of one leaves the others unchanged. */
export const Stream = {
  Organization: 1,
  Route: 2,
  Fate: 3,
  Timeline: 4,
  Parties: 5,
  PartyCount: 6,
  Cargo: 7,
  Shipment: 8,
  Order: 9,
  OrderCount: 10,
  Document: 11,
  DocumentCount: 12,
  Member: 13,
  OrganizationDetails: 14,
  StatusHistory: 15,
  HappeningCount: 16,
  Reference: 17,
  Note: 18,
  Exception: 19,
  Milestone: 20,
  Vessel: 21,
  Consol: 22,
  Leg: 23,
  ConsolShipment: 24,
  Container: 25,
  ShipmentContainer: 26,
  PackLineCount: 27,
  PackLine: 28,
  DangerousGoods: 29,
  TrackingEvent: 30,
  OrderLine: 31,
  OrganizationAddress: 32,
  OrganizationContact: 33,
  Terminal: 34,
  Sailing: 35,
  BookedSailing: 36,
  OrderHistory: 37,
} as const

export type StreamNumber = (typeof Stream)[keyof typeof Stream]

/**
 * Random numbers which follow from seed, stream and ordinal alone (a counter-based generator): row 700,000
 * needs no row before it, and every machine draws the same.
 */
export class Draws {
  private readonly key: number
  private readonly tweak: number
  private counter = 0

  constructor(seed: number, stream: StreamNumber, ordinal: number) {
    this.key = mix(seed ^ mix(stream))
    this.tweak = mix(ordinal ^ mix(this.key))
  }

  /** 32 random bits. */
  bits(): number {
    this.counter = (this.counter + goldenRatio) | 0
    return mix(mix(this.counter ^ this.key) ^ this.tweak)
  }

  /** From 0 up to, but never, 1. */
  unit(): number {
    return this.bits() / 0x1_0000_0000
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low)
  }

  /** A whole number from 0 up to, but never, `limit`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  normal(mean: number, deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.unit()))
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.unit())
  }

  logNormal(median: number, sigma: number): number {
    return median * Math.exp(this.normal(0, sigma))
  }

  /** `value`, or now and then null: people leave optional fields empty. */
  optional<T>(value: T): T | null {
    return this.chance(0.04) ? null : value
  }

  /** `digits` random decimal digits. */
  digits(digits: number): string {
    return String(this.below(10 ** digits)).padStart(digits, '0')
  }

  hex(words: number): string {
    let text = ''
    for (let word = 0; word < words; word++) text += hex8(this.bits())
    return text
  }
}

/** Values, some more likely than others. */
export class Choice<T> {
  private readonly values: readonly T[]
  private readonly limits: number[] = []

  constructor(weighted: readonly (readonly [weight: number, value: T])[]) {
    const total = weighted.reduce((sum, [weight]) => sum + weight, 0)
    this.values = weighted.map(([, value]) => value)
    let sum = 0
    for (const [weight] of weighted) {
      sum += weight / total
      this.limits.push(sum)
    }
  }

  draw(draws: Draws): T {
    return this.at(draws.unit())
  }

  /** The value at a place between 0 and 1, each value as long as its weight. */
  at(place: number): T {
    const index = this.limits.findIndex((limit) => place < limit)
    return this.values.at(index) as T
  }
}

/**
 * The id of a demo row, a version 8 UUID: `kind`, `seed`, `ordinal` and `child` always give the same one.
 * Ordinal and child stand in front, so rows of a table never share an id and index pages fill in order.
 */
export function demoId(kind: StreamNumber, seed: number, ordinal: number, child = 0): string {
  const a = mix(mix(seed ^ mix(kind)) ^ mix(ordinal * 64 + child))
  const b = mix(a ^ goldenRatio)
  const c = mix(b ^ ordinal)
  const version = hex4[0x8000 | (c >>> 20)]
  const variant = hex4[0x8000 | (c & 0x3fff)]
  return `${hex8(ordinal)}-${hex4[child]}-${version}-${variant}-${hex4[b >>> 16]}${hex8(a)}`
}

const goldenRatio = 0x9e3779b9

const hex4 = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'))

function hex8(value: number): string {
  return `${hex4[value >>> 16]}${hex4[value & 0xffff]}`
}

/** Scatters 32 bits over 32 bits, one to one (the finalizer "lowbias32" of Chris Wellons, public domain). */
function mix(value: number): number {
  let x = value ^ (value >>> 16)
  x = Math.imul(x, 0x7feb352d)
  x ^= x >>> 15
  x = Math.imul(x, 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}
