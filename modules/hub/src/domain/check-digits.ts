/** True for a container number of ISO 6346: owner, category U, J or Z, serial, check digit. */
export function isContainerNumber(value: string): boolean {
  return /^[A-Z]{3}[UJZ]\d{7}$/.test(value) && containerCheckDigit(value) === Number(value[10])
}

/**
 * The check digit that follows the first ten characters of a container number (ISO 6346): letters count 10 to
 * 38 without the multiples of 11, each character times two to the power of its position, modulo 11, where 10
 * reads 0.
 */
export function containerCheckDigit(number: string): number {
  let sum = 0
  for (let position = 0; position < 10; position++)
    sum += characterValue(number.charCodeAt(position)) * 2 ** position
  return (sum % 11) % 10
}

function characterValue(charCode: number): number {
  const digit = charCode - 48
  if (digit < 10) return digit
  const value = charCode - 55
  return value + Math.floor((value - 1) / 10)
}

/** True for an air waybill number as stored (`020-81140743`): airline, serial, check digit. */
export function isAirWaybillNumber(value: string): boolean {
  return /^\d{3}-\d{8}$/.test(value) && airWaybillCheckDigit(Number(value.slice(4, 11))) === Number(value[11])
}

/** The check digit of an air waybill: its seven-digit serial modulo 7, hence never above 6. */
export function airWaybillCheckDigit(serial: number): number {
  return serial % 7
}

/** True for a ship's IMO number: six digits, weighted 7 down to 2, whose sum ends in the seventh. */
export function isImoNumber(value: string): boolean {
  if (!/^\d{7}$/.test(value)) return false
  let sum = 0
  for (let position = 0; position < 6; position++) sum += Number(value[position]) * (7 - position)
  return sum % 10 === Number(value[6])
}
