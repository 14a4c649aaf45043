import { LRUCache } from 'lru-cache'
import { type AnyDto, EntityNotFoundError, type FileContent } from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import { Application } from '../../modularity/application.js'
import { Injectable } from '../../modularity/injectable.js'
import { jsonResult } from '../../modularity/json-text.js'
import type { Localization } from '../../modularity/localization.js'
import { timeZoneOfCaller } from '../../modularity/time-zone-of-caller.js'
import { type SpreadsheetFormat, spreadsheetFile } from '../../spreadsheets/index.js'
import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { type EntityClass, entityMeta } from '../entities/entity.js'
import { type CallerRules, notDeleted, RowRules } from '../entities/row-rules.js'
import { ComposedStatement } from '../query/composed-statement.js'
import { noRowsSkipped } from '../query/frame.js'
import { bindLate, type RunValues, VisibleRows } from '../query/late-values.js'
import { planned } from '../query/statement-shapes.js'
import { literal } from '../query/storage.js'
import { begun } from '../wire/row-stream.js'
import { and, barred, join, quote, raw, readsRows, type Sql, sql, toStatement } from '../wire/sql.js'
import type { Statement, TextRow } from '../wire/statement.js'
import { writeFacets } from './facet-json.js'
import { type FacetedList, type RequestedFilters, writeAppliedFilters } from './facets.js'
import type { JsonView, ReferencesOfView } from './json-view.js'
import { KeptTotals, type Totals, totalsKey, totalsSize } from './kept-totals.js'
import type { ListSheet } from './list-sheet.js'
import { JoinedTable, ReferenceSets, type Referred } from './reference-sets.js'
import { joinJson, RowCache, RowStorage } from './row-cache.js'

/** Which rows, and in which order. */
export interface RowsRequest {
  /** Values that attributes have; those that are null, undefined or an empty text do not count. */
  readonly equal?: Readonly<Record<string, string | number | null | undefined>>
  /** Comparisons of columns of the table `t` with values, which cannot fail: they stand beside the row rules, so that indexes serve. */
  readonly conditions?: readonly (Sql | undefined)[]
  /** All other conditions on the table `t`, such as searches for a text: not evaluated on rows that the row rules hide. */
  readonly searches?: readonly (Sql | undefined)[]
  /** A text that is looked for in the attributes that the view is searched in. */
  readonly filter?: string | null | undefined
  /** As the caller wrote it: `<field> ASC`, several with commas. */
  readonly sorting?: string | null | undefined
  /** Used when the caller does not sort. */
  readonly defaultSorting: string
  /** Conditions on the table `t` that rank rows before any sorting: rows that meet the first one come first. */
  readonly ranks?: readonly Sql[]
  /**
   * A condition on the table `t` for rows that the caller sees although the row rules of the entity hide them.
   * Deleted rows stay hidden. For views that show nothing confidential of such a row.
   */
  readonly shownToAll?: Sql | undefined
}

/** Which rows, in which order, and which part of them. */
export interface PageRequest extends RowsRequest {
  readonly skipCount: number
  readonly maxResultCount: number
}

/** A page request of a list that can be filtered by facets. */
export interface FacetedPageRequest extends PageRequest {
  readonly includeFacets: boolean
  readonly filters?: Readonly<Record<string, readonly string[]>> | null | undefined
}

/** Conditions that single rows of a view are read by; they are of our own code, and few. */
const mostConditions = 20

/** How much counts and facets of all lists may keep together, in bytes. */
const mostTotalsBytes = 32 * 1024 * 1024

/** Totals of a list, and what decides how a page of it is read. */
interface ListTotals extends Totals {
  /** About how many rows the table has. */
  readonly tableRows: number
}

/** A page that was read: its rows as JSON, and the totals over all pages. */
interface PageRead {
  readonly totals: ListTotals
  readonly rows: readonly Buffer[]
}

/** The rows that a request is about, as SQL for the caller at hand. */
interface Rows {
  readonly database: Database
  readonly from: Sql
  readonly columns: Sql
  /** The condition on all rows, independent of the filters of the request; `where` includes it. */
  readonly base: Sql
  readonly where: Sql
  readonly order: Sql
  /** The same order for lists that {@link isFoundFirst}. */
  readonly sorted: Sql
  readonly references: ReferencesOfView
  /** The view that reads the rows with these references. */
  readonly reading: JsonView
}

