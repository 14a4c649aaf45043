import { LRUCache } from 'lru-cache'
import type { Database } from '../data/connections.js'
import { bindLate, LateValue, VisibleRows } from '../data/query/late-values.js'
import type { RowRules } from '../data/row-rules.js'
import { type Sql, toStatement } from '../data/sql.js'

/** Count and facets of a query, as PostgreSQL wrote them. */
export interface Totals {
  readonly count: string | null
  readonly facets: string | null
}

/**
 * Keeps counts and facets, which cost many times a page, for as long as no row changes that they could depend on. Only where that is known:
 * every table they look at is watched, and no row rule looks at others.
 */
export class TotalsCache {
  private readonly totals = new LRUCache<string, Totals & { readonly version: number }>({ max: 2000 })

  constructor(private readonly rules: RowRules) {}

  /** What is kept for a statement that would find the totals, and how to keep them; undefined where nothing may be kept. */
  async of(
    statement: Sql,
    database: Database,
  ): Promise<{ readonly known: Totals | undefined; readonly keep: (totals: Totals) => void } | undefined> {
    const tables = new Set<string>()
    for (const value of statement.values) {
      if (value instanceof LateValue) return undefined
      if (!(value instanceof VisibleRows)) continue
      const { entity, alias } = value
      if (!entity.watched || entity.unwatched.length) return undefined
      for (const { texts } of await this.rules.conditionsFor(entity, alias))
        if (texts.some((text) => /\bselect\b/i.test(text))) return undefined
      tables.add(entity.table)
    }
    const { version } = database.feed.watch([...tables])
    if (version === undefined) return undefined
    const { text, values } = toStatement(await bindLate(statement, this.rules))
    const key = JSON.stringify([text, values])
    const kept = this.totals.get(key)
    return {
      known: kept?.version === version ? kept : undefined,
      keep: (totals) => void this.totals.set(key, { ...totals, version }),
    }
  }
}
