import { type Exact, exact } from './exact.js'

/** A dated rate between two currencies, of the kind Mid. */
export interface DatedRate {
  readonly from: string
  readonly to: string
  /** A decimal. */
  readonly rate: string
  readonly date: string
}

/** How a rate came about. */
export type RateWay = 'Same' | 'Direct' | 'Inverse' | 'Pivot'

/** The rate between two currencies, with its explanation. */
export interface FoundRate {
  readonly rate: Exact
  readonly way: RateWay
  /** The day of the rate, of the older one of two; null for the same currency. */
  readonly date: string | null
}

/** Finds rates among the latest ones (domain model, section 7.3). Computed rates are rounded to 8 digits behind the point. */
export class Conversions {
  private readonly rates = new Map<string, DatedRate>()

  constructor(
    rates: readonly DatedRate[],
    private readonly pivot: string,
  ) {
    for (const rate of rates) this.rates.set(`${rate.from}${rate.to}`, rate)
  }

  /** The rate from one currency to another; undefined where there is none, or where it is so low that its 8 digits are zeros. */
  find(from: string, to: string): FoundRate | undefined {
    if (from === to) return { rate: exact(1), way: 'Same', date: null }
    return rounded(this.ofPair(from, to)) ?? rounded(this.overPivot(from, to))
  }

  private ofPair(from: string, to: string): FoundRate | undefined {
    const direct = this.rates.get(`${from}${to}`)
    if (direct) return { rate: exact(direct.rate), way: 'Direct', date: direct.date }
    const inverse = this.rates.get(`${to}${from}`)
    return inverse && { rate: exact(1).div(inverse.rate), way: 'Inverse', date: inverse.date }
  }

  private overPivot(from: string, to: string): FoundRate | undefined {
    const [before, after] = [this.ofPair(this.pivot, from), this.ofPair(this.pivot, to)]
    if (!before || !after) return undefined
    const date = [before.date, after.date].sort()[0] ?? null
    return { rate: after.rate.div(before.rate), way: 'Pivot', date }
  }
}

function rounded(found: FoundRate | undefined): FoundRate | undefined {
  const rate = found?.rate.decimalPlaces(8)
  return found && rate?.gt(0) ? { ...found, rate } : undefined
}
