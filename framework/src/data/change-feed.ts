import pg, { type ClientConfig } from 'pg'
import type { Logger } from '../modularity/logging.js'

/** The channel on which tables with the change trigger tell that they changed. */
export const changeChannel = 'keel_changes'

/** The version of a set of tables, to be kept beside what was read of them; take it before reading. */
export interface TableWatch {
  /** Grows with each committed change of one of the tables; undefined while changes are not heard. */
  readonly version: number | undefined
}

/**
 * Hears which watched tables of a database change, in whichever process, through PostgreSQL's LISTEN/NOTIFY. While the listener is down
 * nothing is known, and what is cached must not be used.
 */
export class ChangeFeed {
  private client: pg.Client | undefined
  private readonly watches = new Map<string, TableVersion>()
  private connected = false
  private connections = 0
  private stopped = false
  private retryMs = 100
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly config: ClientConfig,
    private readonly name: string,
    private readonly logger: Logger,
  ) {}

  /** Which connection this is, counted from the first; undefined while there is none. A new one may lead to a restored database. */
  get epoch(): number | undefined {
    return this.connected ? this.connections : undefined
  }

  /** Whether changes of other processes are heard right now. */
  get isListening(): boolean {
    return this.connected
  }

  /** Starts listening; a failure is retried with growing pauses and does not throw. */
  async start(): Promise<void> {
    const client = new pg.Client({ ...this.config, application_name: 'keel change feed', keepAlive: true })
    client.on('error', (error) => this.lost(client, error))
    client.on('end', () => this.lost(client))
    client.on('notification', ({ payload }) => this.changed(payload ?? ''))
    this.client = client
    try {
      await client.connect()
      await client.query(`listen ${changeChannel}`)
      this.connected = true
      this.connections += 1
      // What happened while we were away is unknown, so everything counts as changed.
      for (const watch of this.watches.values()) watch.heard(true)
      this.retryMs = 100
    } catch (error) {
      this.lost(client, error as Error)
    }
  }

  /** Marks a table as changed; called on notification, and for our own commits before their notification arrives. */
  changed(table: string): void {
    for (const watch of this.watches.values()) if (watch.tables.includes(table)) watch.heard(this.connected)
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

  private lost(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.stopped) return
    this.fellSilent()
    this.client = undefined
    client.end().catch(() => undefined)
    this.logger.warn(
      { database: this.name, err: error, retryMs: this.retryMs },
      'change feed lost, caches are off until it is back',
    )
    this.timer = setTimeout(() => void this.start(), this.retryMs)
    this.timer.unref()
    this.retryMs = Math.min(this.retryMs * 2, 10_000)
  }

  private fellSilent(): void {
    this.connected = false
    for (const watch of this.watches.values()) watch.heard(false)
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
