import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type AnyDto, EntityNotFoundError } from '../../contracts/index.js'
import { jsonResult } from '../../modularity/json-text.js'
import { Injectable } from '../../modularity/module.js'
import { type Database, Databases, type Statement } from '../connections.js'
import { RowRules } from '../row-rules.js'
import { and, quote, raw, type Sql, sql, toStatement } from '../sql.js'
import { UnitOfWork } from '../unit-of-work.js'
import {
  type FacetedList,
  type FacetValues,
  type RequestedFilters,
  writeAppliedFilters,
  writeFacets,
} from './facets.js'
import type { JsonView } from './json-view.js'
import { ReferenceSets } from './reference-sets.js'

/** Which rows, in which order, and which part of them. */
export interface PageRequest {
  /** Conditions on the table `t`; row rules are added to them. */
  readonly conditions?: readonly Sql[]
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

/**
 * Reads rows as JSON, with one statement for each read. Counts and facets, which cost many times the page itself, are kept per filter for
 * as long as the table does not change.
 */
@Injectable()
export class PageReader {
  private readonly totals = new LRUCache<string, Totals & { version: number }>({ max: 5000 })

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
    const { totals, items } = await this.read(view, request, undefined, [])
    return jsonResult(page, `{"totalCount":${totals.count},"items":[${items}]}`)
  }

  /** A page with filters: `{ totalCount, items, appliedFilters, facets }`. */
  async facetedPage<D extends AnyDto>(
    page: D,
    list: FacetedList,
    request: FacetedPageRequest,
  ): Promise<InstanceType<D>> {
    const filters = await list.understand(request.filters ?? {}, this.references)
    const { totals, items } = await this.read(
      list.view,
      request,
      request.includeFacets ? list : undefined,
      filters,
    )
    const facets = totals.facets ? await writeFacets(list, totals.facets, this.references) : 'null'
    return jsonResult(
      page,
      `{"totalCount":${totals.count},"items":[${items}],"appliedFilters":${writeAppliedFilters(filters)},"facets":${facets}}`,
    )
  }

  private async read(
    view: JsonView,
    request: PageRequest,
    facets: FacetedList | undefined,
    filters: RequestedFilters,
  ): Promise<{ totals: Totals; items: string }> {
    const { meta } = view
    const database = this.databases.of(view.entity)
    const base = [...(await this.rules.conditionsFor(meta, 't')), ...(request.conditions ?? [])]
    const where = and([...base, ...filters.map(({ condition }) => condition)])
    const table = sql`${raw(quote(meta.table))} t`
    const known = this.knownTotals(database, meta.table, where, facets !== undefined, meta.watched)
    const order = view.sorting.orderBy(request.sorting?.trim() || request.defaultSorting)
    const page = sql`select ${raw(view.columns)} from ${table} where ${where} order by ${order} limit ${request.maxResultCount} offset ${request.skipCount}`
    const references = await view.references(this.references)

    if (known.totals) {
      const rows = await database.queryText(prepared(page))
      return { totals: known.totals, items: view.writeAll(rows, references) }
    }
    const facetColumn = facets ? facets.countsSql(table, base, filters) : raw('null')
    const counted = sql`select (select count(*) from ${table} where ${where}) as n, ${facetColumn} as f`
    // With no row on the page the totals still come, beside nulls.
    const rows = await database.queryText(
      prepared(sql`select c.n, c.f, t.* from (${counted}) c left join (${page}) t on true`),
    )
    const totals: Totals = {
      count: Number(rows[0]?.[0]),
      facets: facets && (JSON.parse(rows[0]?.[1] ?? '[]') as FacetValues),
    }
    known.keep(totals)
    const items = rows.filter((row) => row.slice(2).some((value) => value !== null))
    return { totals, items: view.writeAll(items, references, 2) }
  }

  /** The totals kept for a condition, and how to keep new ones; nothing is kept inside a unit of work or while changes are not heard. */
  private knownTotals(database: Database, table: string, where: Sql, withFacets: boolean, watched: boolean) {
    const version = watched && !UnitOfWork.current ? database.feed.watch([table]).version : undefined
    if (version === undefined) return { totals: undefined, keep: () => undefined }
    const { text, values } = toStatement(where)
    const key = JSON.stringify([table, withFacets, text, values])
    const kept = this.totals.get(key)
    const totals = kept?.version === version ? kept : undefined
    return { totals, keep: (made: Totals) => void this.totals.set(key, { ...made, version }) }
  }
}

const names = new LRUCache<string, string>({ max: 1000 })

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
