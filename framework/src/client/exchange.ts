import {
  errorFromEnvelope,
  idempotencyKeyInUse,
  type KeelError,
  UnavailableError,
} from '../contracts/index.js'
import { noteSeen, seenBefore } from './own-writes.js'
import { defaultRetry, passing, type RetryOptions, retryAfterMs, retrying } from './retries.js'
import type { TokenSource } from './tokens.js'
import { type Progress, sendWithProgress, withDownloadProgress } from './transfer-progress.js'

/** What can be chosen for single calls, see `withOptions`. */
export interface CallOptions {
  /** Gives a call up; it rejects with the reason of the signal, an `AbortError` unless told otherwise. */
  readonly signal?: AbortSignal
  /**
   * After how long without the whole answer a call fails with {@link TimedOutError}, its repetitions included; 100 s when not given, as .NET's
   * HttpClient. A file may take its reader as long as it likes.
   */
  readonly timeoutMs?: number
  /**
   * Repeats calls after failed connections, 503 and 429: GET, PUT, DELETE, and creations with an idempotency key. Three times after 2, 4 and 8 s
   * when not given; false never. A DELETE whose answer was lost may reject with 404, and a PUT with a stamp with 409, because it had worked.
   */
  readonly retry?: RetryOptions | false
  /**
   * Sent as `Idempotency-Key` by creations: within a day the same key does nothing and gives the same answer. True makes a key for each call, so that
   * it can be repeated; a text is for one call, e.g. kept with a form until that is saved.
   */
  readonly idempotencyKey?: string | true
  /** The most bytes of an answer that is no file, unpacked; without end when not given. */
  readonly mostAnswerBytes?: number
  /** Called while the body of a call is sent. */
  readonly onUpload?: (progress: Progress) => void
  /** Called while the answer is read; of a file while its stream is read. */
  readonly onDownload?: (progress: Progress) => void
}

/** How a client reaches its service. */
export interface ConnectionOptions extends CallOptions {
  /** Address of the host, with or without a trailing slash. */
  readonly baseUrl: string | (() => string)
  /** The bearer token of the moment, undefined to call anonymously; or a source that renews it, e.g. `passwordLogin`. */
  readonly accessToken?: (() => string | undefined | Promise<string | undefined>) | TokenSource
  /** An API key, sent as `X-Api-Key`. */
  readonly apiKey?: string | (() => string | undefined)
  /** The id or name of a tenant, sent as `__tenant`. */
  readonly tenant?: string | (() => string | undefined)
  /** The language of texts in answers, e.g. `de`, sent as `Accept-Language`. */
  readonly language?: string | (() => string | undefined)
  /** Further headers for every call. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Another `fetch` than the global one. */
  readonly fetch?: typeof fetch
  /**
   * Compares the contracts of this program and of the host, which costs a request at the first difference alone. A difference in something that a
   * call uses is a `ContractMismatchError`. True when not given.
   */
  readonly checksContracts?: boolean
  /**
   * Checks inputs by the contract before they are sent; faults are a `ValidationError` with the members that the host would name, and messages in
   * English. False when not given: the host checks in any case, and has messages in the caller's language.
   */
  readonly validates?: boolean
}

/** The answer did not come within the time that a call may take. */
export class TimedOutError extends UnavailableError {
  override readonly name: string = 'TimedOutError'
}

/** A request apart from the credentials and the options of the caller. */
export interface ClientRequest {
  readonly verb: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FormData | undefined
  /** A second sending does no more than the first one. */
  readonly isRepeatable: boolean
  /** Looks at an answer that is good, or refuses the input, before it is read. */
  readonly onAnswer?: ((response: Response) => Promise<void> | undefined) | undefined
}

const defaultTimeoutMs = 100_000

/** The address of a host without a trailing slash. */
export function baseOf({ baseUrl }: Pick<ConnectionOptions, 'baseUrl'>): string {
  return (typeof baseUrl === 'function' ? baseUrl() : baseUrl).replace(/\/+$/, '')
}

/**
 * Sends a request and reads its answer, again where that may help: after a failed connection, after 503 and 429, and once with another token after a
 * 401. @param read reads a good answer; what it leaves unread is not under the time limit. @param errorOf makes an error of another answer's JSON
 */
