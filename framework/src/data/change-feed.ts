import { randomUUID } from 'node:crypto'
import type { ClientConfig } from 'pg'
import type { Logger } from '../modularity/logging.js'
import { SessionClient } from './session-client.js'
import { type Sql, sql } from './sql.js'

/** The channel on which tables with the change trigger tell that they changed. */
export const changeChannel = 'keel_changes'

/** SQL that tells the listeners of a table in every process, once the transaction at hand is committed. */
export function changeNotice(table: string): Sql {
  return sql`pg_notify(${changeChannel}, ${table})`
}

/** The version of a set of tables, to be kept beside what was read of them; take it before reading. */
export interface TableWatch {
  /** Grows with each committed change of one of the tables; undefined while changes are not known. */
  readonly version: number | undefined
}

/** How a change feed learns of changes. */
export interface ChangeFeedOptions {
  /** Time between two looks at the version rows of the tables. */
  readonly pollMs: number
  /** Sends a statement on another connection than the feed's own: what one tells itself is heard through a pooler too. */
  readonly send: (text: string, values: string[]) => Promise<unknown>
}

/** A database that does not answer within this time is as good as gone: what is cached must not outlive it. */
const answerWithinMs = 3000
/** With every fifth look something is said on another connection, to find out whether the feed hears. */
const looksPerEcho = 5
const undefinedTable = '42P01'

/**
 * Knows which watched tables of a database change, in whichever process: at once through PostgreSQL's LISTEN/NOTIFY, and at the latest with
 * the next look at the tables' version rows, which finds what a notification did not tell (a pooler in transaction mode passes none on).
 * While the connection is lost nothing is known, and what is cached must not be used.
 */
export class ChangeFeed {
  private client: SessionClient | undefined
  private readonly watches = new Map<string, TableVersion>()
  private readonly listeners = new Map<string, (() => void)[]>()
  private readonly noticeListeners = new Map<string, (notice: string) => void>()
  private connected = false
  private connections = 0
  private stopped = false
  private retryMs = 100
  private timer: NodeJS.Timeout | undefined
  /** Sums of the version rows as they were seen last, by table; undefined before the first look of a connection. */
  private seen: ReadonlyMap<string, string> | undefined
  /** What was said to be heard and has not been heard yet. */
  private echo: string | undefined
  private hears = false
  private looks = 0

  constructor(
    private readonly config: ClientConfig,
    private readonly name: string,
    private readonly logger: Logger,
    private readonly options: ChangeFeedOptions,
  ) {}

  /** Which connection this is, counted from the first; undefined while there is none. A new one may lead to a restored database. */
  get epoch(): number | undefined {
    return this.connected ? this.connections : undefined
  }

  /** Whether notifications arrive; when they don't, changes are known only after the next look. */
  get isListening(): boolean {
    return this.connected && this.hears
  }

  /** Starts listening; a failure is retried with growing pauses and does not throw. */
  async start(): Promise<void> {
    const client = new SessionClient({
      ...this.config,
      application_name: 'keel change feed',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      query_timeout: answerWithinMs,
    })
    client.on('error', (error) => this.lost(client, error))
    client.on('end', () => this.lost(client))
    client.on('notification', ({ payload }) => this.notified(payload ?? ''))
    this.client = client
    try {
      await client.connect()
      await client.settle()
      // Behind a pooler it would be left on a connection that others use next.
      if (client.ownsSession) await client.query(`listen ${changeChannel}`)
      this.seen = undefined
      this.looks = 0
      await this.look(client)
      this.connected = true
      this.hears = client.ownsSession
      if (!this.hears) this.warnOfSilence()
      this.connections += 1
      // What happened while we were away is unknown, so everything counts as changed.
      for (const watch of this.watches.values()) watch.heard(true)
      this.retryMs = 100
      this.lookAgain(client)
    } catch (error) {
      this.lost(client, error as Error)
    }
  }

  /** Marks a table as changed; called on notification, and for our own commits before their notification arrives. */
  changed(table: string): void {
    for (const watch of this.watches.values()) if (watch.tables.includes(table)) watch.heard(this.connected)
    for (const listener of this.listeners.get(table) ?? []) listener()
  }

