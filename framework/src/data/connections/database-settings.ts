import { z } from 'zod'
import { configurationSection } from '../../modularity/configuration.js'

/** How a host uses each of its databases. */
export const DatabaseSettings = configurationSection('Database', {
  /**
   * Connections to each, all uses together. From 5 on one of them listens for changes; with fewer, changes
   * are found by polling.
   */
  maxPoolSize: z.int().min(2).default(13),
  /**
   * Statements that wait for a connection to each database; with more, the last one of the caller who has the
   * most is refused (503) at once rather than kept in memory.
   */
  maxWaiting: z.int().min(1).default(1000),
  /** Time between two polls of the table versions, beside the notifications of PostgreSQL. */
  changePollMs: z.int().min(100).max(500).default(400),
  /** The longest life of a cache entry whose tables did not change. */
  maxCacheAgeMs: z.int().min(100).default(600_000),
  /**
   * The most rows of a table of which a host holds a copy, to show them by reference; larger ones are joined
   * in SQL.
   */
  maxHeldRows: z.int().min(1).default(20_000),
  /** Prepare statements once per connection; by default only without a pooler, which may not support them. */
  preparedStatements: z.boolean().optional(),
  /**
   * The longest time of one statement; then it is cancelled and answered with 503 and `Retry-After`. 0 for no
   * limit.
   */
  statementTimeoutMs: z.int().min(0).default(30_000),
  /**
   * Of the connections to each, those for lists that callers filter or sort, over REST and OData; one is left
   * for other work.
   */
  maxQueryPoolSize: z.int().min(1).default(6),
  /**
   * Of their statements, those known to take more than 100 ms that run at a time; of one caller there is one
   * in all databases.
   */
  maxSlowQueries: z.int().min(1).default(2),
  /** The longest time of one of their statements. */
  queryTimeoutMs: z.int().min(1).default(5000),
  /**
   * Of the connections to each, those for answers of any number of rows, which keep one until their caller
   * has taken them all.
   */
  maxStreamPoolSize: z.int().min(1).default(2),
  /** The longest time of such an answer in all. */
  streamTimeoutMs: z.int().min(1).default(600_000),
  /**
   * The least speed of a reader of such an answer; a slower reader is disconnected, which frees the
   * connection.
   */
  minStreamBytesPerSecond: z.int().min(1).default(32_768),
})

/** The values of {@link DatabaseSettings}. */
export interface DatabaseOptions {
  readonly maxPoolSize: number
  readonly maxWaiting: number
  readonly changePollMs: number
  readonly maxCacheAgeMs: number
  readonly maxHeldRows: number
  readonly preparedStatements?: boolean | undefined
  readonly statementTimeoutMs: number
  readonly maxQueryPoolSize: number
  readonly maxSlowQueries: number
  readonly queryTimeoutMs: number
  readonly maxStreamPoolSize: number
  readonly streamTimeoutMs: number
  readonly minStreamBytesPerSecond: number
}
