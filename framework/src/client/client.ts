import { fileNameOf } from '../contracts/content-disposition.js'
import {
  type AnyAppService,
  type AnyDto,
  type ContractOperation,
  compileReader,
  type FileContent,
  fileTypesOf,
  isDto,
  isFileContent,
  takesIdempotencyKey,
  UnavailableError,
  ValidationError,
  type z,
} from '../contracts/index.js'
import { adjustable } from './call-options.js'
import { type CheckedCall, checkAnswer, checkBeforeSending } from './contract-check.js'
import { baseOf, bodyOf, type ConnectionOptions, exchange } from './exchange.js'
import { checkInput } from './input-check.js'
import { nameOperations } from './operation-names.js'

/** How a client reaches its service, and how it reads answers. */
export interface ClientOptions extends ConnectionOptions {
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
    client[name] = (...args: unknown[]) => call({ service, operation, args, options })
  const { contract } = service
  return adjustable(nameOperations(contract.service.name, contract.name, client as InstanceType<S>), (more) =>
    createClient(service, { ...options, ...more }),
  )
}

async function call(checked: CheckedCall & { readonly options: ClientOptions }): Promise<unknown> {
  const { operation, args, options } = checked
  const { checksContracts = true } = options
  if (options.validates) checkInput(operation, args)
  const { isFile, takesFiles, takesKey } = traitsOf(operation)
  const { path, query, body } = requestOf(
    operation,
    takesFiles ? await Promise.all(args.map(withBlobs)) : args,
  )
  const { verb } = operation.route
  const url = `${baseOf(options)}${path}${query}`
  const key = takesKey ? options.idempotencyKey : undefined
  const request = {
    verb,
    url,
    headers: {
      accept: isFile ? '*/*' : 'application/json',
      // The type of a form names its boundary: fetch alone knows that.
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key === true ? newKey() : key }),
    },
    body,
    isRepeatable: key !== undefined || ['GET', 'PUT', 'DELETE'].includes(verb),
    ...(checksContracts && {
      onAnswer: (response: Response) => checkAnswer(checked, response.headers, response.ok),
    }),
  }
  if (checksContracts) await checkBeforeSending(checked)
  return exchange(request, options, async (response) => {
    if (!operation.result || response.status === 204) return undefined
    if (isFile) return receivedFile(response)
    return await readResult(operation.result, response, { verb, url }, options)
  })
}

/** What is the same for all calls of an operation, and costs something to find out. */
interface Traits {
  /** The answer is a file. */
  readonly isFile: boolean
  readonly takesFiles: boolean
  readonly takesKey: boolean
}

const traits = new WeakMap<ContractOperation, Traits>()

function traitsOf(operation: ContractOperation): Traits {
  const known = traits.get(operation)
  if (known) return known
  const found = {
    isFile: fileTypesOf(operation) !== undefined,
    takesFiles: operation.route.sources.includes('form'),
    takesKey: takesIdempotencyKey(operation),
  }
  traits.set(operation, found)
  return found
}

