import pg, { type ClientConfig } from 'pg'
import type { Logger } from '../modularity/logging.js'

/** The channel on which tables with the change trigger tell that they changed. */
export const changeChannel = 'keel_changes'

/**
 * Knows the version of every watched table of a database: a number that grows with each committed change, told by PostgreSQL's
 * LISTEN/NOTIFY. While the listener is down nothing is known, and what is cached must not be used.
 */
export class ChangeFeed {
  private client: pg.Client | undefined
  private readonly versions = new Map<string, number>()
  /** Grows with every connection: what happened while we were away is unknown, so everything counts as changed. */
  private epoch = 0
  private connected = false
  private stopped = false
  private retryMs = 100
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly config: ClientConfig,
    private readonly name: string,
    private readonly logger: Logger,
  ) {}

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
      this.epoch += 1
      this.connected = true
      this.retryMs = 100
    } catch (error) {
      this.lost(client, error as Error)
    }
  }

  /** Marks a table as changed; called on notification, and for our own commits before their notification arrives. */
  changed(table: string): void {
    this.versions.set(table, (this.versions.get(table) ?? 0) + 1)
  }

  /** The version of a set of tables, to be kept beside what was read of them before it was read; undefined while nothing is known. */
  version(tables: readonly string[]): string | undefined {
    if (!this.connected) return undefined
    let text = String(this.epoch)
    for (const table of tables) text += `,${this.versions.get(table) ?? 0}`
    return text
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    this.connected = false
    await this.client?.end().catch(() => undefined)
  }

  private lost(client: pg.Client, error?: Error): void {
    if (this.client !== client || this.stopped) return
    this.connected = false
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
}
