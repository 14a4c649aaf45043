import { exact } from './exact.js'

/** The amounts of a charge, in the currency of the quote. Decimals are text. */
export interface ComparedCharge {
  readonly chargeCodeId: string
  readonly description: string
  readonly isOptional: boolean
  readonly sellAmount: string
  readonly costAmountQuote: string | null
}

/** The amounts of an option. */
export interface ComparedOption {
  readonly carrierCode: string | null
  readonly viaUnLocode: string | null
  readonly totalSell: string
  readonly totalCost: string | null
  readonly marginPercent: string | null
  readonly charges: readonly ComparedCharge[]
}

/** A charge before and after; null where there is none. */
export interface ChargeChange {
  readonly description: string
  readonly sellBefore: string | null
  readonly sellAfter: string | null
  readonly costBefore: string | null
  readonly costAfter: string | null
}

/** An option before and after, with the charges that differ; null where there is none. */
export interface OptionChange {
  readonly carrierCode: string | null
  readonly viaUnLocode: string | null
  readonly sellBefore: string | null
  readonly sellAfter: string | null
  readonly costBefore: string | null
  readonly costAfter: string | null
  readonly marginPercentBefore: string | null
  readonly marginPercentAfter: string | null
  readonly charges: ChargeChange[]
}

/** Options before and after a new calculation, by carrier and way: those that were there first. */
export function optionChanges(
  before: readonly ComparedOption[],
  after: readonly ComparedOption[],
): OptionChange[] {
  const wayOf = ({ carrierCode, viaUnLocode }: ComparedOption) => `${carrierCode ?? ''} ${viaUnLocode ?? ''}`
  return pairsOf(before, after, wayOf).map(([old, now]) => {
    const { carrierCode, viaUnLocode } = (now ?? old) as ComparedOption
    return {
      ...{ carrierCode, viaUnLocode },
      ...{ sellBefore: old?.totalSell ?? null, sellAfter: now?.totalSell ?? null },
      ...{ costBefore: old?.totalCost ?? null, costAfter: now?.totalCost ?? null },
      marginPercentBefore: old?.marginPercent ?? null,
      marginPercentAfter: now?.marginPercent ?? null,
      charges: chargeChanges(old?.charges ?? [], now?.charges ?? []),
    }
  })
}

function chargeChanges(before: readonly ComparedCharge[], after: readonly ComparedCharge[]): ChargeChange[] {
  const keyOf = ({ chargeCodeId, description, isOptional }: ComparedCharge) =>
    `${chargeCodeId} ${description} ${isOptional}`
  return pairsOf(before, after, keyOf).flatMap(([old, now]) => {
    const change = {
      description: ((now ?? old) as ComparedCharge).description,
      ...{ sellBefore: old?.sellAmount ?? null, sellAfter: now?.sellAmount ?? null },
      ...{ costBefore: old?.costAmountQuote ?? null, costAfter: now?.costAmountQuote ?? null },
    }
    const isSame =
      isEqual(change.sellBefore, change.sellAfter) && isEqual(change.costBefore, change.costAfter)
    return isSame ? [] : [change]
  })
}

/** True for decimals of the same value, and for two nulls. */
export function isEqual(one: string | null, other: string | null): boolean {
  return one === null || other === null ? one === other : exact(one).eq(other)
}

/** Rows of two lists by a key; of rows with the same key the first ones belong together. */
function pairsOf<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (row: T) => string,
): [old: T | undefined, now: T | undefined][] {
  const left = [...after]
  const pairs = before.map((old): [T, T | undefined] => {
    const at = left.findIndex((now) => keyOf(now) === keyOf(old))
    return [old, at < 0 ? undefined : left.splice(at, 1)[0]]
  })
  return [...pairs, ...left.map((now): [undefined, T] => [undefined, now])]
}
