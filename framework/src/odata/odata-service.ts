import { LRUCache } from 'lru-cache'
import { UnauthenticatedError, UnavailableError } from '../contracts/index.js'
import { MethodNotAllowedError, UnsupportedMediaTypeError } from '../http/http-errors.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/module.js'
import { Gate } from '../security/gate.js'
import { type JsonFormat, negotiateDocument, negotiateJson, takesRaw } from './content-negotiation.js'
import { EntityModel } from './entity-model.js'
import { MetadataDocuments } from './metadata-documents.js'
import type { ODataAnswer, ODataRequest } from './odata-answer.js'
import { ODataError } from './odata-error.js'
import { ODataQueries, type Reading } from './odata-queries.js'
import { OData } from './odata-settings.js'
import { parseQueryOptions } from './parse-options.js'
import { parseResourcePath } from './parse-path.js'
import { type Preferences, parsePreferences } from './preferences.js'
import { encodedSymbol, pathBelow, queryPairs } from './url.js'

/** The version a caller wants and the beginning of control information in it. */
interface Version {
  readonly version: '4.0' | '4.01'
  readonly prefix: '@odata.' | '@'
}

const v40: Version = { version: '4.0', prefix: '@odata.' }
const v401: Version = { version: '4.01', prefix: '@' }

/** How long a caller is remembered who asks for nothing. */
const gateMs = 60_000

/** Answers requests of the OData layer; knows nothing of Express, so that the parts of a batch are answered the same way. */
@Injectable()
export class ODataService {
  private readonly settings
  private readonly documents: MetadataDocuments
  private readonly gates = new LRUCache<string, Gate>({ max: 10_000, ttl: gateMs, updateAgeOnGet: true })

  constructor(
    application: Application,
    private readonly model: EntityModel,
    private readonly queries: ODataQueries,
  ) {
    this.settings = application.configuration.read(OData)
    this.documents = new MetadataDocuments(model, this.settings)
  }

  /** Everything but `$batch`. Throws typed errors. */
  async answer(request: ODataRequest): Promise<ODataAnswer> {
    const version = versionOf(request)
    const { maxUrlLength } = this.settings
    if (request.path.length + request.query.length > maxUrlLength)
      throw new ODataError(
        414,
        `The URL is longer than ${maxUrlLength} characters. Send the query in the body of POST …/$query.`,
      )
    const path = request.path.replace(/%24/g, '$').replace(/\/$/, '')
    const known = path.toLowerCase()
    if (known === '' || known === '/$metadata') {
      demandMethod(request, ['GET', 'HEAD'])
      return withVersion(
        known === '' ? this.serviceDocument(request, version) : this.metadata(request),
        version,
      )
    }
    if (ambient().principal.kind === 'anonymous') throw new UnauthenticatedError()
    if (known.endsWith('/$query')) {
      demandMethod(request, ['POST'])
      const body = await queryInBody(request)
      const query = [request.query, body].filter(Boolean).join('&')
      return this.read({ ...request, path: path.slice(0, -'/$query'.length), query }, version)
    }
    demandMethod(request, ['GET', 'HEAD'])
    if (known === '/$entity') return this.read(this.entityOf(request), version)
    return this.read({ ...request, path }, version)
  }

  private serviceDocument(request: ODataRequest, { prefix }: Version): ODataAnswer {
    const format = negotiateJson(formatIn(request.query), request.headers['accept'])
    const value = [...this.model.sets.keys()].map((name) => ({ name, kind: 'EntitySet', url: name }))
    const context = format.metadata === 'none' ? {} : { [`${prefix}context`]: `${request.root}$metadata` }
    return jsonAnswer(JSON.stringify({ ...context, value }), format, v40)
  }

  private metadata(request: ODataRequest): ODataAnswer {
    const form = negotiateDocument(formatIn(request.query), request.headers['accept'])
    return this.documents.answer(form, request.headers['if-none-match'])
  }

  /** `$entity?$id=…`: the request for what the id names. */
  private entityOf(request: ODataRequest): ODataRequest {
    const pairs = queryPairs(request.query)
    const [, id] = pairs.find(([name]) => /^\$?id$/i.test(name)) ?? []
    if (!id) throw ODataError.invalid("'$entity' needs the query option '$id'.", { target: '$id' })
    const path = pathBelow(request.root, id)
    if (path === undefined || path.includes('?'))
      throw ODataError.invalid(`'${id.slice(0, 200)}' is no id of an entity of this service.`, {
        target: '$id',
      })
    const query = request.query
      .split('&')
      .filter((pair) => !/^(\$|%24)?id(=|$)/i.test(pair))
      .join('&')
    return { ...request, path, query }
  }

