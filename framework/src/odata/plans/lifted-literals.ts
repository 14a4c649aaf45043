import { containing } from '../../data/wire/sql.js'
import { isDay } from '../binding/literal-values.js'

type Kind = 'text' | 'guid' | 'instant' | 'date' | 'decimal' | 'large' | 'small'

/** A literal that was lifted out of a request. */
interface Lifted {
  readonly kind: Kind
  /** As it stands in the request, decoded and without quotes. */
  readonly text: string
  /** As the statement has it among its values. */
  readonly value: string
}

/** A request's text with the literals in it lifted out: requests that differ in these alone are understood the same way, mostly. */
export interface LiftedText {
  readonly shape: string
  /** Each once, in the order of their first places. */
  readonly literals: readonly Lifted[]
}

const before = `(?<=[(,+ "]|%20|%28|%2C)`
const beforeMore = `(?<=[(/,=+ "]|%20|%28|%2C)`
const behind = `(?=[)/,;&?+ "]|%20|%29|%2C|$)`
const quote = `(?:'|%27)`
const day = String.raw`[1-9]\d{3}-\d\d-\d\d`
const colon = '(?::|%3A)'
const instant = String.raw`${day}T(?:[01]\d|2[0-3])${colon}[0-5]\d${colon}[0-5]\d(?:\.\d{1,6})?Z`
const guid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** What stands between quotes is passed over as a whole, so that nothing inside is taken for a literal; `''` is one quote of the text. */
const literal = new RegExp(
  [
    `(?<open>${quote})(?<quoted>(?:(?!${quote}).|${quote}{2})*)${quote}(?!${quote})`,
    `${beforeMore}(?<guid>${guid})${behind}`,
    `${before}(?<instant>${instant})${behind}`,
    `${before}(?<date>${day})${behind}`,
    String.raw`${before}(?<decimal>(?:0|[1-9]\d{0,8})\.\d{1,6})${behind}`,
    String.raw`${before}(?<large>[1-9]\d{4,8})${behind}`,
    String.raw`${before}(?<small>0|[1-9]\d{0,3})${behind}`,
  ].join('|'),
  'g',
)
/** Texts that need no care: no symbol in them means anything to whoever reads them. */
const plainText = /^[A-Za-z\d](?:[\w .-]{0,98}[A-Za-z\d])?$/
const hiddenGuid = new RegExp(guid, 'i')
/** Double quotes have rules of their own; and letters, digits and hyphens need no encoding: who encodes them may hide something. */
const unusual = /["\0]|%2[2d]|%3\d|%[46][1-9a-f]|%[57][\da]/i
/** More would take long to find out about. */
const mostLiterals = 8

/** Lifts the literals out of a path and a query, as far as they are plain. */
export function liftLiterals(path: string, query: string): LiftedText {
  const text = `${path}?${query}`
  if (unusual.test(text)) return { shape: text, literals: [] }
  const literals: Lifted[] = []
  const shape = replaceLiterals(text, (found) => {
    let index = literals.findIndex(({ kind, text }) => kind === found.kind && text === found.text)
    if (index < 0) index = literals.push(found) - 1
    // No URL has this character.
    return `\0${found.kind}${index}`
  })
  const values = new Set(literals.map(({ value }) => value))
  // What can't be told apart in the statement, perhaps because one has another case, can't be exchanged there.
  const isClear =
    values.size === literals.length && literals.length <= mostLiterals && !hiddenGuid.test(shape)
  return isClear ? { shape, literals } : { shape: text, literals: [] }
}

/** Writes others for the plain literals of a text, with the quotes that they had. */
function replaceLiterals(text: string, write: (literal: Lifted) => string | undefined): string {
  return text.replace(literal, (...match) => {
    const [whole] = match as [string]
    const groups = match.at(-1) as Partial<Record<Kind | 'open' | 'quoted', string>>
    const { open, quoted } = groups
    if (quoted === undefined) {
      const found = bare(groups)
      return (found && write(found)) ?? whole
    }
    const at = match.at(-3) as number
    const plain = quoted.replaceAll('%20', ' ')
    if (!plainText.test(plain) || /\w$/.test(text.slice(Math.max(at - 3, 0), at).replace(/%\w\w$/, '')))
      return whole
    const other = write({ kind: 'text', text: plain, value: plain })
    return other === undefined ? whole : `${open}${other}${open}`
  })
}

function bare(groups: Partial<Record<Kind, string>>): Lifted | undefined {
  for (const kind of ['guid', 'instant', 'date', 'decimal', 'large', 'small'] as const) {
    const found = groups[kind]
    if (found === undefined) continue
    if (kind !== 'instant' && kind !== 'date') return { kind, text: found, value: found }
    const [year = '', month = '', date = ''] = found.slice(0, 10).split('-')
    if (!isDay(year, month, date)) return undefined
    const text = found.replaceAll('%3A', ':')
    return { kind, text, value: kind === 'date' ? text : inMicroseconds(text) }
  }
  return undefined
}

/** `2024-05-01T10:00:00Z` as statements have it: with six digits behind the point. */
function inMicroseconds(text: string): string {
  const [, seconds = '', fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) ?? []
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

/** Writes other literals for those of a request, into whatever was made of it. */
export class LiteralExchange {
  private readonly values = new Map<string, string>()

  constructor(
    private readonly literals: readonly Lifted[],
    private readonly others: readonly Lifted[],
  ) {
    for (const [index, { kind, value }] of literals.entries()) {
      const other = others[index]?.value ?? value
      this.values.set(value, other)
      if (kind !== 'text') continue
      // What contains, begins or ends with it.
      const [pattern, otherPattern] = [containing(value), containing(other)]
      this.values.set(pattern, otherPattern)
      this.values.set(pattern.slice(1), otherPattern.slice(1))
      this.values.set(pattern.slice(0, -1), otherPattern.slice(0, -1))
    }
  }

  /** @param isUrl whether blanks are to be encoded */
  text(text: string, isUrl = false): string {
    return replaceLiterals(text, ({ kind, text }) => {
      const index = this.literals.findIndex((one) => one.kind === kind && one.text === text)
      const other = this.others[index]?.text
      return isUrl ? other?.replaceAll(' ', '%20') : other
    })
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.values.get(value) ?? value
    return Array.isArray(value) ? value.map((one) => this.value(one)) : value
  }
}

/** Literals to try instead of those of a request: what is true with all of them does not depend on which they are. */
export function otherLiterals({ literals }: LiftedText): readonly (readonly Lifted[])[] {
  return trials.map((trial) =>
    literals.map(({ kind }, index) => {
      const text = trial[kind](index)
      return { kind, text, value: kind === 'instant' ? inMicroseconds(text) : text }
    }),
  )
}

const guidLike = (start: string, index: number): string =>
  `${start}${String(index).padStart(6, '0')}-9a11-4e07-8001-0a5e77e1d0${start}`

/** By kind: short and long, small and great, with everything that a plain one may have. */
const trials: readonly Readonly<Record<Kind, (index: number) => string>>[] = [
  {
    text: (index) => `${index}`,
    guid: (index) => guidLike('f0', index),
    instant: (index) => `1000-01-0${index + 1}T00:00:00Z`,
    date: (index) => `1000-01-0${index + 1}`,
    decimal: (index) => `${index}.0`,
    large: (index) => `${10_000 + index}`,
    small: (index) => `${index}`,
  },
  {
    text: (index) => `Ab ${index}_c-D.9`,
    guid: (index) => guidLike('1e', index),
    instant: (index) => `9999-12-0${index + 1}T23:59:59.999999Z`,
    date: (index) => `9999-12-0${index + 1}`,
    decimal: (index) => `${999_999_999 - index}.999999`,
    large: (index) => `${999_999_999 - index}`,
    small: (index) => `${9999 - index}`,
  },
  {
    text: (index) => `${'xY'.repeat(49)}z${index}`,
    guid: (index) => guidLike('00', index),
    instant: (index) => `2024-02-1${index}T12:30:15.5Z`,
    date: (index) => `2024-02-1${index}`,
    decimal: (index) => `1${index}.50`,
    large: (index) => `4000${index}`,
    small: (index) => `4${index}`,
  },
]
