import { LRUCache } from 'lru-cache'
import { UnavailableError } from '../contracts/index.js'
import { type Database, Databases, type TextRow } from '../data/connections.js'
import { bindLate } from '../data/query/late-values.js'
import { ReferenceSets } from '../data/query/reference-sets.js'
import { StatementShapes } from '../data/query/statement-shapes.js'
import { RowRules } from '../data/row-rules.js'
import { toStatement } from '../data/sql.js'
import { Application } from '../modularity/application.js'
import { Injectable } from '../modularity/module.js'
import { CallerRights, callerKey, decideTheSame } from './caller-rights.js'
import { writeCoreFacets } from './core-facets.js'
import { CostGuard } from './cost-guard.js'
import { EntityModel } from './entity-model.js'
import { ODataError } from './odata-error.js'
import { OData } from './odata-settings.js'
import type { ResourceSegment } from './parse-path.js'
import { type BoundRequest, RequestBinder } from './request-binder.js'
import { type AnswerFormat, serviceRoot } from './shape-binder.js'
import { writeSkipToken } from './skip-token.js'
import { StreamedRows } from './streamed-rows.js'
import type { QueryOptions } from './syntax.js'
import { TotalsCache } from './totals-cache.js'

/** A request for data, of the caller at hand. */
export interface ReadRequest {
  /** Path and query as they were written: what was understood of them is remembered by it. */
  readonly key: string
  /** Called unless it is remembered. */
  readonly parse: () => { readonly path: readonly ResourceSegment[]; readonly options: QueryOptions }
  /** The client's wish for the most rows of a page. */
  readonly maxPageSize?: number
  readonly facets?: boolean
  /** Whether a page may be longer than those of its set: its rows come piece by piece then. */
  readonly canStream?: boolean
  /** Leave out members that are null. */
  readonly omitNulls?: boolean
  /** `root`: the address of the service, ending with a slash. */
  readonly format: AnswerFormat & { readonly root: string }
}

/** What a request read. */
export interface Reading {
  readonly kind: 'collection' | 'entity' | 'property' | 'count' | 'references'
  /** JSON of the rows, the row or the value; undefined where a path leads to nothing. */
  readonly text?: string | undefined
  /** Instead of the text: rows that come piece by piece. Whoever gets them closes them. */
  readonly rows?: StreamedRows | undefined
  /** Of a property or count: the value as plain text. */
  readonly raw?: string | undefined
  /** What stands behind `$metadata` in the context's address. */
  readonly context?: string | undefined
  readonly count?: string | undefined
  /** Of an answer that one entity alone decides: its tag, another one after every change. */
  readonly etag?: string | undefined
  /** JSON of the counts by value. */
  readonly facets?: string | undefined
  /** Where another page follows: its `$skiptoken`, and what `$top` becomes when there was one. */
  readonly next?: NextPage | undefined
  /** The same of streamed rows, whose last keys are known when all are taken. */
  readonly nextBehind?: ((keys: string) => NextPage) | undefined
  /** The most rows of the page. */
  readonly appliedPageSize?: number | undefined
}

/** Where another page begins. */
export interface NextPage {
  readonly token: string
  readonly top?: number
}

interface Plan {
  /** Permissions asked for while binding: a plan holds for callers of whom the same is true. */
  readonly decisions: CallerRights['decisions']
  readonly request: BoundRequest
}

/** Plans kept for one text: callers differ in what they may see. */
const plansPerText = 4

/**
 * Reads entity sets: binds a request for the caller at hand, and answers it with one statement that builds the JSON in PostgreSQL. Plans are
 * kept by the text of the request, counts and facets while nothing changes. Throws {@link ODataError}, refusals of the caller, and what the database says.
 */
@Injectable()
export class ODataQueries {
  private readonly plans = new LRUCache<string, Plan[]>({ max: 1000 })
  private readonly shapes = new StatementShapes()
  private readonly limits
  private readonly costs: CostGuard
  private readonly totals: TotalsCache
  /** Callers with a streamed answer under way. */
  private readonly streaming = new Set<string>()

  constructor(
    readonly model: EntityModel,
    private readonly databases: Databases,
    private readonly rules: RowRules,
    private readonly references: ReferenceSets,
    application: Application,
  ) {
    this.totals = new TotalsCache(rules)
    this.limits = application.configuration.read(OData)
    this.costs = new CostGuard(this.limits.maxPlanCost)
  }

  /** Answers a request. */
  async read(wanted: ReadRequest): Promise<Reading> {
    const request = this.planOf(wanted)
    const database = this.databaseOf(request)
    if (request.stream) return this.stream(request, request.stream, database, wanted.format.root)
    const totals = request.apart && (await this.totals.of(request.apart.totals, database))
    const template = totals?.known && request.apart ? request.apart.page : request.sql
    const sql = await bindLate(template, this.rules, { [serviceRoot]: wanted.format.root })
    const statement = this.shapes.ready(sql)
    await this.costs.admit(statement, database)
    const [row = []] = await database.queryForCaller(statement)
    const [text = null, keys = null, count = null, facets = null, hasOwner = null] = row
    if (totals?.known)
      return this.reading(request, [text, keys, totals.known.count, totals.known.facets, hasOwner])
    totals?.keep({ count, facets })
    return this.reading(request, row)
  }

