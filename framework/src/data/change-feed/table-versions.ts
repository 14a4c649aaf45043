import { performance } from 'node:perf_hooks'
import { serverStart } from '../wire/session-client.js'

/** The version of a set of tables, to be kept beside what was read of them; take it before reading. */
export interface TableWatch {
  /** Grows with each committed change of one of the tables; undefined while changes are not known. */
  readonly version: number | undefined
  /**
   * Makes the version known when it is not, with one look at the database for all callers that wait. Does nothing when it is known. Throws
   * `UnavailableError` when the database does not answer.
   */
  refresh(): Promise<void>
}

/** What a watch needs of its feed. */
interface Knowledge {
  /** Whether what is known of changes is recent enough to count. */
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
    // Not at one time for all tables and hosts.
    this.oldAt = performance.now() + this.maxAgeMs * (0.5 + Math.random() / 2)
  }

  /** Counts the tables as changed when they have not changed for long: what is kept of them has an upper age. */
  age(): void {
    if (performance.now() >= this.oldAt) this.changed()
  }
}

const undefinedTable = '42P01'

/** Sends a statement and gives its rows. */
export type RowReader = (text: string) => Promise<{ readonly rows: readonly unknown[] }>

/** What a look at a database found. */
export interface SeenVersions {
  /** When the server was started that answered. */
  readonly start: string
  /** The sums of the version rows by table. */
  readonly versions: ReadonlyMap<string, string>
}

/** Looks at the version rows; undefined for a database without them, of an older schema, where notifications alone tell of changes. */
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
