import { LRUCache } from 'lru-cache'
import type { TableWatch } from '../change-feed/change-feed.js'
import type { Database } from '../connections/database.js'
import { UnitOfWork } from '../connections/unit-of-work.js'
import type { EntityMeta } from '../entities/entity.js'

/** The approximate overhead of an entry, in bytes. */
const entryBytes = 300

/** Count and facets of a query, as PostgreSQL wrote them. */
export interface Totals {
  readonly count: string | undefined
  /** JSON of `FacetValues`. */
  readonly facets: string | undefined
}

/** The bytes that totals take, roughly. */
export function totalsSize({ facets }: Totals): number {
  return (facets?.length ?? 0) * 2
}

/** The query that totals belong to, and the watch on the tables that they are computed from. */
export interface TotalsKey {
  readonly query: string
  readonly watch: TableWatch
}

/**
 * The key that totals of a query are kept by; undefined where nothing may be kept: inside a unit of work, where a table is not watched in all its
 * columns, and where a condition looks at other rows than those it is about.
 * @param entities of the rows that the query reads; undefined when values of the moment decide which
 */
export function totalsKey(
  database: Database,
  entities: readonly EntityMeta[] | undefined,
  looksElsewhere: boolean,
  query: () => string,
): TotalsKey | undefined {
  const isWatched = entities?.every(({ watched, unwatched }) => watched && !unwatched.length)
  if (!entities || !isWatched || looksElsewhere || UnitOfWork.current) return undefined
  return { query: query(), watch: database.feed.watch(entities.map(({ table }) => table)) }
}

/** How to read something when its totals are known, and when they are to be found with it. */
export interface WaysToRead<T, R extends { readonly totals: T }> {
  readonly known: (totals: T) => Promise<R>
  readonly unknown: () => Promise<R>
}

interface Kept<T> {
  readonly watch: TableWatch
  readonly version: number
  readonly totals: T
}

/** The queries whose totals are kept, of one version of their tables. */
interface Current {
  readonly version: number
  readonly queries: Set<string>
}

/**
 * Counts, facets and groups by query. They cost many times a page: so they are kept for as long as their tables do not change, and those who ask for
 * the same at the same time wait for the first of them.
 */
export class KeptTotals<T extends object> {
  private readonly kept: LRUCache<string, Kept<T>>
  private readonly current = new Map<TableWatch, Current>()
  private readonly underWay = new Map<string, { readonly version: number; readonly end: Promise<unknown> }>()

  /**
   * @param mostBytes what all may take together, each as much as `bytesOf` says, roughly, and no more than the 32nd part; those that were not
   * used for longest make room
   */
  constructor(mostBytes: number, bytesOf: (totals: T) => number) {
    const sizeCalculation = ({ totals }: Kept<T>, query: string): number =>
      bytesOf(totals) + query.length + entryBytes
    const dispose = ({ watch }: Kept<T>, query: string): void =>
      void this.current.get(watch)?.queries.delete(query)
    this.kept = new LRUCache({ maxSize: mostBytes, maxEntrySize: mostBytes / 32, sizeCalculation, dispose })
  }

  /** Reads in the way that is open. @param key undefined where nothing may be kept, as nothing is while changes are not heard */
  async read<R extends { readonly totals: T }>(
    key: TotalsKey | undefined,
    { known, unknown }: WaysToRead<T, R>,
  ): Promise<R> {
    // Poll first when the version is unknown: else each of many concurrent callers would count by itself.
    if (key && key.watch.version === undefined) await key.watch.refresh()
    const version = key?.watch.version
    if (!key || version === undefined) return unknown()
    const { query, watch } = key
    for (;;) {
      const kept = this.kept.get(query)
      if (kept?.version === version) return known(kept.totals)
      const other = this.underWay.get(query)
      if (other?.version !== version) break
      // When that fails, the first of those who waited tries.
      await other.end
    }
    const found = unknown()
    const mine = { version, end: found.catch(() => undefined) }
    this.underWay.set(query, mine)
    try {
      const result = await found
      this.keep(query, { watch, version, totals: result.totals })
      return result
    } finally {
      if (this.underWay.get(query) === mine) this.underWay.delete(query)
    }
  }
  private keep(query: string, kept: Kept<T>): void {
    const { watch, version } = kept
    const known = this.current.get(watch)
    if (known && known.version > version) return
    let current = known
    if (known?.version !== version) {
      // Totals of an earlier version are never read again, and filters such as "after now" are new each time:
      // delete them, or they would fill the cache.
      for (const outdated of known?.queries ?? []) this.kept.delete(outdated)
      current = { version, queries: new Set() }
      this.current.set(watch, current)
    }
    this.kept.set(query, kept)
    if (this.kept.has(query)) current?.queries.add(query)
  }
}
