import { randomUUID } from 'node:crypto'
import { changeChannel, type TableWatch } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { sql } from '../data/wire/sql.js'

/** The invalidation of a cache: it tells which entries are still valid. */
export interface CacheChannel {
  /** Entries of another version are invalid; undefined while the listener is disconnected. */
  readonly version: number | undefined
  /** Grows with every notification: a value read before a notification may be stale after it. */
  readonly changes: number | undefined
  /**
   * Reads the version from the database while the listener is disconnected; absent where that is impossible.
   */
  refresh?(): Promise<void>
  /** Notifies other processes of changed entries; absent where they find out by themselves. */
  tell?(places: readonly string[]): Promise<void>
}

/** The channel of caches whose values never change. */
export const nothingChanges: CacheChannel = { version: 0, changes: 0 }

/** The channel of caches whose values are read from tables. */
export function madeOfTables(watch: TableWatch): CacheChannel {
  return {
    get version() {
      return watch.version
    },
    get changes() {
      return watch.version
    },
    refresh: () => watch.refresh(),
  }
}

/** The most bytes of a list of keys: PostgreSQL's notifications have up to 8,000 bytes. */
const longestNotice = 7000

/**
 * Notifies the other processes of entries that this one set or removed, on the channel of the change feed.
 * Without notifications (behind a pooler in transaction mode) the process caches nothing.
 */
export class CacheNotices implements CacheChannel {
  changes = 0
  /** The id of this process in notices, which skips its own. */
  private readonly self = randomUUID()
  private readonly prefix: string
  private readonly watch: TableWatch

  constructor(
    private readonly database: Database,
    name: string,
    private readonly hidesKeys: boolean,
    /** Called with the entries that another process changed. */
    changed: (places: readonly string[]) => void,
  ) {
    this.prefix = `cache:${name}`
    // Not the name of a table: the watch changes with a new connection, and when all entries are invalidated.
    this.watch = database.feed.watch([this.prefix])
    database.feed.onNotice(`${this.prefix} `, (notice) => {
      if (notice.startsWith(this.self)) return
      this.changes += 1
      const places = notice.slice(this.self.length)
      if (places) changed(JSON.parse(places) as string[])
      else database.feed.changed(this.prefix)
    })
  }

  get version(): number | undefined {
    return this.database.feed.hasHeard ? this.watch.version : undefined
  }

  /** Does nothing without a listener: no query can tell which entries changed. */
  async refresh(): Promise<void> {
    if (this.database.feed.isListening) await this.database.feed.catchUp()
  }

  async tell(places: readonly string[]): Promise<void> {
    this.changes += 1
    const list = JSON.stringify(places)
    const named = this.hidesKeys || Buffer.byteLength(list) > longestNotice ? '' : list
    await this.database.execute(
      sql`select pg_notify(${changeChannel}, ${`${this.prefix} ${this.self}${named}`})`,
    )
  }
}
