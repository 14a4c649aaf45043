import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Constructor, KeelModule } from '@keel/framework'
import { openApiDocument } from '@keel/framework/http'
import type { TestHost } from '@keel/framework/testing'
import { SchemaChecks } from './json-schema.js'
import { type OpenApiDocument, type OpenApiResponse, operationsOf } from './open-api.js'

/** An answer of a host, as it left. */
interface GivenAnswer {
  readonly of: Descriptions
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

/**
 * Paths below `/api` that are served beside the operations of services: documents for generators have no description of themselves, the
 * auth server, where one signs in by cookie, has no document, and a stream of events is none of OpenAPI's answers.
 */
const besideOperations = [
  '/api/abp/api-definition',
  '/api/abp/contract',
  '/api/account/login',
  '/api/account/logout',
  '/api/background-work/live-event/stream',
]
/** Headers that mean something to a caller: one of them that an answer has is documented. */
const meaningful = ['etag', 'retry-after', 'location', 'content-disposition', 'allow']

const hosts = new Map<number, Descriptions>()
/** Of one module: a document takes some megabytes. */
const mostDocuments = 4
/** From the module of a host and its own fields to the document. */
const documents = new WeakMap<Constructor<KeelModule>, Map<string, Prepared>>()
let answers: GivenAnswer[] = []

/** What a host's document depends on. */
export interface DocumentedHost {
  readonly root: Constructor<KeelModule>
  readonly settings: Readonly<Record<string, string>>
}

/**
 * A host of which everything that it answers from here on is compared with its OpenAPI document. Hosts of the same module with the same own
 * fields have the same document, which is made once: that takes longer than most tests.
 */
export function comparedWithDocument(host: TestHost, { root, settings }: DocumentedHost): TestHost {
  const port = Number(new URL(host.url).port)
  const made = documents.get(root) ?? new Map<string, Prepared>()
  documents.set(root, made)
  const ownFields = Object.entries(settings).filter(([key]) => key.startsWith('OwnFields:'))
  hosts.set(port, new Descriptions(host, made, JSON.stringify(ownFields)))
  const close = async () => {
    await host.close()
    hosts.delete(port)
  }
  return { ...host, close }
}

/** What was answered since the last call and is not as the documents say, each fault once. */
export function undocumentedAnswers(): string[] {
  const given = answers
  answers = []
  return [...new Set(given.flatMap((answer) => answer.of.faultsOf(answer)))]
}

// Node tells of every request before the host sees it, so nothing is patched but this one answer.
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const descriptions = hosts.get(request.socket.localPort ?? 0)
  const isDescribed = request.url?.toLowerCase().startsWith('/api/')
  if (descriptions && isDescribed) listen(descriptions, request, response)
})

function listen(of: Descriptions, request: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '' } = request
  const chunks: Buffer[] = []
  const { write, end } = response as { write: WriteMethod; end: WriteMethod }
  response.write = ((...args: WriteArguments) => {
    keep(args)
    return write.apply(response, args)
  }) as ServerResponse['write']
  response.end = ((...args: WriteArguments) => {
    keep(args)
    const { statusCode: status } = response
    const [path = ''] = url.split('?')
    answers.push({ of, method, path, status, headers: response.getHeaders(), body: Buffer.concat(chunks) })
    return end.apply(response, args)
  }) as ServerResponse['end']

  function keep([chunk, encoding]: WriteArguments): void {
    // Of a file it is enough to know that there is something.
    if (chunks.length && !/json/.test(String(response.getHeader('content-type')))) return
    if (typeof chunk === 'string')
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
}

type WriteArguments = [chunk?: unknown, encoding?: unknown, callback?: unknown]
type WriteMethod = (...args: WriteArguments) => unknown

interface DescribedOperation {
  readonly name: string
  readonly pattern: RegExp
  readonly method: string
  readonly responses: Readonly<Record<string, OpenApiResponse | undefined>>
}

interface Prepared {
  readonly document: OpenApiDocument
  /** By method and number of segments. */
  readonly operations: ReadonlyMap<string, readonly DescribedOperation[]>
  readonly checks: SchemaChecks
}