/**
 * Reads the rows of entities as JSON, and applies the row rules of the caller and soft delete to each. A request is one statement, and a
 * second one for rows that the row cache does not have. Counts and facets, which cost many times the page itself, are kept per filter for as
 * long as the table does not change; rows that were written as JSON before are recognized by their version and not read again.
 */
@Injectable()
export class PageReader {
  private readonly totals = new KeptTotals<ListTotals>(mostTotalsBytes, totalsSize)
  private readonly storage: RowStorage
  private readonly rowCaches = new WeakMap<JsonView, RowCache>()
  /** By what is selected, and by the text of a condition. */
  private readonly statementsOfOne = new WeakMap<Sql, LRUCache<string, ComposedStatement>>()

  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
    private readonly references: ReferenceSets,
    private readonly application: Application,
  ) {
    this.storage = application.get(RowStorage)
  }

  /** The texts of the host. */
  get localization(): Localization {
    return this.application.localization
  }

  /** Rows that others refer to. */
  get referenceSets(): ReferenceSets {
    return this.references
  }

  /** One row with its collections. {@link EntityNotFoundError} when there is none that the caller may see. */
  async one<D extends AnyDto>(dto: D, view: JsonView, id: string): Promise<InstanceType<D>> {
    const writes = UnitOfWork.current?.writesWithRow(this.databases.of(view.entity), view.meta.table, id)
    const found = await this.find(dto, view, sql`t."Id" = ${id}`, writes)
    if (!found) throw new EntityNotFoundError(view.meta.name, id)
    return found
  }

  /**
   * The row, with its collections, that meets a condition on the table `t`; undefined when there is none that the caller may see.
   * @param writes see {@link JsonView.selection}
   */
  async find<D extends AnyDto>(
    dto: D,
    whole: JsonView,
    condition: Sql,
    writes?: readonly string[],
  ): Promise<InstanceType<D> | undefined> {
    const view = whole.forCaller(this.application.ownFields)
    const references = await view.references(this.references)
    const reading = view.readingBy(references)
    const [row] = await this.databases
      .of(view.entity)
      .queryText(await this.statementOfOne(reading, condition, writes))
    return row && jsonResult(dto, reading.writeWhole(row, references))
  }

  /** A page: `{ totalCount, items }`. @param database where the rows are, for entities of which every database has some */
  async page<D extends AnyDto>(
    page: D,
    view: JsonView,
    request: PageRequest,
    database?: Database,
  ): Promise<InstanceType<D>> {
    const { totals, rows } = await this.read(view, request, undefined, [], database)
    return jsonResult(page, joinJson(`{"totalCount":${totals.count},"items":[`, rows, ']}'))
  }

  /** A page with filters: `{ totalCount, items, appliedFilters, facets }`. */
  async facetedPage<D extends AnyDto>(
    page: D,
    whole: FacetedList,
    request: FacetedPageRequest,
  ): Promise<InstanceType<D>> {
    const list = whole.forCaller(this.application.ownFields)
    const filters = await list.understand(request.filters ?? {}, this.references, this.application.ownFields)
    const { totals, rows } = await this.read(
      list.view,
      request,
      request.includeFacets ? list : undefined,
      filters,
    )
    const facets = totals.facets ? await writeFacets(list.shown, totals, this.references) : 'null'
    const tail = `],"appliedFilters":${writeAppliedFilters(filters)},"facets":${facets}}`
    return jsonResult(page, joinJson(`{"totalCount":${totals.count},"items":[`, rows, tail))
  }

  /** A page of rows with all their columns, for lists whose DTOs code makes: `view` has no DTO. Instants are texts. */
  async rows<T extends object>(
    view: JsonView,
    request: PageRequest,
  ): Promise<{ readonly totalCount: number; readonly rows: readonly T[] }> {
    const { totals, rows } = await this.read(view, request, undefined, [])
    return { totalCount: Number(totals.count), rows: rows.map((row) => JSON.parse(row.toString()) as T) }
  }

  /** How many rows there are. */
  async count(view: JsonView, request: Omit<RowsRequest, 'sorting' | 'defaultSorting'>): Promise<number> {
    const [defaultSorting = ''] = view.forCaller(this.application.ownFields).sorting.fields
    const page = { ...request, defaultSorting, skipCount: 0, maxResultCount: 0 }
    return Number((await this.read(view, page, undefined, [])).totals.count)
  }

  /** Rows of an entity that has few: `{ items }`. All of them, unless the request asks for a part. */
  async items<D extends AnyDto>(
    list: D,
    view: JsonView,
    request: RowsRequest & Partial<PageRequest>,
  ): Promise<InstanceType<D>> {
    return jsonResult(list, `{"items":[${(await this.all(view, request)).join(',')}]}`)
  }

  /** The same as an array. */
  async array<D extends AnyDto>(
    dto: D,
    view: JsonView,
    request: RowsRequest & Partial<PageRequest>,
  ): Promise<InstanceType<D>[]> {
    return (await this.all(view, request)).map((row) => jsonResult(dto, row))
  }

  /** Values of rows as code reads them, for files and the like. @param columns SQL over the table `t` and the joins of the view, each with a name */
  async values<R extends object>(
    view: JsonView,
    columns: Sql,
    request: RowsRequest & Partial<PageRequest>,
  ): Promise<R[]> {
    const { database, statement } = await this.selectOf(
      view.forCaller(this.application.ownFields),
      request,
      columns,
    )
    return database.queryList<R>(statement)
  }

  /**
   * A list as a spreadsheet: all of its rows that the caller may see, as filtered and sorted, in the caller's language and time zone. It is read
   * while it is sent, whatever its size; what is wrong with the request is found at once.
   */
  async file(
    format: SpreadsheetFormat,
    sheet: ListSheet,
    list: FacetedList | JsonView,
    request: RowsRequest & Pick<FacetedPageRequest, 'filters'>,
  ): Promise<FileContent> {
    const { localization, modules } = this.application
    const module = modules.find(({ options }) =>
      options.entities?.some((entity) => entityMeta(entity as EntityClass) === sheet.meta),
    )
    const seen = list.forCaller(this.application.ownFields)
    const { ownFields } = 'view' in seen ? seen.view : seen
    const texts = { localization, module: module?.name ?? '', culture: ambient().culture, format, ownFields }
    const timeZone = await timeZoneOfCaller(this.application)
    const rows = sheet.rows(await this.allRows(list, request), texts)
    return spreadsheetFile(format, sheet.fileName, sheet.headed(texts), rows, { timeZone })
  }

  /**
   * All rows of a list that the caller may see, as the JSON that a page has of them: piece by piece, read while they are taken.
   */
  private async allRows(
    whole: FacetedList | JsonView,
    request: RowsRequest & Pick<FacetedPageRequest, 'filters'>,
  ): Promise<AsyncGenerator<readonly string[], void, undefined>> {
    const list = whole.forCaller(this.application.ownFields)
    const [view, faceted] = 'view' in list ? [list.view, list] : [list, undefined]
    const filters = await faceted?.understand(
      request.filters ?? {},
      this.references,
      this.application.ownFields,
    )
    const { database, columns, from, where, order, references, reading } = await this.rowsOf(
      view,
      request,
      filters,
    )
    const statement = sql`select ${columns} from ${from} where ${where} order by ${order}`
    // Awaited before the head of the answer is sent, so that a failure still gets an error answer.
    const pieces = await begun(database.stream(statement))
    return (async function* () {
      for await (const rows of pieces) yield rows.map((row) => reading.write(row, references, 0))
    })()
  }

  private async all(whole: JsonView, request: RowsRequest & Partial<PageRequest>): Promise<string[]> {
    const view = whole.forCaller(this.application.ownFields)
    const { database, references, reading, statement } = await this.selectOf(view, request)
    const rows = await database.queryListText(planned(statement))
    return rows.map((row) => reading.write(row, references))
  }

  /** The statement for rows without their totals. */
  private async selectOf(
    view: JsonView,
    request: RowsRequest & Partial<PageRequest>,
    selected?: Sql,
  ): Promise<Pick<Rows, 'database' | 'references' | 'reading'> & { readonly statement: Sql }> {
    const { database, columns, from, where, order, references, reading } = await this.rowsOf(view, request)
    const { skipCount = 0, maxResultCount = null } = request
    const part = sql`limit ${maxResultCount}::int offset ${skipCount}::int`
    const statement = sql`select ${selected ?? columns} from ${from} where ${where} order by ${order} ${part}`
    return { database, references, reading, statement }
  }

  private async read(
    whole: JsonView,
    request: PageRequest,
    facets: FacetedList | undefined,
    filters: RequestedFilters,
    inDatabase?: Database,
  ): Promise<PageRead> {
    const view = whole.forCaller(this.application.ownFields)
    const { database, columns, from, base, where, order, sorted, references, reading } = await this.rowsOf(
      view,
      request,
      filters,
      inDatabase,
    )
    const cache = this.rowCache(reading, database, references)
    const version = raw(RowCache.key)
    const keyed = sql`${version}, ${columns}`
    const page = (order: Sql, only = raw('true')) =>
      sql`select ${cache ? version : keyed} from ${from} where ${where} and ${only} order by ${order} limit ${request.maxResultCount} offset ${request.skipCount}`

    const facetNames = facets?.fields.map(({ name }) => name)
    const totalsOf = view.joins ? undefined : [view.meta]
    const key = totalsKey(database, totalsOf, readsRows(where), () => {
      const { text, values } = toStatement(where)
      return JSON.stringify([view.meta.table, facetNames, text, values])
    })
    return this.totals.read(key, {
      known: async (totals) => {
        const statement = page(isFoundFirst(totals, request) ? sorted : order)
        return { totals, rows: await written(await database.queryListText(planned(statement))) }
      },
      unknown: async () => {
        const facetColumn = facets ? facets.countsSql(from, [base], filters) : raw('null')
        const counted = sql`select (select count(*) from ${from} where ${where}) as n, ${facetColumn} as f, ${tableRowsSql(view)} as m`
        const isFirst = foundFirstSql(request)
        // One of both is empty without having read any row. The offset keeps PostgreSQL from counting for each of them.
        const rows = sql`(${page(sorted, isFirst)}) union all (${page(order, sql`not (${isFirst})`)})`
        // With no row on the page the totals still come, beside nulls.
        const found = await database.queryListText(
          planned(
            sql`select t.*, c.n, c.f, c.m from (${counted}${noRowsSkipped}) c left join lateral (${rows}) t on true`,
          ),
        )
        const [first = []] = found
        const [count, counts, tableRows] = first.slice(-3)
        const totals: ListTotals = {
          count: count ?? '0',
          facets: counts ?? undefined,
          tableRows: Number(tableRows),
        }
        return { totals, rows: await written(found.filter(([id]) => id !== null)) }
      },
    })

    async function written(rows: readonly TextRow[]): Promise<Buffer[]> {
      if (!cache) return rows.map((row) => Buffer.from(reading.write(row, references, 2)))
      // Held from here on: what makes room meanwhile is not lost.
      const isValid = cache.isValid(database.feed)
      const known = rows.map((row) => (isValid ? cache.find(row, 0) : undefined))
      const missing = rows.filter((_, index) => !known[index]).map(([id]) => id)
      if (missing.length === 0) return known as Buffer[]
      const fresh = await database.queryListText(
        planned(sql`select ${keyed} from ${from} where t."Id" = any(${missing}::uuid[]) and ${where}`),
      )
      const added = new Map(fresh.map((row) => [row[0], cache.add(row)]))
      // A row that is gone by now is on neither side.
      return rows.flatMap((row, index) => known[index] ?? added.get(row[0] ?? null) ?? [])
    }
  }

  private async rowsOf(
    view: JsonView,
    request: RowsRequest,
    filters: RequestedFilters = [],
    database = this.databases.of(view.entity),
  ): Promise<Rows> {
    const { equal = {}, conditions = [], searches = [], filter, ranks = [] } = request
    const sorting = request.sorting?.trim() || request.defaultSorting
    const rules = this.rules.once()
    const hiding = shownBeside(view, request.shownToAll, await rules.conditionsFor(view.meta, 't'))
    const [search, isPlain] = [view.search(filter), view.isPlainSearch(filter)]
    const wanted = and([
      barred(hiding, isPlain ? searches : [...searches, search]),
      isPlain ? search : undefined,
      ...view.equal(equal),
      ...conditions,
    ])
    const references = await view.references(this.references)
    const reading = view.readingBy(references)
    const [base, from, columns, order, sorted] = await Promise.all([
      this.bound(wanted, rules),
      this.bound(view.from, rules),
      this.bound(reading.columns, rules),
      this.bound(ranked(ranks, view.sorting.orderBy(sorting)), rules),
      this.bound(ranked(ranks, view.sorting.afterFinding(sorting)), rules),
    ])
    const where = and([base, ...filters.map(({ condition }) => condition)])
    return { database, from, columns, base, where, order, sorted, references, reading }
  }

  /** The statement that reads the rows that meet a condition on the table `t` and that the caller may see, with their collections. */
  private statementOfOne(
    view: JsonView,
    condition: Sql,
    writes: readonly string[] | undefined,
  ): Promise<Statement> {
    const selection = view.selection(writes)
    let statements = this.statementsOfOne.get(selection)
    if (!statements) {
      statements = new LRUCache({ max: mostConditions })
      this.statementsOfOne.set(selection, statements)
    }
    const key = condition.texts.join('\0')
    let statement = statements.get(key)
    if (!statement) {
      statement = new ComposedStatement()
      statements.set(key, statement)
    }
    const visible = new VisibleRows(view.meta, 't')
    const values = [...selection.values, ...view.from.values, ...condition.values, visible]
    const template = () => sql`select ${selection} from ${view.from} where ${condition} and ${visible}`
    return statement.bind(template, values, this.rules, this.runValues())
  }

  /** A piece of SQL with what stands in it for the conditions of the caller and the time of the request. */
  private bound(template: Sql, rules: CallerRules = this.rules): Sql | Promise<Sql> {
    return bindLate(template, rules, this.runValues())
  }

  private runValues(): RunValues {
    const sessionOfCaller = ambient().principal.sessionId ?? null
    return { late: { now: this.databases.now, sessionOfCaller } }
  }

  /**
   * The kept rows of a view. None of tables that are not watched, such as logs, whose rows hardly come again; none inside a unit of work, whose
   * own changes may be rolled back, and while the database is not heard.
   */
  private rowCache(view: JsonView, database: Database, references: ReferencesOfView): RowCache | undefined {
    const { epoch } = database.feed
    const isKept = view.isOfRowAlone && view.meta.watched && [...references.values()].every(isKnownVersion)
    if (!isKept || UnitOfWork.current || epoch === undefined) return undefined
    const kept = this.rowCaches.get(view)
    if (kept?.holdsFor(references, epoch)) return kept
    const cache = new RowCache(this.storage, view, references, epoch)
    this.rowCaches.set(view, cache)
    return cache
  }
}

