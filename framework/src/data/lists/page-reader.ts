import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type AnyDto, EntityNotFoundError } from '../../contracts/index.js'
import { Injectable } from '../../modularity/injectable.js'
import { jsonResult } from '../../modularity/json-text.js'
import type { Database } from '../connections/database.js'
import { Databases } from '../connections/databases.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import { RowRules } from '../entities/row-rules.js'
import type { FacetValues } from '../query/facet-counts.js'
import { begun } from '../wire/row-stream.js'
import { and, barred, quote, raw, type Sql, sql, toStatement } from '../wire/sql.js'
import type { Statement, TextRow } from '../wire/statement.js'
import { type FacetedList, type RequestedFilters, writeAppliedFilters, writeFacets } from './facets.js'
import type { JsonView, ReferencesOfView } from './json-view.js'
import { KeptTotals, type TotalsKey } from './kept-totals.js'
import { ReferenceSets } from './reference-sets.js'
import { joinJson, RowCache, RowStorage } from './row-cache.js'

/** Which rows, in which order, and which part of them. */
export interface PageRequest {
  /** Comparisons of columns of the table `t` with values, which cannot fail: they stand beside the row rules, so that indexes serve. */
  readonly conditions?: readonly Sql[]
  /** All other conditions on the table `t`, such as searches for a text: not evaluated on rows that the row rules hide. */
  readonly searches?: readonly Sql[]
  /** As the caller wrote it: `<field> ASC`, several with commas. */
  readonly sorting?: string | null | undefined
  /** Used when the caller does not sort. */
  readonly defaultSorting: string
  readonly skipCount: number
  readonly maxResultCount: number
}

/** A page request of a list that can be filtered by facets. */
export interface FacetedPageRequest extends PageRequest {
  readonly includeFacets: boolean
  readonly filters?: Readonly<Record<string, readonly string[]>> | null | undefined
}

interface Totals {
  readonly count: number
  readonly facets: FacetValues | undefined
}

/** How much counts and facets of all lists may keep together, in bytes. */
const mostTotalsBytes = 32 * 1024 * 1024
/** A value of a facet is kept as its count and in the JSON of the answer. */
const totalsBytes = ({ facets }: Totals): number => (facets?.length ?? 0) * 160

/** What a read of a page found: its rows as JSON, and the totals over all pages. */
interface PageRead {
  readonly totals: Totals
  readonly rows: readonly Buffer[]
}

/**
 * Reads rows as JSON. Counts and facets, which cost many times the page itself, are kept per filter for as long as the table does not
 * change; rows that were written as JSON before are recognized by their version and not read again.
 */
