import { createHash } from 'node:crypto'
import type { Database } from '../../data/connections/database.js'
import { Databases } from '../../data/connections/databases.js'
import { type CallerRules, RowRules } from '../../data/entities/row-rules.js'
import { type Totals, totalsSize } from '../../data/lists/kept-totals.js'
import { ReferenceSets } from '../../data/lists/reference-sets.js'
import { RowStorage } from '../../data/lists/row-cache.js'
import { bindLate, conditionOf, type RunValues, VisibleRows } from '../../data/query/late-values.js'
import type { ParameterRun } from '../../data/query/parameter.js'
import type { PlannedStatement, ReadyStatement } from '../../data/query/planned-statement.js'
import { type ByteRow, type Bytes, byteRowSize, bytesText, ownByteRow } from '../../data/wire/byte-rows.js'
import { toStatement } from '../../data/wire/sql.js'
import { Application } from '../../modularity/application.js'
import { Injectable } from '../../modularity/injectable.js'
import { CallerRights } from '../binding/caller-rights.js'
import { type BoundRequest, RequestBinder } from '../binding/request-binder.js'
import { RequestInputs } from '../binding/request-inputs.js'
import { serviceRoot } from '../binding/shape-binder.js'
import { writeSkipToken } from '../binding/skip-token.js'
import { EntityModel } from '../model/entity-model.js'
import { ODataError, say } from '../syntax/odata-error.js'
import { writeCoreFacets } from './core-facets.js'
import { CostGuard } from './cost-guard.js'
import { KeptPages } from './kept-pages.js'
import { OData } from './odata-settings.js'
import type { Binding, Plan } from './plan.js'
import type { ParsedRequest, ReadRequest } from './read-request.js'
import { RememberedPlans } from './remembered-plans.js'
import { StreamedRows } from './streamed-rows.js'
import { TotalsCache } from './totals-cache.js'

/** The most bytes of kept counts and facets, and again of other kept answers. */
const mostKeptBytes = 16 * 1024 * 1024

/** The result of a request. */
export interface ReadResult {
  readonly kind: 'collection' | 'entity' | 'property' | 'count' | 'references'
  /** JSON of the rows, the row or the value; undefined where a path leads to nothing. */
  readonly text?: Bytes | undefined
  /** Instead of the text: streamed rows. The reader of the result closes them. */
  readonly rows?: StreamedRows | undefined
  /** Of a property or count: the value as plain text. */
  readonly raw?: string | undefined
  /** The part of the context's address behind `$metadata`. */
  readonly context?: string | undefined
  readonly count?: string | undefined
  /** Of an answer that one entity alone decides: its tag, another one after every change. */
  readonly etag?: string | undefined
  /** JSON of the counts by value. */
  readonly facets?: string | undefined
  /** Where another page follows. */
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
  /** Rows behind the token that are not wanted. */
  readonly skip?: number
}

/**
 * Reads entity sets: binds a request for the caller at hand, and answers it with one statement that builds
 * the JSON in PostgreSQL. Plans are kept for requests of the same shape, counts and facets while their tables
 * do not change. Throws {@link ODataError}, refusals of the caller, and errors of the database.
 */
@Injectable()
export class ODataQueries {
  private readonly plans = new RememberedPlans((wanted, parsed) => this.bind(wanted, parsed))
  private readonly limits
  private readonly costs: CostGuard
  private readonly totals = new TotalsCache<Totals>(mostKeptBytes, totalsSize)
  private readonly summaries = new TotalsCache<ByteRow>(mostKeptBytes, byteRowSize)
  private readonly pages: KeptPages

  constructor(
    readonly model: EntityModel,
    private readonly databases: Databases,
    private readonly rules: RowRules,
    private readonly references: ReferenceSets,
    application: Application,
  ) {
    this.pages = new KeptPages(application.get(RowStorage))
    this.limits = application.configuration.read(OData)
    this.costs = new CostGuard(this.limits.maxPlanCost)
  }

  /**
   * A digest of what row rules make of a request for the caller at hand: a caller with another one may see other rows. Refuses wrong queries, and callers who
   * lack a right, as {@link read} does.
   */
  async scopeOf(wanted: ReadRequest): Promise<string> {
    const { sql } = this.plans.of(wanted).plan.binding.request
    const rules = this.rules.once()
    const hash = createHash('sha256')
    const entities = sql.values.flatMap((value) => (value instanceof VisibleRows ? value.entity : []))
    for (const entity of new Set(entities)) {
      const { texts, values } = await conditionOf(new VisibleRows(entity, 't'), rules)
      hash.update(JSON.stringify([entity.table, texts, values]))
    }
    return hash.digest('base64url')
  }

