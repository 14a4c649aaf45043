/**
 * The check digit that ISO 6346 gives the first ten characters of a container number: letters are 10 to 38 without multiples of 11,
 * each character counts twice as much as the one before, and the sum is taken modulo 11, of which 10 becomes 0.
 * Undefined when they are not three letters, a U, J or Z, and six digits.
 */
export function containerCheckDigit(number: string): number | undefined {
  if (!/^[A-Z]{3}[UJZ]\d{6}/.test(number)) return undefined
  const sum = [...number.slice(0, 10)].reduce(
    (total, character, position) => total + letterValue(character) * 2 ** position,
    0,
  )
  return (sum % 11) % 10
}

/** True for a container number with its check digit. */
export function isContainerNumber(number: string): boolean {
  return /^[A-Z]{4}\d{7}$/.test(number) && containerCheckDigit(number) === Number(number[10])
}

function letterValue(character: string): number {
  if (character <= '9') return Number(character)
  const place = character.charCodeAt(0) - 'A'.charCodeAt(0)
  // 11, 22 and 33 are left out.
  return 10 + place + Math.ceil(place / 10)
}
