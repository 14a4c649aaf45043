import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { type ContractOperation, isDto, isSecretSchema, walkSchema, type z } from '../../contracts/index.js'
import { isSecretMember } from '../../modularity/secret-member.js'

/** A content coding that answers are written in. */
export type Coding = 'br' | 'gzip'

/** Bytes of the shortest body that is compressed: a shorter one takes a packet or two as it is. */
const leastBytes = 2048
/** Compressing up to so many bytes at once costs less than handing them to another thread. */
const mostBytesAtOnce = 16 * 1024

/**
 * The coding that a caller takes: the one that is more welcome, Brotli where both are as welcome. Undefined
 * when the answer is to go out as it is, e.g. to callers that name no coding (RFC 9110, section 12.5.3).
 */
export function codingFor(acceptEncoding: string | undefined): Coding | undefined {
  if (!acceptEncoding) return undefined
  const qualities = new Map<string, number>()
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  const qualityOf = (coding: Coding) => qualities.get(coding) ?? qualities.get('*') ?? 0
  const best = qualityOf('br') >= qualityOf('gzip') ? 'br' : 'gzip'
  const quality = qualityOf(best)
  return quality > 0 && quality >= (qualities.get('identity') ?? 0) ? best : undefined
}

/** A body as it is, or in pieces: bytes that are passed on need not be put together. */
export type Body = string | Buffer | readonly (string | Buffer)[]

/** The pieces of a body. */
export function bodyParts(body: Body): readonly (string | Buffer)[] {
  return typeof body === 'string' || Buffer.isBuffer(body) ? [body] : body
}

/** How many bytes they are together. */
export function bodySize(parts: readonly (string | Buffer)[]): number {
  let size = 0
  for (const part of parts) size += typeof part === 'string' ? Buffer.byteLength(part) : part.length
  return size
}

/** A body in one piece. */
export function bodyBytes(body: Body): Buffer {
  return Buffer.isBuffer(body)
    ? body
    : Buffer.concat(bodyParts(body).map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

/**
 * Ends an answer, whose status and headers are set, with its body: compressed when the caller asks for that
 * and the body is large enough. A buffer that is sent again and again is compressed once.
 */
export function endWith(response: Response, body: Body): void {
  const parts = bodyParts(body)
  const size = bodySize(parts)
  const coding = announceCoding(response.req, response, size)
  const isHead = response.req.method === 'HEAD'
  if (coding && !isHead) {
    endCompressed(response, coding, body)
    return
  }
  if (!coding) response.setHeader('content-length', size)
  const [last = '', ...others] = isHead ? [] : parts.toReversed()
  // Head and body in one go.
  if (others.length) response.cork()
  for (const part of others.reverse()) response.write(part)
  response.end(last)
}

/**
 * Chooses the coding of an answer and says so in its headers, together with what follows from it; undefined
 * for one that goes out as it is. Its entity tag becomes weak: the bytes are others, what they say is the
 * same. @param size in bytes, where it is known
 */
export function announceCoding(
  { headers }: Request,
  response: Response,
  size = Number.POSITIVE_INFINITY,
): Coding | undefined {
  if (size < leastBytes) return undefined
  response.vary('Accept-Encoding')
  const coding = codingFor(headers['accept-encoding']?.toString())
  if (!coding) return undefined
  response.setHeader('content-encoding', coding)
  const tag = response.getHeader('etag')
  if (typeof tag === 'string' && !tag.startsWith('W/')) response.setHeader('etag', `W/${tag}`)
  return coding
}

/** Compresses a stream. Each piece goes on whole and at once: its reader need not wait for the next one. */
export function compressor(coding: Coding): Transform {
  return coding === 'br'
    ? createBrotliCompress({ ...quick.br, flush: constants.BROTLI_OPERATION_FLUSH })
    : createGzip({ ...quick.gzip, flush: constants.Z_SYNC_FLUSH })
}

/**
 * True when files of a media type get smaller: texts do; images, PDF and Office documents are compressed
 * already.
 */
export function isCompressible(type: string): boolean {
  return /^(text\/|application\/(json|xml|javascript)\b|[^;]*\+(json|xml)\b)/i.test(type)
}

/** The handlers behind this one answer as if the caller had not asked for compression. */
export const withoutCompression: RequestHandler = (request, _response, next) => {
  delete request.headers['accept-encoding']
  next()
}

/**
 * True when an operation answers with a secret, which the mark or the name of a member says. Such answers are
 * not compressed: their size would tell those who watch the line how much the secret has in common with other
 * texts beside it (BREACH).
 */
export function tellsSecret({ result }: ContractOperation): boolean {
  if (!result) return false
  const schema = isDto(result) ? result.schema : result
  const known = secretResults.get(schema)
  if (known !== undefined) return known
  let found = isSecretSchema(schema)
  walkSchema(schema, ({ _zod: { def } }) => {
    const { shape = {} } = def as { shape?: Record<string, z.ZodType> }
    for (const [name, member] of Object.entries(shape)) found ||= isSecretMember(name, member)
  })
  secretResults.set(schema, found)
  return found
}

/** What {@link tellsSecret} found: most operations share their result with others. */
const secretResults = new WeakMap<z.ZodType, boolean>()

/**
 * Costs about as much as making the answer did. Higher qualities take several times as long for a tenth of
 * the size.
 */
const quick = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  gzip: { level: 3 },
}
/** For what is compressed once and sent many times. */
const thorough = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, gzip: { level: 9 } }

const atOnce = {
  br: (body: Buffer) => brotliCompressSync(body, quick.br),
  gzip: (body: Buffer) => gzipSync(body, quick.gzip),
}
const inThread = { br: promisify(brotliCompress), gzip: promisify(gzip) } as Readonly<
  Record<Coding, (body: Buffer, options: object) => Promise<Buffer>>
>

/**
 * Buffers that were sent before, and their compressed forms: what is sent a second time is kept somewhere,
 * and will be sent again.
 */
const sentBefore = new WeakMap<Buffer, Partial<Record<Coding, Promise<Buffer>>>>()

function endCompressed(response: Response, coding: Coding, body: Body): void {
  const bytes = bodyBytes(body)
  const kept = sentBefore.get(bytes)
  if (bytes === body && !kept) sentBefore.set(bytes, {})
  if (!kept && bytes.length <= mostBytesAtOnce) {
    endWhole(response, atOnce[coding](bytes))
    return
  }
  if (kept) kept[coding] ??= inThread[coding](bytes, thorough[coding])
  const compressed = kept?.[coding] ?? inThread[coding](bytes, quick[coding])
  compressed.then(
    (whole) => endWhole(response, whole),
    (error: Error) => response.destroy(error),
  )
}

function endWhole(response: Response, body: Buffer): void {
  response.setHeader('content-length', body.length)
  response.end(body)
}
