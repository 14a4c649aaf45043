import type { IncomingMessage } from 'node:http'
import express, { type Request, type RequestHandler } from 'express'
import { type TextReference, ValidationError } from '../../contracts/index.js'
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../server/http-errors.js'
import { type JsonBounds, JsonLimitError, parseBoundedJson } from './bounded-json.js'

/** How large JSON bodies may be. */
export interface JsonBodyLimits extends JsonBounds {
  /** Unpacked. */
  readonly maxBytes: number
}

/** Reads a JSON body; throws a typed error for each fault. */
export function jsonBody(limits: JsonBodyLimits): RequestHandler {
  const read = express.raw({ limit: limits.maxBytes, type: isJson })
  return (request, response, next) => {
    if (hasBody(request) && !isJson(request)) {
      next(UnsupportedMediaTypeError.expecting('application/json', request.headers['content-type']))
      return
    }
    read(request, response, (error?: unknown) =>
      next(error ? translate(error as BodyError, limits.maxBytes) : parse(request, limits)),
    )
  }
}

/** True when a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0'
}

interface BodyError {
  readonly type?: string
  readonly status?: number
  readonly encoding?: string
  readonly message: string
}

function isJson({ headers }: { headers: { 'content-type'?: string } }): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '')
}

/** Puts JSON in the place of its bytes; answers what is wrong with it. */
function parse(request: Request, bounds: JsonBounds): unknown {
  if (!Buffer.isBuffer(request.body)) return undefined
  try {
    request.body = parsed(request, request.body, bounds)
    return undefined
  } catch (fault) {
    return fault
  }
}

/** JSON is UTF-8 (RFC 8259, section 8.1). */
function parsed({ headers }: IncomingMessage, body: Buffer, bounds: JsonBounds): unknown {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '') ?? []
  if (!/^utf-?8$/i.test(charset))
    throw new UnsupportedMediaTypeError(`unsupported charset "${charset.toUpperCase()}"`, {
      text: { key: 'Http:Charset', data: { charset: charset.toUpperCase() } },
    })
  if (body.length === 0) return {}
  try {
    return parseBoundedJson(body, bounds)
  } catch (error) {
    if (error instanceof JsonLimitError) throw faultyBody(error.message, error.text)
    const reason = (error as Error).message
    throw faultyBody(`The body is not valid JSON: ${reason}`, { key: 'Http:MalformedJson', data: { reason } })
  }
}

function faultyBody(message: string, text: TextReference): ValidationError {
  return new ValidationError([{ message, members: [], text }])
}

function translate(error: BodyError, maxBytes: number): unknown {
  if (error.type === 'entity.too.large') return PayloadTooLargeError.ofBody(maxBytes)
  if (error.type === 'encoding.unsupported') return UnsupportedMediaTypeError.ofEncoding(error.encoding ?? '')
  if (error.status && error.status < 500) return faultyBody(error.message, { key: 'Http:BrokenBody' })
  return error
}
