import { LRUCache } from 'lru-cache'
import { ODataError } from '../syntax/odata-error.js'

/** How much control information an answer carries. */
export type MetadataLevel = 'none' | 'minimal' | 'full'

/** The form of a JSON answer. */
export interface JsonFormat {
  readonly metadata: MetadataLevel
  /** Large numbers are strings. */
  readonly ieee754: boolean
}

interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** The formats that `$format` names by a single word. */
const shortFormats: Readonly<Record<string, string>> = { json: 'application/json', xml: 'application/xml' }
const longestAccept = 2000

/** The media types that a caller takes, the most wanted first: `$format`, else `Accept`, else anything. */
export function acceptedTypes(format: string | undefined, accept: string | undefined): readonly MediaRange[] {
  const text = format === undefined ? accept?.trim() || '*/*' : (shortFormats[format.toLowerCase()] ?? format)
  if (text.length > longestAccept) throw notAcceptable()
  const ranges = splitOutsideQuotes(text, ',').map(mediaRange)
  return ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
}

/** Clients say the same again and again. */
const negotiated = new LRUCache<string, JsonFormat>({ max: 200 })

/** The form in which JSON goes to a caller. Throws 406 when they take none. */
export function negotiateJson(format: string | undefined, accept: string | undefined): JsonFormat {
  if (format !== undefined) return jsonFormat(format, accept)
  const key = accept ?? ''
  const known = negotiated.get(key)
  if (known) return known
  const found = jsonFormat(format, accept)
  negotiated.set(key, found)
  return found
}

function jsonFormat(format: string | undefined, accept: string | undefined): JsonFormat {
  for (const { type, parameters } of acceptedTypes(format, accept)) {
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue
    const metadata = (
      parameters.get('odata.metadata') ??
      parameters.get('metadata') ??
      'minimal'
    ).toLowerCase()
    if (metadata !== 'none' && metadata !== 'minimal' && metadata !== 'full') continue
    return { metadata, ieee754: parameters.get('ieee754compatible')?.toLowerCase() === 'true' }
  }
  throw notAcceptable()
}

/**
 * Chooses XML or JSON for a document that exists in both. Clients of version 4.0 that take XML get XML: they
 * know no other form, but Excel and Power BI name JSON first in every request. Throws 406 when the caller
 * takes neither.
 */
export function negotiateDocument(
  format: string | undefined,
  accept: string | undefined,
  version: '4.0' | '4.01',
): 'xml' | 'json' {
  const accepted = acceptedTypes(format, accept)
  if (version === '4.0' && accepted.some(({ type }) => type === 'application/xml')) return 'xml'
  for (const { type } of accepted) {
    if (['application/xml', 'text/xml', 'text/*', 'application/*', '*/*'].includes(type)) return 'xml'
    if (type === 'application/json') return 'json'
  }
  throw notAcceptable()
}

/** Says whether a caller takes a plain value. JSON counts: the wish was meant for other answers. */
export function takesRaw(accept: string | undefined): boolean {
  const raw = /^(\*\/\*|text\/(\*|plain)|application\/(\*|json|octet-stream))$/
  return acceptedTypes(undefined, accept).some(({ type }) => raw.test(type))
}

function notAcceptable(): ODataError {
  return new ODataError(406, 'None of the media types that the request accepts is available.', {
    target: 'Accept',
  })
}

function mediaRange(text: string): MediaRange {
  const [type = '', ...rest] = splitOutsideQuotes(text, ';').map((part) => part.trim())
  const parameters = new Map(
    rest.map((parameter) => {
      const equals = parameter.indexOf('=')
      const value = equals < 0 ? '' : parameter.slice(equals + 1).trim()
      return [
        parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase(),
        value.replace(/^"(.*)"$/s, '$1'),
      ] as const
    }),
  )
  const quality = parameters.get('q')
  return { type: type.toLowerCase(), parameters, quality: quality === undefined ? 1 : Number(quality) || 0 }
}

/** The parts of a header's value; separators between double quotes are data. */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = []
  let isQuoted = false
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && isQuoted) at++
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}
