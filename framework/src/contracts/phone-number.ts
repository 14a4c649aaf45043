/** Blanks of all kinds, and what people put between the digits of a number. */
const separators = /[\s().\-/\u2010-\u2015]/g
const international = /^\+[1-9]\d{6,14}$/

/**
 * A telephone number in E.164 (`+4940123456`): a plus sign, the country code and at most 15 digits in all.
 * Blanks and the usual signs between digits are dropped, a leading `00` stands for the plus sign. Undefined
 * for a text without a country code, as no country is taken for granted.
 */
export function e164(text: string | null | undefined): string | undefined {
  const plain = (text ?? '').replace(separators, '').replace(/^00/, '+')
  return international.test(plain) ? plain : undefined
}

/** True when two texts are the same telephone number, ignoring separators. No number equals no number. */
export function isSamePhoneNumber(one: string | null | undefined, other: string | null | undefined): boolean {
  return (e164(one) ?? one?.trim() ?? '') === (e164(other) ?? other?.trim() ?? '')
}
