import express, { type RequestHandler } from 'express'
import { ValidationError } from '../contracts/index.js'
import { PayloadTooLargeError, UnsupportedMediaTypeError } from './http-errors.js'

/** Reads a JSON body; everything wrong with it is told as a typed error. @param maxBytes the most it may have */
export function jsonBody(maxBytes: number): RequestHandler {
  const parse = express.json({ limit: maxBytes, type: isJson, strict: false })
  return (request, response, next) => {
    const { headers } = request
    const hasBody =
      headers['content-length'] !== undefined
        ? headers['content-length'] !== '0'
        : headers['transfer-encoding'] !== undefined
    if (hasBody && !isJson(request)) {
      next(
        new UnsupportedMediaTypeError(
          `The body must be application/json, not ${headers['content-type'] ?? 'without a content type'}.`,
          {
            text: headers['content-type']
              ? { key: 'Http:UnsupportedMediaType', data: { type: headers['content-type'] } }
              : { key: 'Http:NoMediaType' },
          },
        ),
      )
      return
    }
    parse(request, response, (error?: unknown) => next(error && translate(error as BodyError, maxBytes)))
  }
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
  if (error.type === 'entity.too.large')
    return new PayloadTooLargeError(`The body is larger than ${maxBytes} bytes.`, {
      text: { key: 'Http:PayloadTooLarge', data: { maxBytes } },
    })
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
