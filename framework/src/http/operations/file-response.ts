import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import fresh from 'fresh'
import { attachment } from '../../contracts/content-disposition.js'
import type { FileContent } from '../../contracts/index.js'
import { announceCoding, type Coding, compressor, isCompressible } from '../server/compression.js'
import { RangeNotSatisfiableError } from '../server/http-errors.js'

/**
 * Streams a file to the caller, who may have it already (304) or want a part of it (206; RFC 9110, section
 * 14). Several parts at once are answered with the whole, which is allowed. When the caller goes away the
 * source is told to stop.
 */
export async function sendFile(request: Request, response: Response, file: FileContent): Promise<void> {
  const { size } = file
  const range =
    size !== undefined && file.slice && isCurrent(request, file) ? rangeOf(request, size) : undefined
  const isKnown = isNotModified(request, file)
  if (!isKnown && range === 'none of it') throw new RangeNotSatisfiableError(size ?? 0)
  const part = typeof range === 'object' ? range : undefined
  // Before any header: a source may refuse a reader, who is told so by a status.
  const source = isKnown || request.method === 'HEAD' ? undefined : sourceOf(file, part)
  writeValidators(response, file)
  if (isCompressible(file.type)) response.vary('Accept-Encoding')
  const coding = isCompressible(file.type) && !part ? announceCoding(request, response, size) : undefined
  if (isKnown) {
    response.removeHeader('content-encoding')
    response.statusCode = 304
    response.end()
    return
  }
  response.setHeader('content-type', file.type || 'application/octet-stream')
  response.setHeader('content-disposition', attachment(file.name || 'file'))
  if (file.slice && size !== undefined && !coding) response.setHeader('accept-ranges', 'bytes')
  if (part) {
    response.statusCode = 206
    response.setHeader('content-range', `bytes ${part.start}-${part.end - 1}/${size}`)
  }
  const length = part ? part.end - part.start : size
  if (length !== undefined && !coding) response.setHeader('content-length', length)
  if (source) await sendStream(source, response, coding)
  else response.end()
}

function sourceOf(file: FileContent, part: { start: number; end: number } | undefined): Readable {
  const bytes = part && file.slice ? file.slice(part.start, part.end) : file
  return Readable.fromWeb(bytes.stream() as never)
}

/**
 * Kept by the caller alone, and asked for again each time: a permission that changed counts at the next call.
 */
function writeValidators(response: Response, { entityTag, lastModified }: FileContent): void {
  response.setHeader('cache-control', 'private, no-cache')
  response.vary('Authorization')
  if (entityTag !== undefined) response.setHeader('etag', entityTag)
  if (lastModified !== undefined) response.setHeader('last-modified', new Date(lastModified).toUTCString())
}

/** RFC 9110, section 13.2.2: the time counts only where no tag was sent. `Cache-Control` is not looked at. */
function isNotModified({ headers }: Request, { entityTag, lastModified }: FileContent): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  const modified = lastModified === undefined ? undefined : new Date(lastModified).toUTCString()
  return fresh(
    { 'if-none-match': tags, 'if-modified-since': since },
    { etag: entityTag, 'last-modified': modified },
  )
}

/**
 * True when a part may be joined to the caller's bytes: `If-Range` must name this very version, or be absent.
 */
function isCurrent({ headers }: Request, { entityTag, lastModified }: FileContent): boolean {
  const condition = headers['if-range']
  if (condition === undefined) return true
  if (typeof condition !== 'string') return false
  if (condition.startsWith('"')) return condition === entityTag
  return lastModified !== undefined && inSeconds(Date.parse(condition)) === inSeconds(lastModified)
}

/** HTTP knows no milliseconds. */
function inSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** The part that is asked for, its end left out; undefined for the whole. */
function rangeOf(
  { method, headers }: Request,
  size: number,
): { start: number; end: number } | 'none of it' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(headers.range ?? '') ?? []
  if (method !== 'GET' || first + last === '') return undefined
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  // A range whose end is before its start is ignored.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return start < end ? { start, end } : 'none of it'
}

/**
 * Sends a body piece by piece, as fast as its caller takes it. One that goes away ends it, and is nobody's
 * fault; what else fails on the way breaks the connection off and is thrown.
 */
export async function sendStream(
  pieces: AsyncIterable<string | Uint8Array>,
  response: Response,
  coding: Coding | undefined,
): Promise<void> {
  try {
    if (coding) await pipeline(pieces, compressor(coding), response)
    else await pipeline(pieces, response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
