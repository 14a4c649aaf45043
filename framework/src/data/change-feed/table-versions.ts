import { performance } from 'node:perf_hooks'
import { serverStart } from '../wire/session-client.js'

/**
 * The version of a set of tables. A cache entry keeps the version that was taken before its rows were read.
 */
export interface TableWatch {
  /** Grows with each committed change of one of the tables; undefined while changes are not known. */
  readonly version: number | undefined
  /**
   * Reads the version rows when the version is not known, once for all callers that wait. Throws
   * `UnavailableError` when the database does not answer.
   */
  refresh(): Promise<void>
}

/** The part of the change feed that a watch uses. */
interface Knowledge {
  /** True while the last poll of the version rows is recent enough to rely on. */
  readonly isCurrent: boolean
  refresh(): Promise<void>
}

/** Counts the changes of a set of tables. */
export class TableVersion implements TableWatch {
  private changes = 0
  private oldAt = 0

  /** @param maxAgeMs the version grows after at most this time without a change */
  constructor(
    readonly tables: readonly string[],
    private readonly feed: Knowledge,
    private readonly maxAgeMs: number,
  ) {
    this.changed()
  }

  get version(): number | undefined {
    return this.feed.isCurrent ? this.changes : undefined
  }

  refresh(): Promise<void> {
    return this.feed.refresh()
  }

  changed(): void {
    this.changes += 1
    // A random time: not all tables and hosts read at the same moment.
    this.oldAt = performance.now() + this.maxAgeMs * (0.5 + Math.random() / 2)
  }

  /** Grows the version after a long time without a change, so that cache entries have an upper age. */
  age(): void {
    if (performance.now() >= this.oldAt) this.changed()
  }
}

const undefinedTable = '42P01'

/** Sends a statement and returns its rows. */
export type RowReader = (text: string) => Promise<{ readonly rows: readonly unknown[] }>

/** The result of one poll of a database. */
export interface SeenVersions {
  /** The start time of the server that answered. */
  readonly start: string
  /** The sums of the version rows by table. */
  readonly versions: ReadonlyMap<string, string>
}

/**
 * Reads the version rows; undefined for an older schema without them, where only notifications announce
 * changes.
 */
export async function readVersions(read: RowReader): Promise<SeenVersions | undefined> {
  try {
    const { rows } = await read(
      `select ${serverStart}, (select json_object_agg("TableName", n::text) from (
        select "TableName", sum("Version") as n from "KeelTableVersions" group by "TableName") t)::text as versions`,
    )
    const [{ start, versions }] = rows as readonly [{ start: string; versions: string | null }]
    return {
      start,
      versions: new Map(Object.entries(JSON.parse(versions ?? '{}') as Record<string, string>)),
    }
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return undefined
    throw error
  }
}