@Injectable()
export class PageReader {
  private readonly totals = new KeptTotals<Totals>(mostTotalsBytes, totalsBytes)
  private readonly rows = new RowStorage()
  private readonly rowCaches = new WeakMap<JsonView, RowCache>()

  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
    private readonly references: ReferenceSets,
  ) {}

  /** One row with its collections. {@link EntityNotFoundError} when there is none that the caller may see. */
  async one<D extends AnyDto>(dto: D, view: JsonView, id: string): Promise<InstanceType<D>> {
    const { meta } = view
    const visible = and([sql`t."Id" = ${id}`, ...(await this.rules.conditionsFor(meta, 't'))])
    const statement = prepared(
      sql`select ${await view.selection(this.rules)} from ${raw(quote(meta.table))} t where ${visible}`,
    )
    const [[row], references] = await Promise.all([
      this.databases.of(view.entity).queryText(statement),
      view.references(this.references),
    ])
    if (!row) throw new EntityNotFoundError(meta.name, id)
    return jsonResult(dto, view.writeWhole(row, references))
  }

  /** A page: `{ totalCount, items }`. */
  async page<D extends AnyDto>(page: D, view: JsonView, request: PageRequest): Promise<InstanceType<D>> {
    const { totals, rows } = await this.read(view, request, undefined, [])
    return jsonResult(page, joinJson(`{"totalCount":${totals.count},"items":[`, rows, ']}'))
  }

  /** A page with filters: `{ totalCount, items, appliedFilters, facets }`. */
  async facetedPage<D extends AnyDto>(
    page: D,
    list: FacetedList,
    request: FacetedPageRequest,
  ): Promise<InstanceType<D>> {
    const filters = await list.understand(request.filters ?? {}, this.references)
    const { totals, rows } = await this.read(
      list.view,
      request,
      request.includeFacets ? list : undefined,
      filters,
    )
    const facets = totals.facets ? await writeFacets(list, totals.facets, this.references) : 'null'
    const tail = `],"appliedFilters":${writeAppliedFilters(filters)},"facets":${facets}}`
    return jsonResult(page, joinJson(`{"totalCount":${totals.count},"items":[`, rows, tail))
  }

  /**
   * All rows of a list with filters that the caller may see, as the JSON that a page has of them: piece by piece, read while they are taken.
   * What is wrong with the request is found at once.
   */
  async allRows(
    list: FacetedList,
    request: Pick<FacetedPageRequest, 'conditions' | 'searches' | 'sorting' | 'defaultSorting' | 'filters'>,
  ): Promise<AsyncGenerator<readonly string[], void, undefined>> {
    const { view } = list
    const filters = await list.understand(request.filters ?? {}, this.references)
    const base = await this.base(view, request)
    const where = and([...base, ...filters.map(({ condition }) => condition)])
    const order = view.sorting.orderBy(request.sorting?.trim() || request.defaultSorting)
    const references = await view.references(this.references)
    const statement = sql`select ${raw(view.columns)} from ${raw(quote(view.meta.table))} t where ${where} order by ${order}`
    // Had before anything is told: what fails now is answered as any other fault.
    const pieces = await begun(this.databases.of(view.entity).stream(statement))
    return (async function* () {
      for await (const rows of pieces) yield rows.map((row) => view.write(row, references, 0))
    })()
  }

  private async read(
    view: JsonView,
    request: PageRequest,
    facets: FacetedList | undefined,
    filters: RequestedFilters,
  ): Promise<PageRead> {
    const { meta } = view
    const database = this.databases.of(view.entity)
    const base = await this.base(view, request)
    const where = and([...base, ...filters.map(({ condition }) => condition)])
    const table = sql`${raw(quote(meta.table))} t`
    const order = view.sorting.orderBy(request.sorting?.trim() || request.defaultSorting)
    const references = await view.references(this.references)
    const cache = this.rowCache(view, database, references)
    const key = raw(cache ? RowCache.key : `${RowCache.key}, ${view.columns}`)
    const page = sql`select ${key} from ${table} where ${where} order by ${order} limit ${request.maxResultCount} offset ${request.skipCount}`

    const totalsKey = this.totalsKey(database, meta.table, where, facets !== undefined, meta.watched)
    return this.totals.read(totalsKey, {
      known: async (totals) => ({ totals, rows: await written(await database.queryListText(planned(page))) }),
      unknown: async () => {
        const facetColumn = facets ? facets.countsSql(table, base, filters) : raw('null')
        const counted = sql`select (select count(*) from ${table} where ${where}) as n, ${facetColumn} as f`
        // With no row on the page the totals still come, beside nulls.
        const found = await database.queryListText(
          planned(sql`select t.*, c.n, c.f from (${counted}) c left join (${page}) t on true`),
        )
        const [first = []] = found
        const [count, counts] = first.slice(-2)
        const totals: Totals = {
          count: Number(count),
          facets: facets && (JSON.parse(counts ?? '[]') as FacetValues),
        }
        return { totals, rows: await written(found.filter(([id]) => id !== null)) }
      },
    })

    async function written(rows: readonly TextRow[]): Promise<Buffer[]> {
      if (!cache) return rows.map((row) => Buffer.from(view.write(row, references, 2)))
      // Held from here on: what makes room meanwhile is not lost.
      const isValid = cache.isValid(database.feed)
      const known = rows.map((row) => (isValid ? cache.find(row, 0) : undefined))
      const missing = rows.filter((_, index) => !known[index]).map(([id]) => id)
      if (missing.length === 0) return known as Buffer[]
      const columns = raw(`${RowCache.key}, ${view.columns}`)
      const fresh = await database.queryListText(
        planned(sql`select ${columns} from ${table} where t."Id" = any(${missing}::uuid[]) and ${where}`),
      )
      const added = new Map(fresh.map((row) => [row[0], cache.add(row)]))
      // A row that is gone by now is on neither side.
      return rows.flatMap((row, index) => known[index] ?? added.get(row[0] ?? null) ?? [])
    }
  }

  /** Which rows a request is about, whatever its filters: those that the caller may see, and of these those that it asks for. */
  private async base(
    { meta }: JsonView,
    { conditions = [], searches = [] }: Pick<PageRequest, 'conditions' | 'searches'>,
  ): Promise<Sql[]> {
    const rules = await this.rules.conditionsFor(meta, 't')
    return [barred(rules, searches), ...conditions]
  }

  /** The kept rows of a view; none inside a unit of work, whose own changes may be rolled back, and while the database is not heard. */
  private rowCache(view: JsonView, database: Database, references: ReferencesOfView): RowCache | undefined {
    const { epoch } = database.feed
    if (UnitOfWork.current || epoch === undefined) return undefined
    const kept = this.rowCaches.get(view)
    if (kept?.holdsFor(references, epoch)) return kept
    const cache = new RowCache(this.rows, view, references, epoch)
    this.rowCaches.set(view, cache)
    return cache
  }

  /** What the totals of a condition are kept as; undefined inside a unit of work. */
  private totalsKey(
    database: Database,
    table: string,
    where: Sql,
    withFacets: boolean,
    watched: boolean,
  ): TotalsKey | undefined {
    if (!watched || UnitOfWork.current) return undefined
    const { text, values } = toStatement(where)
    return { query: JSON.stringify([table, withFacets, text, values]), watch: database.feed.watch([table]) }
  }
}

const names = new LRUCache<string, string>({ max: 1000 })

/**
 * The statement as it is planned best: once per connection, except when it has lists of values. Of these PostgreSQL must see the values:
 * whether half of all rows match or ten decides between two plans a thousand times apart.
 */
export function planned(statement: Sql): Statement {
  const { text, values } = toStatement(statement)
  return values.some(Array.isArray) ? { text, values } : prepared(statement)
}

/** The statement with a name made of its text, so that each connection plans it once. */
export function prepared(statement: Sql): Statement {
  const { text, values } = toStatement(statement)
  let name = names.get(text)
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
    names.set(text, name)
  }
  return { text, values, name }
}
