import { Cursor } from './cursor.js'
import { defaultLimits, type ODataLimits } from './limits.js'
import { ODataError, say } from './odata-error.js'
import { parseApply } from './parse-apply.js'
import { parseExpression } from './parse-expression.js'
import { parseComputeItem, parseList, parseOrderBy } from './parse-items.js'
import { parseSearch } from './parse-search.js'
import type { ExpandItem, Expression, OptionText, QueryOptions, SelectItem } from './syntax.js'
import type { UnsupportedCode } from './unsupported.js'
import type { QueryPair } from './url.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Options of the standard that are known and not done here. */
const unsupportedOptions: Readonly<Record<string, UnsupportedCode>> = {
  deltatoken: 'DeltaToken',
  index: 'Index',
  schemaversion: 'SchemaVersion',
}

type OptionReaders = { readonly [K in keyof QueryOptions]-?: (cursor: Cursor) => QueryOptions[K] }

/** How each option is read from its text. */
const readers: Omit<OptionReaders, 'aliases' | 'texts'> = {
  filter: parseExpression,
  search: parseSearch,
  select: (cursor) => parseList(cursor, parseSelectItem),
  expand: (cursor) => parseList(cursor, (at) => parseExpandItem(at, 1)),
  orderby: parseOrderBy,
  compute: (cursor) => parseList(cursor, parseComputeItem),
  apply: parseApply,
  top: (cursor) => parseCount(cursor, 'top'),
  skip: (cursor) => parseCount(cursor, 'skip'),
  count: parseBoolean,
  levels: parseLevels,
  skiptoken: (cursor) => ({ kind: 'literal', at: cursor.at, type: 'string', text: parseRest(cursor) }),
  format: parseRest,
}

/** Options that stand in the parentheses of an `$expand` item. */
const expandOptions = [
  'select',
  'expand',
  'filter',
  'orderby',
  'top',
  'skip',
  'count',
  'search',
  'compute',
  'levels',
  'apply',
] as const
/** Options that stand in the parentheses of a `$select` item. */
const selectOptions = ['select', 'filter', 'orderby', 'top', 'skip', 'count', 'search', 'compute'] as const

/**
 * Parses the options of a request. Names are read with and without `$` and in any case, and may occur once.
 * Other names without `$` are the caller's own and ignored. Throws nothing but {@link ODataError}.
 */
export function parseQueryOptions(
  pairs: readonly QueryPair[],
  limits: ODataLimits = defaultLimits,
): QueryOptions {
  const options: Record<string, unknown> = {}
  const texts: OptionText[] = []
  const aliases = new Map<string, Expression>()
  for (const [name, text] of pairs) {
    if (name.startsWith('@')) {
      if (aliases.has(name.slice(1))) throw twice(name)
      aliases.set(name.slice(1), parseAliasValue(name, text, limits))
      texts.push({ name, text })
      continue
    }
    const option = optionNamed(name, text)
    if (!option) continue
    if (Object.hasOwn(options, option)) throw twice(`$${option}`)
    options[option] = readOption(option, text, limits)
    texts.push({ name: `$${option}`, text })
  }
  return { ...options, texts, ...(aliases.size && { aliases }) }
}

/**
 * The option that a name of the query means; undefined for the caller's own. @param text its value, which one
 * error depends on
 */
export function optionNamed(name: string, text = ''): keyof typeof readers | undefined {
  const hasDollar = name.startsWith('$')
  const option = (hasDollar ? name.slice(1) : name).toLowerCase()
  if (option === 'levels' || !Object.hasOwn(readers, option)) {
    const code = Object.hasOwn(unsupportedOptions, option) ? unsupportedOptions[option] : undefined
    if (option === 'index' && hasDollar && !/^-?\d+$/.test(text.trim()))
      throw ODataError.invalid(`The value of '$index' must be an integer.`, { target: '$index' })
    if (code && (hasDollar || option === 'deltatoken'))
      throw ODataError.unsupported(code, { target: `$${option}` })
    if (!hasDollar) return undefined
    throw ODataError.invalid(say`The query parameter '${name}' is not supported.`, { target: name })
  }
  return option as keyof typeof readers
}

function readOption(option: keyof typeof readers, text: string, limits: ODataLimits): unknown {
  const target = `$${option}`
  if (!text.trim())
    throw ODataError.invalid(say`The value for OData query '${target}' cannot be empty.`, { target })
  const cursor = new Cursor(text, target, limits)
  cursor.blanks()
  const value = readers[option](cursor)
  cursor.end(afterOption[option] ?? 'the end')
  return value
}

const afterOption: Readonly<Partial<Record<keyof QueryOptions, string>>> = {
  filter: 'an operator or the end',
  orderby: "an operator, 'asc', 'desc', ',' or the end",
  select: "',' or the end",
  expand: "',' or the end",
  compute: "',' or the end",
  apply: "'/' or the end",
}

function parseAliasValue(name: string, text: string, limits: ODataLimits): Expression {
  const cursor = new Cursor(text, name, limits)
  cursor.at = 0
  const named = new Cursor(name, name, limits)
  named.expect('@')
  named.identifier('the name of an alias')
  named.end('the end of the name')
  const value = parseExpression(cursor)
  cursor.end('an operator or the end')
  return value
}

function twice(name: string): ODataError {
  return ODataError.invalid(say`The query option '${name}' occurs more than once.`, { target: name })
}

function parseSelectItem(cursor: Cursor): SelectItem {
  const { at } = cursor
  if (cursor.take('*')) return { at, path: ['*'] }
  const path = parseNames(cursor, (name, from) => {
    if (name.startsWith('$')) cursor.fail('a name', from)
    return false
  })
  if (cursor.take('.*') || cursor.match(parameterNames)) cursor.unsupported('Operations', at, path.join('/'))
  if (!cursor.sees('(')) return { at, path }
  return { at, path, options: parseNestedOptions(cursor, selectOptions, 0) }
}

