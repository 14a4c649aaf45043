/** Digits behind the point of quantities and prices. */
const scale = 4

/** A decimal with up to that many digits behind the point as a whole number of parts of one: `12.3456` → `123456n`. */
export function unitsOf(decimal: string | number, digits: number = scale): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(decimal)) ?? []
  const units = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  return sign ? -units : units
}

/** A whole number of parts of one, with that many digits behind the point, as a decimal: `123456n` → `12.3456`. */
export function decimalOf(units: bigint, digits: number = scale): string {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  return `${units < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Quantity times price with two digits behind the point, rounded half up; both are 0 or more. */
export function amountOf(quantity: string | number, price: string | number | null | undefined): string {
  const product = unitsOf(quantity) * unitsOf(price ?? 0)
  return decimalOf((product + 500_000n) / 1_000_000n, 2)
}

/** The sum of decimals with the same number of digits behind the point. */
export function sumOf(decimals: readonly (string | number)[], digits: number = scale): string {
  const units = decimals.reduce<bigint>((sum, decimal) => sum + unitsOf(decimal), 0n)
  return decimalOf(units / 10n ** BigInt(scale - digits), digits)
}