  /** A page whose rows come piece by piece. What is told before them takes a statement of its own. */
  private async stream(
    request: BoundRequest,
    { limit, before }: NonNullable<BoundRequest['stream']>,
    database: Database,
    root: string,
  ): Promise<Reading> {
    const caller = callerKey()
    if (this.streaming.has(caller))
      throw new UnavailableError('Another streamed answer to the same caller is still under way.', 5)
    this.streaming.add(caller)
    const ended = () => void this.streaming.delete(caller)
    try {
      const late = { [serviceRoot]: root }
      const told = before && toStatement(await bindLate(before, this.rules, late))
      const [[count = null, facets = null, hasOwner = 't'] = []] = told
        ? await database.queryForCaller(told)
        : []
      const reading = await this.reading(request, ['', null, count, facets, hasOwner])
      const statement = toStatement(await bindLate(request.sql, this.rules, late))
      await this.costs.admit(statement, database)
      const rows = database.stream(statement)
      const streamed = await StreamedRows.begin(rows, limit, ended)
      return { ...reading, text: undefined, rows: streamed, nextBehind: nextPage(request) }
    } catch (error) {
      ended()
      throw error
    }
  }

  private planOf(wanted: ReadRequest): BoundRequest {
    const { key, maxPageSize, facets = false, canStream = false, omitNulls = false, format } = wanted
    const { metadata, ieee754, prefix } = format
    const text = `${maxPageSize ?? ''} ${facets} ${canStream} ${omitNulls} ${metadata} ${ieee754} ${prefix} ${key}`
    const kept = this.plans.get(text) ?? []
    const known = kept.find(({ decisions }) => decideTheSame(decisions))
    if (known) return known.request
    const { path, options } = wanted.parse()
    const rights = new CallerRights()
    const context = {
      rights,
      namespace: this.model.namespace,
      aliases: options.aliases ?? new Map(),
      limits: this.limits,
      format: { metadata, ieee754, prefix, omitNulls },
      aliasTexts: [...(options.texts ?? [])].filter(([name]) => name.startsWith('@')),
    }
    const request = new RequestBinder(this.model, context).bind(path, options, {
      maxPageSize,
      facets,
      canStream,
    })
    this.plans.set(text, [{ decisions: rights.decisions, request }, ...kept].slice(0, plansPerText))
    return request
  }

  private async reading(request: BoundRequest, row: TextRow): Promise<Reading> {
    const { kind, context, set } = request
    if (kind === 'property') {
      const [json, raw, isThere, hasOwner] = row
      if (hasOwner !== 't' || (isThere !== 't' && !request.mayBeNothing)) throw missing(set.name)
      return { kind, context, text: json ?? undefined, raw: raw ?? undefined }
    }
    if (kind === 'count') {
      const [count, hasOwner] = row
      if (hasOwner !== 't') throw missing(set.name)
      return { kind, raw: count ?? undefined }
    }
    if (kind === 'entity' || request.isSingleReference) {
      const [text, hasOwner] = row
      if (hasOwner !== 't' || (text === null && !request.mayBeNothing)) throw missing(set.name)
      return {
        kind,
        context,
        text: text ?? undefined,
        etag: request.hasTag && text ? tagIn(text) : undefined,
      }
    }
    const [text, keys, count, facets, hasOwner] = row
    if (hasOwner !== 't') throw missing(set.name)
    return {
      kind,
      context,
      text: text ?? '[]',
      count: count ?? undefined,
      facets:
        facets && request.facets ? await writeCoreFacets(request.facets, facets, this.references) : undefined,
      next: keys ? nextPage(request)?.(keys) : undefined,
      appliedPageSize: request.pageSize,
    }
  }

  private databaseOf({ set }: BoundRequest): Database {
    return this.databases.of(set.entity)
  }
}

/** Makes the token of the next page of the keys of a page's last row. */
function nextPage({ next }: BoundRequest): ((keys: string) => NextPage) | undefined {
  return (
    next &&
    ((keys) => ({
      token: writeSkipToken(next.query, keys),
      ...(next.top !== undefined && { top: next.top }),
    }))
  )
}

/** The tag of an entity, which stands first in its JSON. */
function tagIn(json: string): string | undefined {
  const [, version] = /^\{"@(?:odata\.)?etag":"W\/\\"(\d+)\\""/.exec(json) ?? []
  return version && `W/"${version}"`
}

function missing(set: string): ODataError {
  return ODataError.notFound(`There is no such entity in '${set}', or none that you may see.`)
}
