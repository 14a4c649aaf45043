import type { Cursor } from './cursor.js'
import { say } from './odata-error.js'
import type { Literal } from './syntax.js'

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iy
const year = String.raw`-?(?:0\d{3}|[1-9]\d{3,8})`
const day = String.raw`${year}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?`
const dateTimeOffset = new RegExp(`${day}T${time}(?:Z|[+-](?:0\\d|1[0-4]):[0-5]\\d)`, 'iy')
const date = new RegExp(day, 'y')
const timeOfDay = new RegExp(time, 'y')
const decimal = /[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy
const notANumber = /(?:-?INF|NaN)/y

/** Literals without quotes that no name begins like, tried in this order: longer forms first. */
const bare: readonly (readonly [Literal['type'], RegExp])[] = [
  ['guid', guid],
  ['dateTimeOffset', dateTimeOffset],
  ['date', date],
  ['timeOfDay', timeOfDay],
  ['number', notANumber],
  ['integer', decimal],
]

/** Parses the literal that stands here; undefined when none does. Throws for a literal that is cut short. */
export function parseLiteral(cursor: Cursor): Literal | undefined {
  const { at } = cursor
  if (cursor.sees("'")) return { kind: 'literal', at, type: 'string', text: parseQuoted(cursor) }
  if (cursor.sees('[') || cursor.sees('{')) {
    const text = parseJson(cursor)
    return text === undefined ? undefined : { kind: 'literal', at, type: 'json', text }
  }
  return parseBare(cursor) ?? parseConstant(cursor)
}

function parseBare(cursor: Cursor): Literal | undefined {
  const { at } = cursor
  for (const [type, expression] of bare) {
    const text = cursor.match(expression)
    if (text === undefined) continue
    if (type === 'date' && cursor.sees('T')) cursor.fail('a time with an offset')
    // `12ab`, `2024-01-01T…` with a fault in it, and `INFO`, which is a name.
    if (cursor.isWordAt(cursor.at)) {
      if (type === 'number' || type === 'guid') {
        cursor.at = at
        continue
      }
      cursor.fail(`the end of the literal ${text}`)
    }
    if (type !== 'integer') return { kind: 'literal', at, type, text }
    return { kind: 'literal', at, type: /^[+-]?\d+$/.test(text) ? 'integer' : 'number', text }
  }
  return undefined
}

function parseConstant(cursor: Cursor): Literal | undefined {
  const { at } = cursor
  if (cursor.takeWord('null')) return { kind: 'literal', at, type: 'null', text: 'null' }
  for (const text of ['true', 'false'])
    if (cursor.takeWord(text)) return { kind: 'literal', at, type: 'boolean', text }
  return undefined
}

/** A literal with what stands before its quote: `duration'PT1H'`, `binary'…'`, `Ns.Enum'Member'`. */
export function parsePrefixed(cursor: Cursor, prefix: string, at: number): Literal {
  const text = parseQuoted(cursor)
  const lower = prefix.toLowerCase()
  if (lower === 'duration' || lower === 'binary') return { kind: 'literal', at, type: lower, text }
  if (lower === 'geography' || lower === 'geometry') cursor.unsupported('Geography', at)
  if (!prefix.includes('.')) cursor.fail('duration, binary or the qualified name of an enumeration', at)
  return { kind: 'literal', at, type: 'enum', text, typeName: prefix }
}

/** Parses a text in single quotes. A doubled quote stands for one. */
export function parseQuoted(cursor: Cursor): string {
  const from = cursor.at
  const { maxTextLength } = cursor.limits
  cursor.expect("'")
  let text = ''
  for (;;) {
    const end = cursor.text.indexOf("'", cursor.at)
    if (end < 0) {
      cursor.at = cursor.text.length
      cursor.fail(`the closing quote of the text at position ${from}`)
    }
    text += cursor.text.slice(cursor.at, end)
    if (text.length > maxTextLength)
      cursor.refuse(say`The length limit of '${maxTextLength}' of a text has been exceeded.`, from)
    cursor.at = end + 1
    if (!cursor.take("'")) return text
    text += "'"
  }
}

/** The JSON array or object that stands here, as it is written and passed; undefined for what is none. */
function parseJson(cursor: Cursor): string | undefined {
  const from = cursor.at
  const end = endOfJson(cursor, from)
  if (end === undefined) return undefined
  const text = cursor.text.slice(from, end)
  if (text.length > cursor.limits.maxTextLength * 10) cursor.refuse('The JSON value is too long.', from)
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  cursor.at = end
  return text
}

const jsonString = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y

/** The text in double quotes that stands here, passed. */
export function parseJsonString(cursor: Cursor): string {
  const { at } = cursor
  const text = cursor.match(jsonString)
  try {
    if (text !== undefined) return JSON.parse(text) as string
  } catch {
    cursor.at = at
  }
  return cursor.fail('a text in double quotes', at)
}

function endOfJson(cursor: Cursor, from: number): number | undefined {
  const { text, limits } = cursor
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const symbol = text[at]
    if (symbol === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (symbol === '[' || symbol === '{') {
      if (++depth > limits.maxDepth)
        cursor.refuse(say`The recursion limit of '${limits.maxDepth}' has been exceeded.`, at)
    } else if ((symbol === ']' || symbol === '}') && --depth === 0) return at + 1
  }
  return undefined
}
