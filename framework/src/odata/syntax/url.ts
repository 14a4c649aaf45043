import { ODataError, say } from './odata-error.js'

/** A name and a value of the query, decoded. */
export type QueryPair = readonly [name: string, value: string]

/** The most name=value pairs that are read. */
const mostPairs = 200

/** The query of a URL (without `?`), split first and decoded then, once. */
export function queryPairs(query: string): QueryPair[] {
  const pairs = query.split('&').filter(Boolean)
  if (pairs.length > mostPairs)
    throw ODataError.invalid(say`The limit of '${mostPairs}' query options has been exceeded.`)
  return pairs.map((pair) => {
    const equals = pair.indexOf('=')
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals), true, 'query')
    return [name, equals < 0 ? '' : decodeText(pair.slice(equals + 1), true, name)]
  })
}

/** The segments of a raw path, each decoded once; empty ones at both ends don't count. */
export function pathSegments(path: string, mostSegments: number): string[] {
  const segments = path.replace(/^\/|\/$/g, '').split('/')
  if (segments.length > mostSegments)
    throw ODataError.invalid(say`The limit of '${mostSegments}' segments of a path has been exceeded.`)
  return segments.length === 1 && segments[0] === ''
    ? []
    : segments.map((segment) => decodeText(segment, false, 'path'))
}

function decodeText(text: string, isQuery: boolean, target: string): string {
  const foreign = /[^\x21-\x7e]/.exec(text)
  if (foreign)
    throw ODataError.invalid('Characters outside of ASCII must be percent-encoded in a URL.', {
      target,
      at: foreign.index,
    })
  const blanked = isQuery ? text.replaceAll('+', ' ') : text
  let decoded: string
  try {
    decoded = blanked.includes('%') ? decodeURIComponent(blanked) : blanked
  } catch {
    throw ODataError.invalid('The URL has a percent-encoding that is broken or not UTF-8.', { target })
  }
  const zero = decoded.indexOf('\0')
  if (zero >= 0) throw ODataError.invalid('The character U+0000 has no place in a URL.', { target, at: zero })
  return decoded
}

/** Percent-encodes what a URL must not have. Half a surrogate pair is left for the decoder to refuse. */
export function withForeignEncoded(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (run) => {
    try {
      return encodeURIComponent(run)
    } catch {
      return run.replace(/./gsu, encodedSymbol)
    }
  })
}

function encodedSymbol(symbol: string): string {
  return /^[\ud800-\udfff]$/.test(symbol) ? '%FF' : encodeURIComponent(symbol)
}