export async function exchange<T>(
  request: ClientRequest,
  options: ConnectionOptions,
  read: (response: Response) => Promise<T>,
  errorOf: (status: number, body: unknown, retryAfterSeconds?: number) => KeelError = errorFromEnvelope,
): Promise<T> {
  const { verb, url } = request
  const { signal, timeoutMs = defaultTimeoutMs, retry = defaultRetry } = options
  signal?.throwIfAborted()
  const limit = new AbortController()
  const seconds = timeoutMs / 1000
  const timer = setTimeout(() => {
    const message = `${verb} ${url} was not answered within ${seconds} s.`
    limit.abort(
      new TimedOutError(message, undefined, {
        text: { key: 'RemoteServiceTimedOut', data: { verb, url, seconds } },
      }),
    )
  }, timeoutMs)
  const both = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  try {
    return await retrying(request.isRepeatable ? retry : false, both, attempt)
  } catch (error) {
    // Whatever the end of the time broke off: waiting, sending or reading.
    throw signal?.aborted ? signal.reason : limit.signal.aborted ? limit.signal.reason : error
  } finally {
    clearTimeout(timer)
  }

  async function attempt(): Promise<T> {
    const source = options.accessToken
    const token = await (typeof source === 'function' ? source() : source?.token())
    let response = await send(token)
    if (response.status === 401 && source && typeof source !== 'function') {
      const fresh = await source.renew(token)
      if (fresh !== undefined && fresh !== token) {
        await response.body?.cancel()
        response = await send(fresh)
      }
    }
    if (request.onAnswer && (response.ok || response.status === 400)) {
      try {
        await request.onAnswer(response)
      } catch (error) {
        await response.body?.cancel()
        throw error
      }
    }
    if (response.ok) return read(withDownloadProgress(response, options.onDownload))
    const asked = retryAfterMs(response.headers)
    const body = await readJson(response)
    const error = errorOf(response.status, body, asked === undefined ? undefined : Math.ceil(asked / 1000))
    const isPassing = response.status === 503 || response.status === 429 || error.code === idempotencyKeyInUse
    throw isPassing ? passing(error, asked) : error
  }

  async function send(token: string | undefined): Promise<Response> {
    const init = {
      method: verb,
      headers: headersOf(request, options, token),
      body: request.body,
      signal: both,
      // Services send nobody elsewhere, and `fetch` would take an API key and the body along to any host.
      redirect: 'error' as const,
    }
    try {
      const response = await (options.onUpload && request.body !== undefined
        ? sendWithProgress(url, init, options.onUpload, options.fetch)
        : (options.fetch ?? fetch)(url, init))
      noteSeen(url, response.headers)
      return response
    } catch (cause) {
      // No repetition cures it. Browsers take an address without a host as one of the page's.
      if ((cause as { cause?: { code?: string } }).cause?.code === 'ERR_INVALID_URL')
        throw new Error(`${url} is no address: the base URL has to be one, such as https://api.example.com`, {
          cause,
        })
      const text = { key: 'RemoteServiceUnavailable', data: { verb, url } }
      throw passing(new UnavailableError(`${verb} ${url} was not answered.`, undefined, { cause, text }))
    }
  }

  /** The JSON of an answer; undefined for what is none. An answer that breaks off is none either. */
  async function readJson(response: Response): Promise<unknown> {
    try {
      return JSON.parse(await textOf(response, options.mostAnswerBytes))
    } catch {
      limit.signal.throwIfAborted()
      return undefined
    }
  }
}

/**
 * The whole text of an answer. Throws {@link UnavailableError} when the connection breaks or the text has more than `mostBytes`, which may be
 * repeated.
 */
export async function bodyOf(
  response: Response,
  verb: string,
  url: string,
  mostBytes?: number,
): Promise<string> {
  try {
    return await textOf(response, mostBytes)
  } catch (cause) {
    const text = { key: 'RemoteServiceUnavailable', data: { verb, url } }
    throw passing(new UnavailableError(`The answer to ${verb} ${url} broke off.`, undefined, { cause, text }))
  }
}

/** The text of an answer. Throws as soon as it has more than `mostBytes`, and reads no further. */
async function textOf(response: Response, mostBytes: number | undefined): Promise<string> {
  if (mostBytes === undefined || !response.body) return response.text()
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        bytes += piece.byteLength
        if (bytes > mostBytes) throw new RangeError(`The answer has more than ${mostBytes} bytes.`)
        controller.enqueue(piece)
      },
    }),
  )
  return new Response(counted).text()
}

/** The headers of a request with the credentials and the language of the caller. */
function headersOf(
  { url, headers: given }: ClientRequest,
  { apiKey, tenant, language, headers }: ConnectionOptions,
  token: string | undefined,
): Record<string, string> {
  const all: Record<string, string> = { ...given, ...seenBefore(url) }
  set('x-api-key', apiKey)
  set('__tenant', tenant)
  set('accept-language', language)
  if (headers) Object.assign(all, headers())
  if (token) all['authorization'] = `Bearer ${token}`
  return all

  function set(name: string, chosen: string | (() => string | undefined) | undefined): void {
    const value = typeof chosen === 'function' ? chosen() : chosen
    if (value) all[name] = value
  }
}
