import type { ParameterKinds } from './text-template.js'

/** The most characters of a text: in a mail, in its subject, in a text message. */
export const longestValue = { mail: 2000, subject: 100, sms: 40 } as const

// Also the line and paragraph separators, which some programs take for the end of a line.
const breaks = /[\p{Cc}\p{Z}]+/gu
// Marks that nobody sees: they turn the direction of what follows, or hide letters, and halves of characters. Joiners stay, for Persian and emoji.
const invisible = /(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Words of a person as they may stand in a message: one line, nothing invisible, at most so many characters. */
export function cleanText(text: string, most: number): string {
  // Cut before as well: what is given may be of any length.
  const line = text
    .slice(0, most * 4)
    .replace(invisible, '')
    .replace(breaks, ' ')
    .trim()
  return shortened(line, most)
}

/** A text of at most so many UTF-16 units, which ends with an ellipsis where something was cut. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** True when a text turns the direction of its line, and is kept apart from what stands beside it. */
export function turnsLine(text: string): boolean {
  return rightToLeft.test(text)
}

/** Minutes as people say them in a language: `45 minutes`, `24 hours`, `7 days`. */
export function durationText(minutes: ParameterKinds['duration'], culture: string): string {
  const [count, unit] =
    minutes < 120
      ? [minutes, 'minute']
      : minutes < 2 * 1440
        ? [minutes / 60, 'hour']
        : [minutes / 1440, 'day']
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 } as const
  return new Intl.NumberFormat(culture, format).format(count)
}