  /** Answers a request. */
  async read(wanted: ReadRequest): Promise<ReadResult> {
    const { plan, run: parameters } = this.plans.of(wanted)
    const { request } = plan.binding
    const database = this.databaseOf(request)
    const late = { [serviceRoot]: wanted.format.root, now: this.databases.now }
    const run: Run = { rules: this.rules.once(), late, parameters }
    if (request.stream) return this.stream(request, request.stream, run, database)
    const { row, totals } = await this.found(plan, run, database)
    if (request.kind !== 'collection' && (request.kind !== 'references' || request.isSingleReference))
      return single(request, row, parameters)
    const [text, keys, , , hasOwner] = row
    const found = { text, keys: textOf(keys), totals, hasOwner: isTrue(hasOwner) }
    return this.collection(request, found, parameters)
  }

  /** The row of an answer, and its totals; from what is kept of either, as far as it is. */
  private async found(
    plan: Plan,
    run: Run,
    database: Database,
  ): Promise<{ readonly row: ByteRow; readonly totals: Totals }> {
    const { totals: apart, binding } = plan
    if (apart)
      return this.totals.read(apart, await this.ready(apart, run), database, {
        known: async (totals) => ({ row: await this.page(plan, run, database), totals }),
        unknown: async () => withTotals(await this.send(plan.whole, run, database)),
      })
    if (!binding.request.isSummary) return withTotals(await this.page(plan, run, database))
    const { whole } = plan
    const { totals: row } = await this.summaries.read(whole, await this.ready(whole, run), database, {
      known: async (row) => ({ totals: row }),
      unknown: async () => ({ totals: ownByteRow(await this.send(whole, run, database)) }),
    })
    return withTotals(row)
  }

  /** The row of a page without totals, of kept rows where rows of its form are asked for again. */
  private async page(plan: Plan, run: Run, database: Database): Promise<ByteRow> {
    const { kept } = plan
    const reading = kept && (await this.pages.of(kept, database))
    if (!kept || !reading) return this.send(plan.page, run, database)
    const [versions, ...others] = await this.send(kept.versions, run, database)
    const text =
      versions &&
      (await this.pages.page(versions, reading.rows, database, async (ids) =>
        database.queryForCaller(await this.ready(reading.byId, { ...run, late: { ...run.late, ids } })),
      ))
    return text ? [text, ...others] : this.send(plan.page, run, database)
  }

  /** The one row that a statement finds. */
  private async send(statement: PlannedStatement, run: Run, database: Database): Promise<ByteRow> {
    const made = this.ready(statement, run)
    const ready = made instanceof Promise ? await made : made
    if (!this.costs.knows(ready)) await this.costs.admit(ready, database)
    const [row = []] = await database.queryForCaller(ready)
    return row
  }

  private ready(statement: PlannedStatement, run: Run): ReadyStatement | Promise<ReadyStatement> {
    return statement.ready(run.rules, run)
  }

  /** A streamed page. A statement before it finds the count, the facets and the owner. */
  private async stream(
    request: BoundRequest,
    { limit, before }: NonNullable<BoundRequest['stream']>,
    run: Run,
    database: Database,
  ): Promise<ReadResult> {
    const { rules, parameters } = run
    const told = before && toStatement(await bindLate(before, rules, run))
    if (told) await this.costs.admit(told, database)
    const [[count, facets, hasOwner] = []] = told ? await database.queryForCaller(told) : []
    const totals = { count: textOf(count), facets: textOf(facets) }
    const found = { text: undefined, keys: undefined, totals, hasOwner: !told || isTrue(hasOwner) }
    const reading = await this.collection(request, found, parameters)
    const statement = toStatement(await bindLate(request.sql, rules, run))
    await this.costs.admitStream(statement, database)
    const rows = await StreamedRows.begin(database.stream(statement), limit)
    return { ...reading, text: undefined, rows, nextBehind: nextPage(request, parameters) }
  }

