import { BigNumber } from 'bignumber.js'

/** Decimals with 20 digits behind the point after a division; sums and products are exact. Halves are rounded away from zero. */
const Exact = BigNumber.clone({
  DECIMAL_PLACES: 20,
  ROUNDING_MODE: BigNumber.ROUND_HALF_UP,
  EXPONENTIAL_AT: 1e9,
})

/** An exact decimal. */
export type Exact = BigNumber

/** A decimal text, or a whole number, as an exact decimal. */
export function exact(value: string | number | Exact): Exact {
  return new Exact(value)
}

/** A part of a whole in per cent, with 2 digits behind the point; 0 of nothing. */
export function shareOf(part: Exact, whole: Exact): Exact {
  return whole.isZero() ? exact(0) : part.times(100).div(whole).decimalPlaces(2)
}

/** The sum of decimals. */
export function sum(values: readonly Exact[]): Exact {
  return values.reduce((total, value) => total.plus(value), exact(0))
}
