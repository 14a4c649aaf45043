import type { Response } from 'express'
import type { Json } from '../../modularity/json-text.js'
import { endWith } from './compression.js'

/**
 * From this length on a text is encoded once, into a buffer of its own; below it goes out in one write with
 * the headers.
 */
const longText = 16 * 1024

/**
 * Sends JSON, or what `type` says, without Express' own send, which costs more than many an operation;
 * compressed for callers that ask.
 */
export function sendJson(
  response: Response,
  status: number,
  json: Json,
  type = 'application/json; charset=utf-8',
): void {
  const body = typeof json === 'string' && json.length >= longText ? Buffer.from(json) : json
  response.statusCode = status
  response.setHeader('content-type', type)
  // An answer to one caller is not for the next one at the same browser or cache.
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store')
  endWith(response, body)
}