  private bind(wanted: ReadRequest, parsed: ParsedRequest): Binding {
    const { maxPageSize, facets = false, canStream = false, omitNulls = false, format } = wanted
    const { model = this.model } = wanted
    const { metadata, ieee754, prefix } = format
    const inputs = new RequestInputs()
    const { path, options } = inputs.watched(parsed)
    const rights = new CallerRights()
    const context = {
      rights,
      inputs,
      namespace: model.namespace,
      model,
      aliases: options.aliases ?? new Map(),
      limits: this.limits,
      maxPageSize,
      format: { metadata, ieee754, prefix, omitNulls },
      aliasTexts: (options.texts ?? []).filter(({ name }) => name.startsWith('@')),
    }
    const binder = new RequestBinder(model, context)
    const request = binder.bind(path, options, { facets, canStream })
    this.demandOneDatabase(request, rights)
    return { request, decisions: rights.decisions, assumptions: inputs.assumptions }
  }

  /** Refuses paths to sets in another database, where `$root` can lead. */
  private demandOneDatabase(request: BoundRequest, { sets }: CallerRights): void {
    const { name } = this.databaseOf(request)
    for (const set of sets)
      if (this.databases.of(set.entity).name !== name)
        throw ODataError.unsupported('OtherDatabase', {}, set.name)
  }

  private async collection(request: BoundRequest, found: Found, run: ParameterRun): Promise<ReadResult> {
    const { kind, context, set, facets, pageSize } = request
    const { text, keys, totals, hasOwner } = found
    if (!hasOwner) throw missing(set.name)
    const written =
      facets && totals.facets !== undefined ? writeCoreFacets(facets, totals, this.references) : undefined
    return {
      kind,
      context: run.valueOf(context),
      text: request.onlySkips ? nothing : (text ?? nothing),
      count: totals.count,
      facets: written instanceof Promise ? await written : written,
      next: keys === undefined ? undefined : nextPage(request, run)?.(keys),
      appliedPageSize: pageSize,
    }
  }

  private databaseOf({ set }: BoundRequest): Database {
    return this.databases.of(set.entity)
  }
}

/** Values that all statements of one answer share. */
interface Run extends Required<RunValues> {
  readonly rules: CallerRules
}

/** The result of the statement of a collection. */
interface Found {
  readonly text: Bytes | null | undefined
  readonly keys: string | undefined
  readonly totals: Totals
  readonly hasOwner: boolean
}

const nothing: Bytes = [Buffer.from('[]')]

/** A row of a collection with the totals in it; of others there are none. */
function withTotals(row: ByteRow): { readonly row: ByteRow; readonly totals: Totals } {
  const [, , count, facets] = row
  return { row, totals: { count: textOf(count), facets: textOf(facets) } }
}

/** The answer about one entity, one value or one number. */
function single(request: BoundRequest, row: ByteRow, run: ParameterRun): ReadResult {
  const { kind, set, mayBeNothing } = request
  const context = run.valueOf(request.context)
  if (kind === 'property') {
    const [json, raw, isThere, hasOwner] = row
    if (!isTrue(hasOwner) || (!isTrue(isThere) && !mayBeNothing)) throw missing(set.name)
    return { kind, context, text: json ?? undefined, raw: textOf(raw) }
  }
  const [found, hasOwner] = row
  if (!isTrue(hasOwner)) throw missing(set.name)
  if (kind === 'count') return { kind, raw: textOf(found) }
  if (!found && !mayBeNothing) throw missing(set.name)
  const etag = request.hasTag && found ? tagIn(found) : undefined
  return { kind, context, text: found ?? undefined, etag }
}

function textOf(bytes: Bytes | null | undefined): string | undefined {
  return bytes ? bytesText(bytes) : undefined
}

function isTrue(bytes: Bytes | null | undefined): boolean {
  return textOf(bytes) === 't'
}

/** Makes the token of the next page of the keys of a page's last row. */
function nextPage({ next }: BoundRequest, run: ParameterRun): ((keys: string) => NextPage) | undefined {
  return (
    next &&
    ((keys) => ({
      token: writeSkipToken(run.valueOf(next.query), keys),
      ...(next.top !== undefined && { top: next.top }),
      ...(next.skip !== undefined && { skip: next.skip }),
    }))
  )
}

/** Bytes within which the tag at the beginning of an entity ends. */
const longestTag = 64

/** The tag of an entity, which stands first in its JSON. */
function tagIn(json: Bytes): string | undefined {
  const [begin, more] = json
  const whole = begin && (more && begin.length < longestTag ? Buffer.concat(json) : begin)
  const text = whole?.toString('latin1', 0, longestTag) ?? ''
  const [, version] = /^\{"@(?:odata\.)?etag":"W\/\\"([\w-]+)\\""/.exec(text) ?? []
  return version && `W/"${version}"`
}

function missing(set: string): ODataError {
  return ODataError.notFound(say`There is no such entity in '${set}', or none that you may see.`)
}