/**
 * True where all rows of a list are found and then sorted, which reads as many rows as the list has. The other way reads an index in the order of the
 * list until it has met the rows of the page: where n rows of the list are spread over m rows of the table, k of them are met after k·m/n. PostgreSQL
 * decides between both by estimates of n, which are wrong a thousandfold for rules over other tables and for searched texts; here n was counted.
 */
function isFoundFirst({ count, tableRows }: ListTotals, request: PageRequest): boolean {
  return Number(count) ** 2 <= metRows(request) * tableRows
}

/** The same as SQL over the row `c` of a count `n` and the rows `m` of the table. */
function foundFirstSql(request: PageRequest): Sql {
  return sql`c.n::double precision * c.n <= ${metRows(request)}::double precision * c.m`
}

function metRows({ skipCount, maxResultCount }: PageRequest): number {
  return skipCount + maxResultCount
}

/** About how many rows the table of a view has, as PostgreSQL counted last. */
function tableRowsSql({ meta }: JsonView): Sql {
  return raw(`(select reltuples from pg_class where oid = ${literal(quote(meta.table))}::regclass)`)
}

function ranked(ranks: readonly Sql[], order: Sql): Sql {
  if (!ranks.length) return order
  const cases = ranks.map((condition, index) => sql`when ${condition} then ${raw(String(index))}`)
  return sql`case ${join(cases, ' ')} else ${raw(String(ranks.length))} end, ${order}`
}

/** The row rules with the exception of {@link RowsRequest.shownToAll}. */
function shownBeside({ meta }: JsonView, shown: Sql | undefined, hiding: readonly Sql[]): readonly Sql[] {
  if (!shown || !hiding.length) return hiding
  return [sql`((${and(hiding)}) or (${and([...notDeleted(meta, raw('t')), shown])}))`]
}

/** False for a joined table whose changes are not heard: rows that show it cannot be kept. */
function isKnownVersion(referred: Referred): boolean {
  return !(referred instanceof JoinedTable) || referred.version !== undefined
}