  private async read(request: ODataRequest, version: Version): Promise<ODataAnswer> {
    const { accept, prefer } = request.headers
    const lastSegment = request.path.slice(request.path.lastIndexOf('/')).toLowerCase()
    const isRaw = lastSegment === '/$count' || lastSegment === '/$value'
    if (isRaw && !takesRaw(accept))
      throw new ODataError(406, 'This is answered as text/plain, which the request does not accept.', {
        target: 'Accept',
      })
    const format: JsonFormat = isRaw
      ? { metadata: 'minimal', ieee754: false }
      : negotiateJson(formatIn(request.query), accept)
    const preferences = parsePreferences(prefer)
    const { path, query, root } = request
    const reading = await this.gate().pass(() =>
      this.queries
        .read({
          key: `${path}?${query}`,
          parse: () => ({
            path: parseResourcePath(path, this.settings),
            options: parseQueryOptions(queryPairs(query), this.settings),
          }),
          ...(preferences.maxPageSize && { maxPageSize: preferences.maxPageSize.value }),
          facets: preferences.facets !== undefined,
          omitNulls: preferences.omitNulls === true,
          format: { ...format, prefix: version.prefix, root },
        })
        .catch((error: unknown) => {
          throw translated(error)
        }),
    )
    return withVersion(written(reading, { request, format, version, preferences, isRaw }), version)
  }

  /** Every caller has a few places for statements and a short line before them. */
  private gate(): Gate {
    const { userId, clientId, apiKeyId } = ambient().principal
    const caller = apiKeyId ?? userId ?? clientId ?? ''
    const known = this.gates.get(caller)
    if (known) return known
    const { maxConcurrency, maxWaiting } = this.settings
    const gate = new Gate(
      maxConcurrency,
      maxWaiting,
      () =>
        new UnavailableError(
          `At most ${maxConcurrency + maxWaiting} queries of one caller run at a time.`,
          1,
        ),
    )
    this.gates.set(caller, gate)
    return gate
  }
}

/** What an answer is written for. */
interface Writing {
  readonly request: ODataRequest
  readonly format: JsonFormat
  readonly version: Version
  readonly preferences: Preferences
  /** The value itself is asked for, without JSON around it. */
  readonly isRaw: boolean
}

function written(reading: Reading, writing: Writing): ODataAnswer {
  const { text, raw, kind } = reading
  const headers = { ...readHeaders, ...applied(reading, writing) }
  if (writing.isRaw)
    return raw === undefined
      ? { status: 204, headers }
      : { status: 200, headers: { ...headers, 'content-type': 'text/plain;charset=utf-8' }, body: raw }
  if (text === undefined) return { status: 204, headers }
  const { format, version } = writing
  const isObject = kind === 'entity' || (kind === 'references' && text.startsWith('{'))
  const body = isObject ? entityBody(text, reading, writing) : valueBody(text, reading, writing)
  const answer = jsonAnswer(body, format, version)
  return { ...answer, headers: { ...headers, ...answer.headers } }
}

/** An answer is for one caller and this moment. */
const readHeaders = { 'cache-control': 'no-store', vary: 'Accept, Prefer, Authorization' }

function entityBody(text: string, { context }: Reading, writing: Writing): string {
  const first = contextMember(context, writing)
  if (!first) return text
  return text === '{}' ? `{${first}}` : `{${first},${text.slice(1)}`
}

function valueBody(text: string, reading: Reading, writing: Writing): string {
  const { context, count, facets, next } = reading
  const { format, version } = writing
  const { prefix } = version
  const members = [
    contextMember(context, writing),
    count !== undefined && `"${prefix}count":${format.ieee754 ? `"${count}"` : count}`,
    facets !== undefined && format.metadata !== 'none' && `"@core.facets":${facets}`,
    `"value":${text}`,
    next && `"${prefix}nextLink":${JSON.stringify(nextLink(writing.request, next))}`,
  ]
  return `{${members.filter(Boolean).join(',')}}`
}

