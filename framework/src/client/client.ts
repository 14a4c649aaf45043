import {
  type AnyAppService,
  type AnyDto,
  type ContractOperation,
  compileReader,
  errorFromEnvelope,
  isDto,
  UnavailableError,
  type z,
} from '../contracts/index.js'

/** How a client reaches its service. */
export interface ClientOptions {
  /** Address of the host, with or without a trailing slash. */
  readonly baseUrl: string | (() => string)
  /** The bearer token of the moment; undefined calls anonymously. */
  readonly accessToken?: () => string | undefined | Promise<string | undefined>
  /** Further headers for every call, e.g. `Accept-Language` or `X-Api-Key`. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Another `fetch` than the global one. */
  readonly fetch?: typeof fetch
  /** After how long without an answer a call fails with {@link UnavailableError}; 100 s when not given, as .NET's HttpClient. */
  readonly timeoutMs?: number
  /** Makes a result of an answer's JSON, for whoever only passes it on; by default it is read into the types that the contract promises. */
  readonly read?: (result: AnyDto | z.ZodType, json: string) => unknown
}

/**
 * A service contract spoken over HTTP: every method is a call by the route of its operation. Errors of the other side are thrown here as the
 * classes they were there; instants arrive as `Date`.
 * @example const ports = createClient(PortAppService, { baseUrl: 'http://localhost:4000', accessToken: () => token })
 */
export function createClient<S extends AnyAppService>(service: S, options: ClientOptions): InstanceType<S> {
  const client: Record<string, unknown> = {}
  for (const [name, operation] of service.contract.operations)
    client[name] = (...args: unknown[]) => call(operation, args, options)
  return client as InstanceType<S>
}

async function call(
  operation: ContractOperation,
  args: readonly unknown[],
  options: ClientOptions,
): Promise<unknown> {
  const { path, query, body } = requestOf(operation, args)
  const base = (typeof options.baseUrl === 'function' ? options.baseUrl() : options.baseUrl).replace(
    /\/+$/,
    '',
  )
  const token = await options.accessToken?.()
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers?.() }
  if (token) headers.authorization = `Bearer ${token}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  const response = await send(`${base}${path}${query}`, {
    method: operation.route.verb,
    headers,
    body,
    signal: AbortSignal.timeout(options.timeoutMs ?? 100_000),
  })
  if (!response.ok)
    throw errorFromEnvelope(response.status, await readError(response), retryAfterOf(response))
  if (!operation.result || response.status === 204) return undefined
  return readResult(operation.result, response, options.read ?? readJson)

  async function send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await (options.fetch ?? fetch)(url, init)
    } catch (cause) {
      throw new UnavailableError(`${operation.route.verb} ${url} was not answered.`, undefined, {
        cause,
        text: { key: 'RemoteServiceUnavailable', data: { verb: operation.route.verb, url } },
      })
    }
  }
}

/** Seconds of `Retry-After`; undefined without it, or where it is a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  return Number(headers.get('retry-after')) || undefined
}

async function readError(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined)
}

async function readResult(
  result: AnyDto | z.ZodType,
  response: Response,
  read: NonNullable<ClientOptions['read']>,
): Promise<unknown> {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')
  try {
    if (isJson) return read(result, await response.text())
  } catch (cause) {
    throw garbled(cause)
  }
  throw garbled()

  function garbled(cause?: unknown): UnavailableError {
    const { url } = response
    const text = { key: 'RemoteServiceGarbled', data: { url } }
    return new UnavailableError(`The answer to ${url} is not JSON.`, undefined, { cause, text })
  }
}

function readJson(result: AnyDto | z.ZodType, json: string): unknown {
  return compileReader(isDto(result) ? result.schema : result)(JSON.parse(json))
}

/** The request that calls an operation with these arguments: path, query (with its `?`) and JSON body. */
export function requestOf(
  operation: ContractOperation,
  args: readonly unknown[],
): { path: string; query: string; body: string | undefined } {
  let { path } = operation.route
  let body: string | undefined
  const query = new URLSearchParams()
  for (const [index, parameter] of operation.parameters.entries()) {
    const value = args[index]
    const source = operation.route.sources[index]
    if (source === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(textOf(value)))
    else if (source === 'body') body = JSON.stringify(value ?? {})
    else if (parameter.dto) appendMembers(query, '', value ?? {})
    else append(query, parameter.name, value)
  }
  const text = query.toString()
  return { path, query: text && `?${text}`, body }
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

function appendMembers(query: URLSearchParams, prefix: string, value: object): void {
  for (const [key, member] of Object.entries(value)) append(query, prefix ? `${prefix}[${key}]` : key, member)
}

function append(query: URLSearchParams, key: string, value: unknown): void {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) appendItems(query, key, value)
  else if (typeof value === 'object' && !(value instanceof Date)) appendMembers(query, key, value)
  else query.append(key, textOf(value))
}

/** Simple items repeat the name; objects need their place in it, so that their members stay together. */
function appendItems(query: URLSearchParams, key: string, items: readonly unknown[]): void {
  for (const [index, item] of items.entries()) {
    const isObject = typeof item === 'object' && !(item instanceof Date)
    append(query, isObject ? `${key}[${index}]` : key, item)
  }
}
