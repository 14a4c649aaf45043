import type { Database } from '../../data/connections/database.js'
import { KeptTotals, type TotalsKey, totalsKey, type WaysToRead } from '../../data/lists/kept-totals.js'
import type { PlannedStatement, ReadyStatement } from '../../data/query/planned-statement.js'

/**
 * Keeps results that are short and made of many rows: counts, facets, groups. They are kept until one of
 * their tables changes, and only where every change is heard: all tables are watched, and no row rule reads
 * further ones.
 */
export class TotalsCache<T extends object> {
  private readonly totals: KeptTotals<T>

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
    { entities }: PlannedStatement,
    { shape, values, looksElsewhere }: ReadyStatement,
    database: Database,
  ): TotalsKey | undefined {
    return totalsKey(database, entities, looksElsewhere, () =>
      values.length ? `${shape.name} ${JSON.stringify(values)}` : shape.name,
    )
  }
}
