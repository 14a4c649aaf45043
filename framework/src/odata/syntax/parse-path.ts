import { Cursor } from './cursor.js'
import { defaultLimits, type ODataLimits } from './limits.js'
import { parseExpression, parseKey } from './parse-expression.js'
import type { Expression, KeyValue } from './syntax.js'
import { pathSegments } from './url.js'

/** A segment of the path of a request, as the caller wrote it. */
export type ResourceSegment =
  /** A set, a property, a type, or a key that stands as a segment: what it is the model decides. */
  | {
      readonly kind: 'name'
      /** Decoded. */
      readonly text: string
      /** Undefined where the text is no name, but may be a key. */
      readonly name?: string
      readonly keys?: readonly KeyValue[]
    }
  | { readonly kind: 'filter'; readonly text: string; readonly filter: Expression }
  | { readonly kind: 'crossjoin'; readonly text: string; readonly sets: readonly string[] }
  /** A function of a service: `Ns.Best(Size=3)`, `Best()`. */
  | { readonly kind: 'operation'; readonly text: string }
  | {
      readonly kind: 'count' | 'value' | 'ref' | 'metadata' | 'batch' | 'all' | 'entity' | 'query' | 'each'
      readonly text: string
    }

const dollarNames = ['count', 'value', 'ref', 'metadata', 'batch', 'all', 'entity', 'query', 'each'] as const

/**
 * The segments behind the service's root.
 * @param path raw, as it stood in the URL
 */
export function parseResourcePath(path: string, limits: ODataLimits = defaultLimits): ResourceSegment[] {
  return pathSegments(path, limits.maxPathSegments).map((text) => parseSegment(text, limits))
}

function parseSegment(text: string, limits: ODataLimits): ResourceSegment {
  const cursor = new Cursor(text, text, limits)
  if (cursor.take('$')) return parseDollarSegment(cursor, text)
  const name = cursor.qualifiedName()
  if (name === undefined || (!cursor.isAtEnd && !cursor.sees('('))) return { kind: 'name', text }
  if (cursor.isAtEnd) return { kind: 'name', text, name }
  const from = cursor.at
  cursor.at++
  cursor.blanks()
  if (cursor.take(')')) {
    if (cursor.sees('(')) parseKey(cursor)
    cursor.end('the end of the segment')
    return { kind: 'operation', text }
  }
  cursor.at = from
  const keys = parseKey(cursor)
  const isCall = cursor.sees('(')
  if (isCall) parseKey(cursor)
  cursor.end('the end of the segment')
  return isCall ? { kind: 'operation', text } : { kind: 'name', text, name, keys }
}

function parseDollarSegment(cursor: Cursor, text: string): ResourceSegment {
  for (const kind of dollarNames) {
    if (!cursor.takeWord(kind)) continue
    cursor.end('the end of the segment')
    return { kind, text }
  }
  if (cursor.takeWord('filter')) {
    cursor.expect('(')
    const filter = parseExpression(cursor)
    cursor.blanks()
    cursor.expect(')', "an operator or ')'")
    cursor.end('the end of the segment')
    return { kind: 'filter', text, filter }
  }
  if (cursor.takeWord('crossjoin')) {
    cursor.expect('(')
    const sets = [cursor.identifier('the name of an entity set')]
    while (cursor.take(',')) {
      cursor.blanks()
      sets.push(cursor.identifier('the name of an entity set'))
    }
    cursor.expect(')', "',' or ')'")
    cursor.end('the end of the segment')
    return { kind: 'crossjoin', text, sets }
  }
  return cursor.fail("'$count', '$value', '$ref', '$filter' or the like", 0)
}
