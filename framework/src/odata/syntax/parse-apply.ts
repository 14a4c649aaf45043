import type { Cursor } from './cursor.js'
import { say } from './odata-error.js'
import { parseAggregated, parseExpression } from './parse-expression.js'
import { parseAsName, parseComputeItem, parseList, parseOrderBy } from './parse-items.js'
import { parseNamePath } from './parse-names.js'
import { parseSearch } from './parse-search.js'
import type { AggregateItem, GroupItem, Transformation } from './syntax.js'
import type { UnsupportedCode } from './unsupported.js'

const digits = /\d{1,15}/y
/** Transformations of the standard that are not done here. */
const unsupportedTransformations: Readonly<Record<string, UnsupportedCode>> = {
  expand: 'Transformation',
  addnested: 'Transformation',
  join: 'Transformation',
  outerjoin: 'Transformation',
  nest: 'Transformation',
  ancestors: 'Hierarchies',
  descendants: 'Hierarchies',
  traverse: 'Hierarchies',
}
const amounts = ['topcount', 'bottomcount', 'topsum', 'bottomsum', 'toppercent', 'bottompercent'] as const

/** Parses `$apply`: transformations with slashes between, applied from left to right. */
export function parseApply(cursor: Cursor): Transformation[] {
  const steps: Transformation[] = []
  do {
    cursor.blanks()
    if (steps.length >= cursor.limits.maxPathSegments)
      cursor.refuse(say`The limit of '${cursor.limits.maxPathSegments}' transformations has been exceeded.`)
    steps.push(cursor.deeper(() => parseTransformation(cursor)))
    cursor.blanks()
  } while (cursor.take('/'))
  return steps
}

function parseTransformation(cursor: Cursor): Transformation {
  const { at } = cursor
  cursor.node()
  const name = cursor.qualifiedName() ?? cursor.fail('a transformation')
  const kind = name.toLowerCase()
  if (kind === 'identity') return { kind, at }
  const code = Object.hasOwn(unsupportedTransformations, kind) ? unsupportedTransformations[kind] : undefined
  if (code || name.includes('.')) {
    passArguments(cursor)
    return { kind: 'other', at, name, ...(code && { unsupported: code }) }
  }
  const parse = Object.hasOwn(parsers, kind) ? parsers[kind] : undefined
  if (!parse) cursor.fail('a transformation', at)
  cursor.expect('(')
  cursor.blanks()
  const made = parse(cursor, at)
  cursor.blanks()
  cursor.expect(')', "',', an operator or ')'")
  return made
}

/** The parsers of the arguments of each transformation. */
const parsers: Readonly<Record<string, (cursor: Cursor, at: number) => Transformation>> = {
  filter: (cursor, at) => ({ kind: 'filter', at, filter: parseExpression(cursor) }),
  search: (cursor, at) => ({ kind: 'search', at, search: parseSearch(cursor) }),
  compute: (cursor, at) => ({ kind: 'compute', at, items: parseList(cursor, parseComputeItem) }),
  aggregate: (cursor, at) => ({ kind: 'aggregate', at, items: parseList(cursor, parseAggregateItem) }),
  groupby: parseGroupBy,
  orderby: (cursor, at) => ({ kind: 'orderby', at, items: parseOrderBy(cursor) }),
  top: (cursor, at) => ({ kind: 'top', at, count: parseNumber(cursor) }),
  skip: (cursor, at) => ({ kind: 'skip', at, count: parseNumber(cursor) }),
  concat: parseConcat,
  ...Object.fromEntries(
    amounts.map((kind) => [kind, (cursor: Cursor, at: number) => parseAmount(cursor, at, kind)]),
  ),
}

function parseAggregateItem(cursor: Cursor): AggregateItem {
  const item = parseAggregated(cursor)
  return seesAs(cursor) ? { ...item, alias: parseAsName(cursor) } : item
}

function seesAs(cursor: Cursor): boolean {
  const before = cursor.at
  const sees = cursor.blanks() > 0 && cursor.takeWord('as')
  cursor.at = before
  return sees
}

function parseGroupBy(cursor: Cursor, at: number): Transformation {
  const by: GroupItem[] = []
  cursor.expect('(', "'(' and the properties to group by")
  do {
    cursor.blanks()
    by.push(parseGroupItem(cursor))
    cursor.blanks()
  } while (cursor.take(','))
  cursor.expect(')', "',' or ')'")
  cursor.blanks()
  // biome-ignore lint/suspicious/noThenProperty: nothing awaits the tree
  return { kind: 'groupby', at, by, then: cursor.take(',') ? parseApply(cursor) : [] }
}

function parseGroupItem(cursor: Cursor): GroupItem {
  const { at } = cursor
  if (cursor.takeWord('rolluprecursive') && cursor.sees('(')) cursor.unsupported('Hierarchies', at)
  cursor.at = at
  if (!cursor.takeWord('rollup') || !cursor.sees('(')) {
    cursor.at = at
    return { kind: 'path', at, path: parseNamePath(cursor) }
  }
  cursor.expect('(')
  const paths: (readonly string[])[] = []
  let all = false
  do {
    cursor.blanks()
    if (!all && paths.length === 0 && cursor.takeWord('$all')) all = true
    else paths.push(parseNamePath(cursor))
    cursor.blanks()
  } while (cursor.take(','))
  if (paths.length === 0) cursor.fail("',' and a further property")
  cursor.expect(')', "',' or ')'")
  return { kind: 'rollup', at, all, paths }
}

function parseNumber(cursor: Cursor): number {
  const text = cursor.match(digits)
  if (text === undefined) cursor.fail('a number')
  return Number(text)
}

function parseConcat(cursor: Cursor, at: number): Transformation {
  const parts: Transformation[][] = []
  do {
    parts.push(parseApply(cursor))
    cursor.blanks()
  } while (cursor.take(','))
  if (parts.length < 2) cursor.fail("',' and further transformations")
  return { kind: 'concat', at, parts }
}

function parseAmount(cursor: Cursor, at: number, kind: (typeof amounts)[number]): Transformation {
  const amount = parseExpression(cursor)
  cursor.blanks()
  cursor.expect(',', "',' and an expression")
  return { kind, at, amount, by: parseExpression(cursor) }
}

/** Passes balanced parentheses of something that is not understood further. */
function passArguments(cursor: Cursor): void {
  const from = cursor.at
  if (!cursor.sees('(')) return
  let depth = 0
  let isQuoted = false
  for (; !cursor.isAtEnd; cursor.at++) {
    const symbol = cursor.text[cursor.at]
    if (symbol === "'") isQuoted = !isQuoted
    if (isQuoted) continue
    if (symbol === '(') depth++
    if (symbol === ')' && --depth === 0) {
      cursor.at++
      return
    }
  }
  cursor.fail(`')' for the parenthesis at position ${from}`)
}
