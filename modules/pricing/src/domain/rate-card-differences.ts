import { type RateBasis, RateDifferenceKind } from '../contracts/index.js'

/** A rate line of a card with what identifies it across versions. */
export interface ComparedLine {
  readonly lane: string
  readonly chargeCode: string
  readonly containerTypeCode: string | null
  readonly appliesWhen: number
  readonly rate: ComparedRate
}

/** The values of a line that may differ. */
export interface ComparedRate {
  readonly basis: RateBasis
  readonly currencyCode: string
  readonly amount: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly breaks: string[]
}

/** A line that differs. */
export interface RateDifference {
  readonly kind: RateDifferenceKind
  readonly lane: string
  readonly chargeCode: string
  readonly containerTypeCode: string | null
  readonly before: ComparedRate | null
  readonly after: ComparedRate | null
}

/** The lines in which two cards differ, by lane and charge. */
export function differencesBetween(
  before: readonly ComparedLine[],
  after: readonly ComparedLine[],
): RateDifference[] {
  const older = new Map(before.map((line) => [keyOf(line), line]))
  const newer = new Map(after.map((line) => [keyOf(line), line]))
  return [...new Set([...older.keys(), ...newer.keys()])].sort().flatMap((key) => {
    const [old, now] = [older.get(key), newer.get(key)]
    if (old && now && isSame(old.rate, now.rate)) return []
    const { lane, chargeCode, containerTypeCode } = (now ?? old) as ComparedLine
    const kind = !old
      ? RateDifferenceKind.Added
      : now
        ? RateDifferenceKind.Changed
        : RateDifferenceKind.Removed
    return [
      { kind, lane, chargeCode, containerTypeCode, before: old?.rate ?? null, after: now?.rate ?? null },
    ]
  })
}

function keyOf({ lane, chargeCode, containerTypeCode, appliesWhen }: ComparedLine): string {
  return [lane, chargeCode, containerTypeCode ?? '', appliesWhen].join('|')
}

function isSame(one: ComparedRate, other: ComparedRate): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
