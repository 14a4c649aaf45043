import { LimitReachedError, UnavailableError } from '../contracts/index.js'
import { MethodNotAllowedError, UnsupportedMediaTypeError } from '../http/server/http-errors.js'
import { demandSignedIn } from '../http/server/public-address.js'
import { ambient } from '../modularity/ambient.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/injectable.js'
import { CallerGates } from '../security/caller-gates.js'
import { Gate } from '../security/gate.js'
import { pathBelow } from './answers/address.js'
import { jsonAnswer, renderAnswer } from './answers/answer-body.js'
import { type JsonFormat, negotiateDocument, negotiateJson, takesRaw } from './answers/content-negotiation.js'
import { MetadataDocuments } from './answers/metadata-documents.js'
import type { ODataAnswer, ODataRequest } from './answers/odata-answer.js'
import { parsePreferences } from './answers/preferences.js'
import { type Version, version40, versionOf, withVersion } from './answers/protocol-version.js'
import type { EntityModel } from './model/entity-model.js'
import { MemberAnnotations } from './model/member-annotations.js'
import { ODataQueries } from './plans/odata-queries.js'
import { OData } from './plans/odata-settings.js'
import { ServedModel } from './plans/served-model.js'
import { ODataError, say } from './syntax/odata-error.js'
import { parseQueryOptions } from './syntax/parse-options.js'
import { parseResourcePath } from './syntax/parse-path.js'
import { queryPairs, withForeignEncoded } from './syntax/url.js'

/** Answers requests of the OData layer, also the parts of a batch: it does not know Express. */
@Injectable()
export class ODataService {
  private readonly settings
  /** Made when they are asked for first: then all services are known. */
  private readonly documents = new WeakMap<EntityModel, MetadataDocuments>()
  /** Every caller has a few places for statements and a short line before them. */
  private readonly gates = new CallerGates(() => this.newGate())

  constructor(
    private readonly application: Application,
    private readonly served: ServedModel,
    private readonly queries: ODataQueries,
  ) {
    this.settings = application.configuration.read(OData)
  }

  /** Everything but `$batch`. Throws typed errors. */
  async answer(request: ODataRequest): Promise<ODataAnswer> {
    const version = versionOf(request)
    const { maxUrlLength } = this.settings
    if (request.path.length + request.query.length > maxUrlLength)
      throw new ODataError(
        414,
        say`The URL is longer than ${maxUrlLength} characters. Send the query in the body of POST …/$query.`,
      )
    const path = request.path.replace(/%24/g, '$').replace(/(?<!\/)\/$/, '')
    const known = path.toLowerCase()
    if (known === '' || known === '/$metadata') {
      demandMethod(request, ['GET', 'HEAD'])
      if (!this.settings.isMetadataPublic) demandSignedIn()
      const model = await this.served.now()
      return withVersion(
        known === '' ? this.serviceDocument(model, request, version) : this.metadata(model, request, version),
        version,
      )
    }
    demandSignedIn()
    if (known.endsWith('/$query')) {
      demandMethod(request, ['POST'])
      const body = await queryInBody(request, this.settings.maxQueryBytes)
      const query = [request.query, body].filter(Boolean).join('&')
      return this.read({ ...request, path: path.slice(0, -'/$query'.length), query }, version)
    }
    demandMethod(request, ['GET', 'HEAD'])
    if (/^\/\$entity(\/|$)/.test(known)) return this.read(this.entityOf({ ...request, path }), version)
    return this.read({ ...request, path }, version)
  }

  private serviceDocument(model: EntityModel, request: ODataRequest, { prefix }: Version): ODataAnswer {
    const format = negotiateJson(formatIn(request.query), request.headers['accept'])
    const value = [...model.sets.keys()].map((name) => ({ name, kind: 'EntitySet', url: name }))
    const context = format.metadata === 'none' ? {} : { [`${prefix}context`]: `${request.root}$metadata` }
    return jsonAnswer(JSON.stringify({ ...context, value }), format, version40)
  }