  /**
   * Calls `listener` when a table is said to have changed, also one without the change trigger whose writers say so themselves
   * ({@link changeNotice}). What is said while nobody hears is lost: who listens looks now and then as well.
   */
  onChanged(table: string, listener: () => void): void {
    this.listeners.set(table, [...(this.listeners.get(table) ?? []), listener])
  }

  /** Calls `listener` with what is told on {@link changeChannel} behind a prefix that no table's name has. Told to nobody while nobody hears. */
  onNotice(prefix: string, listener: (notice: string) => void): void {
    this.noticeListeners.set(prefix, listener)
  }

  /** The watch over a set of tables; the same one whenever the same set is asked for. Reading its version costs nothing. */
  watch(tables: readonly string[]): TableWatch {
    const key = tables.join()
    let watch = this.watches.get(key)
    if (!watch) {
      watch = new TableVersion(tables)
      watch.heard(this.connected)
      this.watches.set(key, watch)
    }
    return watch
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    this.fellSilent()
    await this.client?.end().catch(() => undefined)
  }

  private notified(payload: string): void {
    if (payload === this.echo) this.echo = undefined
    else if (!payload.startsWith('echo:')) {
      this.changed(payload)
      for (const [prefix, listener] of this.noticeListeners)
        if (payload.startsWith(prefix)) listener(payload.slice(prefix.length))
    }
  }

  private lookAgain(client: SessionClient): void {
    this.timer = setTimeout(() => {
      this.look(client).then(
        () => !this.stopped && this.client === client && this.lookAgain(client),
        (error) => this.lost(client, error as Error),
      )
    }, this.options.pollMs)
    this.timer.unref()
  }

  /** Compares the version rows with those of the last look. Now and then also tests whether it hears. */
  private async look(client: SessionClient): Promise<void> {
    if (client.ownsSession && this.looks % looksPerEcho === 0) {
      if (this.looks > 0) this.judgeHearing()
      this.sendEcho()
    }
    this.looks += 1
    const now = await readVersions(client)
    const before = this.seen
    this.seen = now
    if (before) for (const [table, version] of now) if (before.get(table) !== version) this.changed(table)
  }

  /** Says something that the feed has to hear. When that fails nothing is known, and what was known stands. */
  private sendEcho(): void {
    const echo = `echo:${randomUUID()}`
    this.echo = echo
    this.options.send('select pg_notify($1, $2)', [changeChannel, echo]).catch(() => {
      if (this.echo === echo) this.echo = undefined
    })
  }

  /** What was said five looks ago has been heard by now, or will not be. */
  private judgeHearing(): void {
    const hears = this.echo === undefined
    if (hears === this.hears) return
    this.hears = hears
    if (hears) this.logger.info({ database: this.name }, 'notifications of the database arrive again')
    else this.warnOfSilence()
  }

  private warnOfSilence(): void {
    const { pollMs } = this.options
    this.logger.warn(
      { database: this.name, pollMs },
      'notifications of the database do not arrive (a pooler?): changes are found by looking',
    )
  }

  private lost(client: SessionClient, error?: Error): void {
    if (this.client !== client || this.stopped) return
    clearTimeout(this.timer)
    this.fellSilent()
    this.client = undefined
    client.end().catch(() => undefined)
    this.logger.warn(
      { database: this.name, err: error, retryMs: this.retryMs },
      'change feed lost, caches are off until it is back',
    )
    this.timer = setTimeout(() => void this.start(), this.retryMs)
    this.timer.unref()
    this.retryMs = Math.min(this.retryMs * 2, 5000)
  }

  private fellSilent(): void {
    this.connected = false
    this.echo = undefined
    for (const watch of this.watches.values()) watch.heard(false)
  }
}

/** The sums of the version rows by table. A database without them, of an older schema, has none: there notifications alone tell. */
async function readVersions(client: SessionClient): Promise<ReadonlyMap<string, string>> {
  try {
    const { rows } = await client.query<{ table: string; version: string }>(
      'select "TableName" as table, sum("Version")::text as version from "KeelTableVersions" group by "TableName"',
    )
    return new Map(rows.map(({ table, version }) => [table, version]))
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return new Map()
    throw error
  }
}

class TableVersion implements TableWatch {
  version: number | undefined
  private changes = 0

  constructor(readonly tables: readonly string[]) {}

  heard(isListening: boolean): void {
    this.changes += 1
    this.version = isListening ? this.changes : undefined
  }
}