function prepare({ application, url }: TestHost): Prepared {
  const options = { title: 'Test', version: 'v1', selfUrl: url }
  const document = openApiDocument(application, options) as unknown as OpenApiDocument
  const operations = new Map<string, DescribedOperation[]>()
  // A path without parameters is found before one with.
  const sorted = operationsOf(document).sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  for (const { name, path, method, responses } of sorted) {
    const key = placeOf(method, path)
    const there = operations.get(key) ?? []
    operations.set(key, [...there, { name, method, responses, pattern: patternOf(path) }])
  }
  return { document, operations, checks: new SchemaChecks(document.components.schemas) }
}

function placeOf(method: string, path: string): string {
  return `${method} ${path.split('/').filter(Boolean).length}`
}

/** A host's document, ready to be asked about answers. */
class Descriptions {
  constructor(
    private readonly host: TestHost,
    private readonly made: Map<string, Prepared>,
    private readonly ownFields: string,
  ) {}

  private get prepared(): Prepared {
    const prepared = this.made.get(this.ownFields) ?? prepare(this.host)
    this.made.set(this.ownFields, prepared)
    const [oldest = ''] = this.made.keys()
    if (this.made.size > mostDocuments) this.made.delete(oldest)
    return prepared
  }

  faultsOf(answer: GivenAnswer): string[] {
    const { method, path, status } = answer
    if (method === 'OPTIONS') return []
    const sought = method === 'HEAD' ? 'GET' : method
    const operation = this.prepared.operations
      .get(placeOf(sought, path))
      ?.find((one) => one.pattern.test(path))
    if (!operation)
      return this.isExpectedBeside(answer) ? [] : [`${method} ${path}: there is no such operation`]
    const name = `${operation.name} answered ${status}`
    const response = this.resolve(operation.responses[status])
    if (!response) return [`${name}: there is no such status`]
    return [...this.headerFaults(response, answer), ...this.bodyFaults(response, answer)].map(
      (fault) => `${name}: ${fault}`,
    )
  }

  private isExpectedBeside({ path, status }: GivenAnswer): boolean {
    return status >= 400 || besideOperations.includes(path.toLowerCase())
  }

  private resolve(response: OpenApiResponse | undefined): OpenApiResponse | undefined {
    const name = response?.$ref?.split('/').at(-1)
    return name ? this.prepared.document.components.responses[name] : response
  }

  private headerFaults({ headers: documented = {} }: OpenApiResponse, { headers }: GivenAnswer): string[] {
    const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()))
    const missing = Object.entries(documented).flatMap(([name, header]) => {
      const described =
        '$ref' in header
          ? this.prepared.document.components.headers[header.$ref.split('/').at(-1) ?? '']
          : header
      const value = headers[name.toLowerCase()]
      if (!described) return [`header ${name} is described nowhere`]
      if (value === undefined) return described.required ? [`header ${name} is missing`] : []
      const isNumber = described.schema.type === 'integer'
      return this.prepared.checks.mismatches(
        isNumber ? Number(value) : String(value),
        described.schema,
        `header ${name}`,
      )
    })
    const undocumented = meaningful.filter((name) => name in headers && !known.has(name))
    return [...missing, ...undocumented.map((name) => `header ${name} is not documented`)]
  }

  private bodyFaults({ content }: OpenApiResponse, { method, headers, body }: GivenAnswer): string[] {
    if (method === 'HEAD') return []
    if (!content) return body.length ? ['there is a body'] : []
    const type = String(headers['content-type'] ?? 'none').replace(/\s*;.*/, '')
    const described = content[type] ?? content['*/*']
    if (!described) return [`content type ${type} is not documented`]
    if (!/json$/.test(type)) return []
    return this.prepared.checks.mismatches(JSON.parse(decoded(headers, body)), described.schema)
  }
}

function decoded({ 'content-encoding': coding }: GivenAnswer['headers'], body: Buffer): string {
  if (coding === 'br') return brotliDecompressSync(body).toString()
  return (coding === 'gzip' ? gunzipSync(body) : body).toString()
}

/** Routes are found in any case, with or without a slash at the end. */
function patternOf(path: string): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}/?$`, 'i')
}
