import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type OutwardAddresses, pinnedTo } from './outward-addresses.js'

/** All of a request, and the longest answer: discovery documents and key sets have some kilobytes. */
const wholeMs = 10_000
const mostBytes = 1024 * 1024

/** The options of such a request; a subset of those of `fetch`. */
export interface OutwardRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An async iterable of bytes is sent as it comes. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** How long all of the request may take; ten seconds when not given. */
  readonly timeoutMs?: number
}

/**
 * A `fetch` for addresses that administrators entered, and those that what answers there names: resolved once
 * and connected to that, inside the network only where {@link OutwardAddresses} allows it; redirects are
 * answers, the body of an answer has a megabyte and all of it ten seconds, unless the request says otherwise. Fails like `fetch` with a `TypeError`, or with
 * the signal's reason.
 */
export function outwardFetch(
  addresses: OutwardAddresses,
): (address: string | URL, request?: OutwardRequest) => Promise<Response> {
  return async (address, request = {}) => {
    const url = new URL(address)
    const ends = AbortSignal.timeout(request.timeoutMs ?? wholeMs)
    const signal = request.signal ? AbortSignal.any([request.signal, ends]) : ends
    try {
      const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
      const found = await addresses.resolve({ host: url.hostname, port }, signal)
      const response = await send(url, request, { signal, lookup: pinnedTo(found) })
      return answerOf(response, await bodyOf(response))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw new TypeError('fetch failed', { cause: error })
    }
  }
}

function send(
  url: URL,
  { method = 'GET', headers, body }: OutwardRequest,
  options: Pick<http.RequestOptions, 'signal' | 'lookup'>,
): Promise<http.IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      // An agent would keep connections for later requests, which were resolved anew.
      { ...options, method, agent: false, headers: { ...headers, 'accept-encoding': 'identity' } },
      resolve,
    )
    sent.once('error', reject)
    if (body === undefined || body === null) sent.end()
    else if (isAsyncIterable(body)) pipeline(Readable.from(body), sent).catch(reject)
    else sent.end(body instanceof Uint8Array ? body : String(body))
  })
}

function isAsyncIterable(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

async function bodyOf(response: http.IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function answerOf({ statusCode = 0, rawHeaders }: http.IncomingMessage, body: Buffer): Response {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string)
  const hasBody = ![204, 205, 304].includes(statusCode)
  return new Response(hasBody ? new Uint8Array(body) : null, { status: statusCode, headers })
}
