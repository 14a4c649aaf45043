import type { IncomingMessage } from 'node:http'
import express, { type RequestHandler } from 'express'
import { ValidationError } from '../contracts/index.js'
import { PayloadTooLargeError, UnsupportedMediaTypeError } from './http-errors.js'

/** Reads a JSON body; everything wrong with it is told as a typed error. @param maxBytes the most it may have */
export function jsonBody(maxBytes: number): RequestHandler {
  const parse = express.json({ limit: maxBytes, type: isJson, strict: false })
  return (request, response, next) => {
    if (hasBody(request) && !isJson(request)) {
      next(UnsupportedMediaTypeError.expecting('application/json', request.headers['content-type']))
      return
    }
    parse(request, response, (error?: unknown) => next(error && translate(error as BodyError, maxBytes)))
  }
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0'
}

interface BodyError {
  readonly type?: string
  readonly status?: number
  readonly message: string
}

function isJson({ headers }: { headers: { 'content-type'?: string } }): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '')
}

function translate(error: BodyError, maxBytes: number): unknown {
  if (error.type === 'entity.too.large') return PayloadTooLargeError.ofBody(maxBytes)
  if (error.type === 'charset.unsupported' || error.type === 'encoding.unsupported')
    return new UnsupportedMediaTypeError(error.message)
  if (error.type === 'entity.parse.failed')
    return new ValidationError([
      {
        message: `The body is not valid JSON: ${error.message}`,
        members: [],
        text: { key: 'Http:MalformedJson', data: { reason: error.message } },
      },
    ])
  if (error.status && error.status < 500)
    return new ValidationError([{ message: error.message, members: [] }])
  return error
}