function contextMember(
  context: string | undefined,
  { request, format, version }: Writing,
): string | undefined {
  if (context === undefined || format.metadata === 'none') return undefined
  return `"${version.prefix}context":${JSON.stringify(`${request.root}$metadata${context}`)}`
}

/** The request again, from the next row on: every option stays but those that say where to begin. */
function nextLink({ root, path, query }: ODataRequest, next: NonNullable<Reading['next']>): string {
  const replaced = next.top === undefined ? /^\$?skip(token)?$/i : /^\$?(skip(token)?|top)$/i
  const kept = query
    .split('&')
    .filter((pair) => pair && !replaced.test(decodeURIComponent(pair.split('=')[0] ?? '')))
  const top = next.top === undefined ? [] : [`$top=${next.top}`]
  return `${root}${path.replace(/^\//, '')}?${[...kept, ...top, `$skiptoken=${encodeURIComponent(next.token)}`].join('&')}`
}

/** Which preferences the answer follows. */
function applied(reading: Reading, { preferences, format, isRaw }: Writing): Record<string, string> {
  const { maxPageSize, facets, omitNulls } = preferences
  const parts = [
    maxPageSize && reading.appliedPageSize !== undefined && `${maxPageSize.name}=${reading.appliedPageSize}`,
    facets &&
      reading.facets !== undefined &&
      format.metadata !== 'none' &&
      `${facets.name}="${facets.value}"`,
    omitNulls && reading.text !== undefined && !isRaw && 'omit-values=nulls',
  ].filter(Boolean)
  return parts.length ? { 'preference-applied': parts.join(', ') } : {}
}

function jsonAnswer(body: string, { metadata, ieee754 }: JsonFormat, { version }: Version): ODataAnswer {
  const level =
    version === '4.0'
      ? `odata.metadata=${metadata};odata.streaming=true`
      : `metadata=${metadata};streaming=true`
  const type = `application/json;${level};${ieee754 ? 'IEEE754Compatible=true;' : ''}charset=utf-8`
  return { status: 200, headers: { 'content-type': type }, body }
}

function withVersion(answer: ODataAnswer, { version }: Version): ODataAnswer {
  return { ...answer, headers: { ...answer.headers, 'odata-version': version } }
}

/** 4.0, or 4.01 where the caller asks for it; callers who know nothing newer than 3.0 are refused. */
function versionOf({ headers }: ODataRequest): Version {
  const ceiling = headers['odata-maxversion']?.trim()
  const own = headers['odata-version']?.trim()
  for (const [name, value] of [
    ['OData-MaxVersion', ceiling],
    ['OData-Version', own],
  ] as const)
    if (value !== undefined && !/^([4-9]|\d{2})\.\d{1,2}$/.test(value))
      throw new ODataError(400, `The header ${name} must be 4.0 or later, not '${value.slice(0, 20)}'.`, {
        target: name,
      })
  return ceiling !== undefined && Number(ceiling) >= 4.01 ? v401 : v40
}

function demandMethod({ method }: ODataRequest, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new MethodNotAllowedError(method, allowed)
}

/** The option `$format`, read apart because it is needed before everything else. */
function formatIn(query: string): string | undefined {
  if (!/format/i.test(query)) return undefined
  const found = queryPairs(query).filter(([name]) => /^\$?format$/i.test(name))
  return found[0]?.[1]
}

async function queryInBody({ headers, body }: ODataRequest): Promise<string> {
  const type = headers['content-type']
  if (!/^(text\/plain|application\/x-www-form-urlencoded)\s*(;|$)/i.test(type ?? ''))
    throw UnsupportedMediaTypeError.expecting('text/plain', type)
  const text = (await body()).toString('utf8').trim().replace(/^\?/, '')
  // What a URL would have encoded may stand here as it is.
  return text.replace(/[^\x21-\x7e]/gu, encodedSymbol)
}

/** What the database refuses to compute is a fault of the query; what takes too long may be tried again. */
function translated(error: unknown): unknown {
  const { code, parent } = error as { code?: unknown; parent?: { code?: unknown } }
  const state = parent?.code ?? code
  if (typeof state !== 'string' || !/^[0-9A-Z]{5}$/.test(state)) return error
  if (state === '22012') return ODataError.invalid('A division by zero.')
  if (state.startsWith('22') || state === '54001')
    return ODataError.invalid('A value of an expression is out of range or of no valid form.')
  if (state === '57014') return new UnavailableError('The query takes too long.', 5, { cause: error })
  return error
}
