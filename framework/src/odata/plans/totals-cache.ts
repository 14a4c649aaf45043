import type { Database } from '../../data/connections/database.js'
import { KeptTotals, type TotalsKey, type WaysToRead } from '../../data/lists/kept-totals.js'
import type { PlannedStatement, ReadyStatement } from '../../data/query/planned-statement.js'

/** Count and facets of a query, as PostgreSQL wrote them. */
export interface Totals {
  readonly count: string | undefined
  readonly facets: string | undefined
}

/**
 * Keeps results that are short and made of many rows: counts, facets, groups. They are kept until one of
 * their tables changes, and only where every change is heard: all tables are watched, and no row rule reads
 * further ones.
 */
export class TotalsCache<T extends object> {
  private readonly totals: KeptTotals<T>
  private readonly tables = new WeakMap<PlannedStatement, readonly string[] | undefined>()

  /** @param mostBytes what all may take together, each as much as `bytesOf` says, roughly */
  constructor(mostBytes: number, bytesOf: (totals: T) => number) {
    this.totals = new KeptTotals(mostBytes, bytesOf)
  }

  /** @param ready the statement that would find the totals now */
  read<R extends { readonly totals: T }>(
    statement: PlannedStatement,
    ready: ReadyStatement,
    database: Database,
    ways: WaysToRead<T, R>,
  ): Promise<R> {
    return this.totals.read(this.keyOf(statement, ready, database), ways)
  }

  /** Undefined where nothing may be kept. */
  private keyOf(
    statement: PlannedStatement,
    ready: ReadyStatement,
    database: Database,
  ): TotalsKey | undefined {
    const tables = this.tablesOf(statement)
    if (!tables || ready.looksElsewhere) return undefined
    const { shape, values } = ready
    const query = values.length ? `${shape.name} ${JSON.stringify(values)}` : shape.name
    return { query, watch: database.feed.watch(tables) }
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
