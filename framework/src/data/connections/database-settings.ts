import { z } from 'zod'
import { configurationSection } from '../../modularity/configuration.js'

/** How a host uses each of its databases. */
export const DatabaseSettings = configurationSection('Database', {
  /** Connections to each, all uses together. From 5 on one of them listens for changes; with fewer, changes are found by looking. */
  maxPoolSize: z.int().min(2).default(13),
  /** Statements that wait for a connection to each database; further ones are refused (503) at once rather than kept in memory. */
  maxWaiting: z.int().min(1).default(1000),
  /** Time between two looks at what changed, beside the notifications of PostgreSQL. */
  changePollMs: z.int().min(100).max(500).default(400),
  /** How long what was read is kept when no change of it is told. */
  maxCacheAgeMs: z.int().min(100).default(600_000),
  /** The most rows of a table of which a host holds a copy, to show them by reference; larger ones are joined in SQL. */
  maxHeldRows: z.int().min(1).default(20_000),
  /** Prepare statements once per connection; when not said, only where no pooler is in between, which may not know how. */
  preparedStatements: z.boolean().optional(),
  /** How long one statement may take; it is cancelled then, and its caller told to come back. 0 for as long as it likes. */
  statementTimeoutMs: z.int().min(0).default(30_000),
  /** Of the connections to each, those for lists that callers filter or sort, over REST and OData; one is left for other work. */
  maxQueryPoolSize: z.int().min(1).default(6),
  /** Of their statements, those known to take more than 100 ms that run at a time; of one caller there is one in all databases. */
  maxSlowQueries: z.int().min(1).default(2),
  /** How long one of their statements may take. */
  queryTimeoutMs: z.int().min(1).default(5000),
  /** Of the connections to each, those for answers of any number of rows, which keep one until their caller has taken them all. */
  maxStreamPoolSize: z.int().min(1).default(2),
  /** How long such an answer may take in all. */
  streamTimeoutMs: z.int().min(1).default(600_000),
  /** A caller who takes less of such an answer is cut off, and the connection freed. */
  minStreamBytesPerSecond: z.int().min(1).default(32_768),
})

/** What {@link DatabaseSettings} says. */
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
