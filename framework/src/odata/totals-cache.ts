import { LRUCache } from 'lru-cache'
import type { Database } from '../data/connections.js'
import type { PlannedStatement, ReadyStatement } from '../data/query/planned-statement.js'

/** Count and facets of a query, as PostgreSQL wrote them. */
export interface Totals {
  readonly count: string | undefined
  readonly facets: string | undefined
}

/** What is kept for a statement that would find the totals, and how to keep them. */
export interface KnownTotals {
  readonly known: Totals | undefined
  readonly keep: (totals: Totals) => void
}

/**
 * Keeps counts and facets, which cost many times a page, for as long as no row changes that they could depend on. Only where that is known:
 * every table they look at is watched, and no row rule looks at others.
 */
export class TotalsCache {
  private readonly totals = new LRUCache<string, { readonly totals: Totals; readonly version: number }>({
    max: 2000,
  })
  private readonly tables = new WeakMap<PlannedStatement, readonly string[] | undefined>()

  /** @param ready the statement that would find the totals now; undefined where nothing may be kept */
  of(statement: PlannedStatement, ready: ReadyStatement, database: Database): KnownTotals | undefined {
    const tables = this.tablesOf(statement)
    if (!tables || ready.looksElsewhere) return undefined
    const { version } = database.feed.watch(tables)
    if (version === undefined) return undefined
    const { shape, values } = ready
    const key = values.length ? `${shape.name} ${JSON.stringify(values)}` : shape.name
    const kept = this.totals.get(key)
    return {
      known: kept?.version === version ? kept.totals : undefined,
      keep: (totals) => void this.totals.set(key, { totals, version }),
    }
  }

  /** The tables that decide; undefined where one of them changes unseen. */
  private tablesOf(statement: PlannedStatement): readonly string[] | undefined {
    if (this.tables.has(statement)) return this.tables.get(statement)
    const { entities } = statement
    const isWatched = entities?.every(({ watched, unwatched }) => watched && !unwatched.length)
    const tables = isWatched ? entities?.map(({ table }) => table) : undefined
    this.tables.set(statement, tables)
    return tables
  }
}
