import { randomUUID } from 'node:crypto'
import { changeChannel, type TableWatch } from '../data/change-feed/change-feed.js'
import type { Database } from '../data/connections/database.js'
import { sql } from '../data/wire/sql.js'

/** How a cache knows what of it still counts. */
export interface CacheChannel {
  /** Entries of another version do not count; undefined while changes are not heard. */
  readonly version: number | undefined
  /** Grows with everything that is heard: what was made meanwhile may be old. */
  readonly changes: number | undefined
  /** Makes the version known again, where a look at the database can. */
  refresh?(): Promise<void>
  /** Tells the other processes that entries changed; undefined where they know by themselves. */
  tell?(places: readonly string[]): Promise<void>
}

/** For what never changes. */
export const nothingChanges: CacheChannel = { version: 0, changes: 0 }

/** The entries are made of tables. */
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

/** PostgreSQL passes 8,000 bytes on. */
const longestNotice = 7000

/**
 * The processes tell each other which entries they set or removed, on the channel of changed tables. Where no
 * notifications arrive (a pooler in transaction mode passes none on) nothing is kept in the process.
 */
export class CacheNotices implements CacheChannel {
  changes = 0
  /** This process, among those that tell each other. */
  private readonly self = randomUUID()
  private readonly prefix: string
  private readonly watch: TableWatch

  constructor(
    private readonly database: Database,
    name: string,
    private readonly hidesKeys: boolean,
    /** Hears which entries others changed. */
    changed: (places: readonly string[]) => void,
  ) {
    this.prefix = `cache:${name}`
    // No table: it changes with the connection, and when everything is to be dropped.
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

  /** Where notifications do not arrive, no look tells which entries changed. */
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