  private metadata(model: EntityModel, request: ODataRequest, { version }: Version): ODataAnswer {
    const form = negotiateDocument(formatIn(request.query), request.headers['accept'], version)
    const documents =
      this.documents.get(model) ??
      new MetadataDocuments(model, this.settings, new MemberAnnotations(this.application))
    this.documents.set(model, documents)
    return documents.answer(form, { version, culture: ambient().culture }, request.headers['if-none-match'])
  }

  /** `$entity?$id=…`, also with a type behind it: the request for what the id names. */
  private entityOf(request: ODataRequest): ODataRequest {
    const pairs = queryPairs(request.query)
    const [, id] = pairs.find(([name]) => /^\$?id$/i.test(name)) ?? []
    if (!id) throw ODataError.invalid("'$entity' needs the query option '$id'.", { target: '$id' })
    const path = pathBelow(request, id)
    if (path === undefined || path.includes('?'))
      throw ODataError.invalid(say`'${id.slice(0, 200)}' is no id of an entity of this service.`, {
        target: '$id',
      })
    const query = request.query
      .split('&')
      .filter((pair) => !/^(\$|%24)?id(=|$)/i.test(pair))
      .join('&')
    return { ...request, path: path + request.path.slice('/$entity'.length), query }
  }

  private readonly parse = (path: string, query: string) => ({
    path: parseResourcePath(path, this.settings),
    options: parseQueryOptions(queryPairs(query), this.settings),
  })

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
    const model = this.served.ofCaller()
    const reading = await this.gates.pass(() =>
      this.queries
        .read({
          model,
          path,
          query,
          parse: this.parse,
          ...(preferences.maxPageSize && { maxPageSize: preferences.maxPageSize.value }),
          canStream: request.canStream === true,
          facets: preferences.facets !== undefined,
          omitNulls: preferences.omitNulls === true,
          format: { ...format, prefix: version.prefix, root },
        })
        .catch((error: unknown) => {
          throw translated(error)
        }),
    )
    return withVersion(renderAnswer(reading, { request, format, version, preferences, isRaw }), version)
  }

  private newGate(): Gate {
    const { maxConcurrency, maxWaiting } = this.settings
    return new Gate(
      maxConcurrency,
      maxWaiting,
      () =>
        new LimitReachedError(
          `At most ${maxConcurrency + maxWaiting} queries of one caller run at a time.`,
          1,
          { text: { key: 'OData:TooManyAtOnce', data: { most: maxConcurrency + maxWaiting } } },
        ),
    )
  }
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

async function queryInBody({ headers, body }: ODataRequest, maxBytes: number): Promise<string> {
  const type = headers['content-type']
  if (!/^(text\/plain|application\/x-www-form-urlencoded)\s*(;|$)/i.test(type ?? ''))
    throw UnsupportedMediaTypeError.expecting('text/plain', type)
  const text = (await body(maxBytes)).toString('utf8').trim().replace(/^\?/, '')
  // A body may have characters that a URL must percent-encode.
  return withForeignEncoded(text)
}

/** A computation that the database refuses is a fault of the query; a timeout may be tried again. */
function translated(error: unknown): unknown {
  if (error instanceof UnavailableError && (error.cause as { code?: unknown } | undefined)?.code === '57014')
    return tooSlow(error.cause)
  const { code, parent } = error as { code?: unknown; parent?: { code?: unknown } }
  const state = parent?.code ?? code
  if (typeof state !== 'string' || !/^[0-9A-Z]{5}$/.test(state)) return error
  if (state === '22012') return ODataError.invalid('A division by zero.')
  if (state.startsWith('22') || state.startsWith('54'))
    return ODataError.invalid('A value of an expression is out of range or of no valid form.')
  return error
}

function tooSlow(cause: unknown): UnavailableError {
  return new UnavailableError(
    'The query takes too long: filter by more selective properties, ask for less at a time, or come back later.',
    5,
    { cause, text: { key: 'OData:TooSlow' } },
  )
}