/** Pages that came without TLS have no `randomUUID`. */
function newKey(): string {
  const { randomUUID } = crypto as { randomUUID?: () => string }
  if (randomUUID) return randomUUID.call(crypto)
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/** The arguments with files as forms take them: what is no `Blob` has to be read first. */
async function withBlobs(argument: unknown): Promise<unknown> {
  if (typeof argument !== 'object' || argument === null) return argument
  const members = Object.entries(argument)
  if (!members.some(([, member]) => isFileContent(member) && !(member instanceof Blob))) return argument
  const read = async (member: unknown): Promise<unknown> => {
    if (!isFileContent(member) || member instanceof Blob) return member
    return new File([await new Response(member.stream()).blob()], member.name, { type: member.type })
  }
  return Object.fromEntries(
    await Promise.all(members.map(async ([name, member]) => [name, await read(member)])),
  )
}

/** The file that an answer is. */
function receivedFile({ headers, body }: Response): FileContent {
  const size = headers.get('content-length')
  const lastModified = Date.parse(headers.get('last-modified') ?? '')
  return {
    name: fileNameOf(headers.get('content-disposition')) ?? '',
    type: headers.get('content-type') ?? '',
    size: size === null ? undefined : Number(size),
    lastModified: Number.isNaN(lastModified) ? undefined : lastModified,
    entityTag: headers.get('etag') ?? undefined,
    stream: () => body ?? new Blob([]).stream(),
  }
}

async function readResult(
  result: AnyDto | z.ZodType,
  response: Response,
  { verb, url }: { readonly verb: string; readonly url: string },
  { read = readJson, mostAnswerBytes }: ClientOptions,
): Promise<unknown> {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')
  if (!isJson) throw garbled()
  // Outside of `try`: an answer that breaks off or stalls is none that cannot be read.
  const json = await bodyOf(response, verb, url, mostAnswerBytes)
  try {
    return read(result, json)
  } catch (cause) {
    throw garbled(cause)
  }

  function garbled(cause?: unknown): UnavailableError {
    const text = { key: 'RemoteServiceGarbled', data: { url } }
    return new UnavailableError(`The answer to ${url} is not JSON.`, undefined, { cause, text })
  }
}

function readJson(result: AnyDto | z.ZodType, json: string): unknown {
  return compileReader(isDto(result) ? result.schema : result)(JSON.parse(json))
}

/** The request that calls an operation with these arguments: path, query (with its `?`) and its body, JSON or a form. */
export function requestOf(
  operation: ContractOperation,
  args: readonly unknown[],
): { path: string; query: string; body: string | FormData | undefined } {
  let { path } = operation.route
  let body: string | FormData | undefined
  let query: URLSearchParams | undefined
  for (const [index, parameter] of operation.parameters.entries()) {
    const value = args[index]
    const source = operation.route.sources[index]
    if (source === 'path') path = path.replace(`{${parameter.name}}`, segmentOf(parameter.name, value))
    else if (source === 'body') body = JSON.stringify(value ?? {})
    else if (source === 'form') body = formOf(value ?? {})
    else {
      query ??= new URLSearchParams()
      if (parameter.dto) appendMembers(query, '', value ?? {})
      else append(query, parameter.name, value)
    }
  }
  const text = query?.toString()
  return { path, query: text ? `?${text}` : '', body }
}

/** Addresses drop `.`, and with `..` the segment before it, however they are written: the call would be another one. */
function segmentOf(name: string, value: unknown): string {
  const text = textOf(value)
  if (/^\.{0,2}$/.test(text))
    throw new ValidationError([
      { message: `${name} can not be "${text}".`, members: [name], text: { key: 'ThisFieldIsNotValid.' } },
    ])
  return encodeURIComponent(text)
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Files come last: who reads the form knows the rest by then. */
function formOf(value: object): FormData {
  const form = new FormData()
  const files = Object.entries(value).filter((entry): entry is [string, File] => entry[1] instanceof Blob)
  appendMembers(form, '', { ...value, ...Object.fromEntries(files.map(([name]) => [name, undefined])) })
  for (const [name, file] of files) form.append(name, file, file.name)
  return form
}

/** Takes texts by name. */
interface Pairs {
  append(name: string, value: string): void
}

function appendMembers(query: Pairs, prefix: string, value: object): void {
  for (const [key, member] of Object.entries(value)) append(query, prefix ? `${prefix}[${key}]` : key, member)
}

function append(query: Pairs, key: string, value: unknown): void {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) appendItems(query, key, value)
  else if (typeof value === 'object' && !(value instanceof Date)) appendMembers(query, key, value)
  else query.append(key, textOf(value))
}

/** Simple items repeat the name; objects need their place in it, so that their members stay together. */
function appendItems(query: Pairs, key: string, items: readonly unknown[]): void {
  for (const [index, item] of items.entries()) {
    const isObject = typeof item === 'object' && !(item instanceof Date)
    append(query, isObject ? `${key}[${index}]` : key, item)
  }
}