/** `(Location,Kind)` behind the name of a function, without what stands before an `=`. */
const parameterNames = /\([ \t]*\w+[ \t]*(?:,[ \t]*\w+[ \t]*)*\)/y

/** Options of what is not expanded as entities. */
const shapeOptions = {
  entities: expandOptions,
  ref: ['filter', 'search', 'orderby', 'top', 'skip', 'count'],
  count: ['filter', 'search'],
} as const

function parseExpandItem(cursor: Cursor, depth: number): ExpandItem {
  const { at, limits } = cursor
  cursor.expandItem()
  if (depth > limits.maxExpansionDepth)
    cursor.refuse(
      say`The request includes a $expand path which is too deep. The maximum depth allowed is ${limits.maxExpansionDepth}.`,
      at,
    )
  let shape: ExpandItem['shape'] = 'entities'
  const endsWith = (name: string, from: number): boolean => {
    if (!name.startsWith('$')) return false
    if (name !== '$ref' && name !== '$count') cursor.fail("a name, '$ref' or '$count'", from)
    shape = name === '$ref' ? 'ref' : 'count'
    return true
  }
  let path = ['*']
  if (cursor.takeWord('$value')) cursor.unsupported('MediaStreams', at)
  if (!cursor.take('*')) path = parseNames(cursor, endsWith)
  else if (cursor.take('/')) {
    const from = cursor.at
    if (!cursor.take('$ref')) cursor.fail("'$ref'", from)
    shape = 'ref'
  }
  const options = cursor.sees('(') ? parseNestedOptions(cursor, shapeOptions[shape], depth) : {}
  return { at, path, shape, options }
}

/** Parses names with slashes between. `isLast` says whether a name ends the path; that name is left out. */
function parseNames(cursor: Cursor, isLast: (name: string, at: number) => boolean): string[] {
  const path: string[] = []
  do {
    const { at } = cursor
    if (path.length >= cursor.limits.maxPathSegments)
      cursor.refuse(
        say`The limit of '${cursor.limits.maxPathSegments}' segments of a path has been exceeded.`,
      )
    if (cursor.sees('@')) cursor.unsupported('Annotations')
    if (path.length > 0 && cursor.take('*')) {
      path.push('*')
      continue
    }
    const dollar = path.length > 0 && cursor.take('$') ? '$' : ''
    const name =
      dollar + (cursor.qualifiedName() ?? cursor.fail(path.length ? 'a name' : "a name or '*'", at))
    if (isLast(name, at)) return path
    path.push(name)
  } while (cursor.take('/'))
  return path
}

/** Options in parentheses, separated by `;`. */
function parseNestedOptions(
  cursor: Cursor,
  allowed: readonly (keyof QueryOptions)[],
  depth: number,
): QueryOptions {
  return cursor.deeper(() => {
    const options: Mutable<QueryOptions> = {}
    const texts: OptionText[] = []
    cursor.expect('(')
    do {
      cursor.blanks()
      const { at } = cursor
      if (cursor.sees('@')) cursor.unsupported('NestedAliases')
      const written = (cursor.take('$') ? '$' : '') + cursor.identifier('a query option')
      const name = written.replace('$', '').toLowerCase()
      const option = allowed.find((one) => one === name)
      if (!option) cursor.refuse(say`The query option '${written}' is not allowed here.`, at)
      if (options[option] !== undefined)
        cursor.refuse(say`The query option '$${name}' occurs more than once.`, at)
      cursor.blanks()
      cursor.expect('=')
      cursor.blanks()
      const from = cursor.at
      Object.assign(options, { [option]: readNested(cursor, option, depth) })
      texts.push({ name: `$${option}`, text: cursor.text.slice(from, cursor.at) })
      cursor.blanks()
    } while (cursor.take(';'))
    cursor.expect(')', "',', ';' or ')'")
    return { ...options, texts }
  })
}

function readNested(cursor: Cursor, option: keyof QueryOptions, depth: number): unknown {
  if (option === 'expand') return parseList(cursor, (at) => parseExpandItem(at, depth + 1))
  return readers[option as keyof typeof readers](cursor)
}

const digits = /\d+/y
const signedDigits = /[+-]?[\w.+-]*/y

function parseCount(cursor: Cursor, option: string): number {
  const { at } = cursor
  const text = cursor.match(digits)
  if (text === undefined || cursor.isWordAt(cursor.at) || cursor.sees('.')) {
    cursor.at = at
    const found = cursor.match(signedDigits) || cursor.text.slice(at, at + 20)
    cursor.refuse(
      say`Invalid value '${found.slice(0, 40)}' for $${option} query option found. The $${option} query option requires a non-negative integer value.`,
      at,
    )
  }
  // No table has more rows.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

function parseBoolean(cursor: Cursor): boolean {
  if (cursor.takeWord('true')) return true
  if (cursor.takeWord('false')) return false
  return cursor.fail("'true' or 'false'")
}

function parseLevels(cursor: Cursor): number | 'max' {
  if (cursor.takeWord('max')) return 'max'
  const { at } = cursor
  const isPadded = cursor.sees('0')
  const levels = parseCount(cursor, 'levels')
  if (levels < 1 || isPadded) cursor.refuse("The value of '$levels' must be a positive integer or 'max'.", at)
  return levels
}

function parseRest(cursor: Cursor): string {
  const rest = cursor.text.slice(cursor.at)
  cursor.at = cursor.text.length
  return rest
}
