import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
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
 * Paths below `/api` that are served beside the operations of services: documents for generators have no description of themselves, and the
 * auth server, where one signs in by cookie, has no document.
 */
const besideOperations = ['/api/abp/api-definition', '/api/account/login', '/api/account/logout']
/** Headers that mean something to a caller: one of them that an answer has is documented. */
const meaningful = ['etag', 'retry-after', 'location', 'content-disposition', 'allow']

const hosts = new Map<number, Descriptions>()
let answers: GivenAnswer[] = []

/** A host of which everything that it answers from here on is compared with its OpenAPI document. */
export function comparedWithDocument(host: TestHost): TestHost {
  const port = Number(new URL(host.url).port)
  hosts.set(port, new Descriptions(host))
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
  readonly operations: readonly DescribedOperation[]
  readonly checks: SchemaChecks
}

function prepare({ application, url }: TestHost): Prepared {
  const options = { title: 'Test', version: 'v1', selfUrl: url }
  const document = openApiDocument(application, options) as unknown as OpenApiDocument
  const operations = operationsOf(document)
    // A path without parameters is found before one with.
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
    .map(({ name, path, method, responses }) => ({ name, method, responses, pattern: patternOf(path) }))
  return { document, operations, checks: new SchemaChecks(document.components.schemas) }
}

/** A host's document, ready to be asked about answers. */
class Descriptions {
  private made: Prepared | undefined

  constructor(private readonly host: TestHost) {}

  private get prepared(): Prepared {
    this.made ??= prepare(this.host)
    return this.made
  }

  faultsOf(answer: GivenAnswer): string[] {
    const { method, path, status } = answer
    if (method === 'OPTIONS') return []
    const sought = method === 'HEAD' ? 'GET' : method
    const operation = this.prepared.operations.find((one) => one.method === sought && one.pattern.test(path))
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
