import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { Logger } from '../../modularity/logging.js'
import { cutConnection } from '../wire/pg-internals.js'
import { SessionClient } from '../wire/session-client.js'
import { type Sql, sql } from '../wire/sql.js'
import { unavailable } from '../wire/unavailable.js'
import { type RowReader, readVersions, TableVersion, type TableWatch } from './table-versions.js'

export type { TableWatch } from './table-versions.js'

/** The channel on which tables with the change trigger tell that they changed. */
export const changeChannel = 'keel_changes'

/** SQL that tells the listeners of a table in every process, once the transaction at hand is committed. */
export function changeNotice(table: string): Sql {
  return sql`pg_notify(${changeChannel}, ${table})`
}

/**
 * SQL that tells the listeners of a table in every process, also where notifications do not arrive: those find the version of the table changed with
 * their next look. Counts as the change trigger does.
 */
export function countedChangeNotice(table: string): Sql {
  return sql`
    with counted as (
      update "KeelTableVersions" set "Version" = "Version" + 1
      where "Id" = (select "Id" from "KeelTableVersions" where "TableName" = ${table} limit 1 for update skip locked)
      returning 1),
    begun as (
      insert into "KeelTableVersions" ("TableName", "Version") select ${table}, 1 where not exists (select from counted))
    select ${changeNotice(table)}`
}

/** How to have notifications of a database arrive. */
export const cureOfSilence = (database: string): string =>
  `Behind a pooler set ConnectionStrings:${database}Direct to an address of PostgreSQL itself; Database:MaxPoolSize must be 5 or more.`

/** How a change feed learns of changes. */
export interface ChangeFeedOptions {
  /** Time between two looks at the version rows of the tables. */
  readonly pollMs: number
  /** Versions grow after at most this time, so that nothing is kept longer even if no change is ever told. */
  readonly maxAgeMs: number
  /** Whether the feed has a connection of its own that listens. Without one changes are found by looking. */
  readonly listens: boolean
  /** Sends a statement on another connection than the feed's own. It fails when it takes longer than `timeoutMs`. */
  readonly send: (text: string, values: string[], timeoutMs: number) => Promise<{ rows: readonly unknown[] }>
}

/** What is known counts for so long after the last look was sent. The rest of the promised second is for the request that relies on it. */
const trustMs = 800
/** A look that is not answered on the feed's own connection by then is sent on another connection, too. */
const secondTryMs = 200
/** A database that does not answer within this time is as good as gone. */
const answerWithinMs = 3000
/** Between the ends and starts of two looks: however many ask, the database has 200 looks a second to answer at most. */
const betweenLooksMs = 5
/** With every fifth look a notification is sent on another connection, to find out whether the feed hears. */
const looksPerEcho = 5

/** The probe notification. */
interface Echo {
  readonly text: string
  isSent: boolean
  isHeard: boolean
}

/**
 * Knows which watched tables of a database change, in whichever process: at once through PostgreSQL's LISTEN/NOTIFY, and at the latest with
 * the next look at the tables' version rows, which finds what a notification did not tell (a pooler in transaction mode passes none on, and
 * a connection that is dead without being closed delivers none). What is known counts for `trustMs` after a look; then callers ask
 * before they answer, all with one look. A look goes over the feed's own connection, and over another when that one is silent.
 */
export class ChangeFeed {
  private client: SessionClient | undefined
  private readonly watches = new Map<string, TableVersion>()
  private readonly listeners = new Map<string, (() => void)[]>()
  private readonly noticeListeners = new Map<string, (notice: string) => void>()
  private isOpen = false
  private epochs = 0
  /** When the server was started that answered last. */
  private serverStart: string | undefined
  private stopped = false
  private retryMs = 100
  private retryTimer: NodeJS.Timeout | undefined
  private lookTimer: NodeJS.Timeout | undefined
  /** Sums of the version rows as they were seen last, by table; undefined before the first look of an epoch. */
  private seen: ReadonlyMap<string, string> | undefined
  /** Everything that was committed before this time is known. */
  private knownUntil = Number.NEGATIVE_INFINITY
  /** Everything that was committed before this time has been heard on the feed's own connection. */
  private heardUntil = Number.NEGATIVE_INFINITY
  private underWay: Promise<void> | undefined
  private next: Promise<void> | undefined
  private lookedAt = Number.NEGATIVE_INFINITY
  private isAsking = false
  private echo: Echo | undefined
  private hears: boolean | undefined
  private sendsEchoes = true
  private looks = 0
  /** Listeners must not run in the unit of work of the request that happened to ask first. */
  private readonly inOwnContext = AsyncLocalStorage.snapshot()

  constructor(
    private readonly config: ClientConfig,
    private readonly name: string,
    private readonly logger: Logger,
    private readonly options: ChangeFeedOptions,
  ) {}

  /**
   * Grows when the connection is lost, because a new one may lead to a restored database, and when another server answers; undefined while
   * changes are not known.
   */
  get epoch(): number | undefined {
    return this.isCurrent ? this.epochs : undefined
  }

  /** Whether the connection was never lost and no other server answered since an epoch. */
  isOf(epoch: number): boolean {
    return epoch === this.epochs
  }

  /**
   * Hears which server a connection leads to, by when it was started. Everything counts as changed when it is another one than before, as after a
   * failover that the feed's own connection does not notice: a pooler keeps it, or nothing closes it. @param start undefined where it is not known
   */
  answeredBy(start: string | undefined): void {
    if (start === undefined || start === this.serverStart) return
    if (this.serverStart !== undefined) this.forget()
    this.serverStart = start
  }

  /** Whether notifications arrive; when they don't, changes are known only after the next look. */
  get isListening(): boolean {
    return this.isOpen && this.hears === true
  }

  /** Whether every notification that was sent up to `trustMs` ago has been heard. */
  get hasHeard(): boolean {
    return this.isListening && performance.now() - this.heardUntil < trustMs
  }

  /** Whether what is known of changes is recent enough to count. */
  get isCurrent(): boolean {
    return performance.now() - this.knownUntil < trustMs
  }

  /** Starts listening and looking; a failure is retried with growing pauses and does not throw. */
  async start(): Promise<void> {
    if (this.options.listens) await this.connect()
    else await this.catchUp().catch(() => undefined)
    this.lookAgain()
  }

  /** For a database where nothing is ever committed, so that no notification that is sent can arrive. */
  expectNoEchoes(): void {
    this.sendsEchoes = false
  }

  /** Marks a table as changed; called on notification, and for our own commits before their notification arrives. */
  changed(table: string): void {
    for (const watch of this.watches.values()) if (watch.tables.includes(table)) watch.changed()
    for (const listener of this.listeners.get(table) ?? []) listener()
  }

  /**
   * Calls `listener` when a table is said to have changed, also one without the change trigger whose writers say so themselves
   * ({@link changeNotice}). Notifications that are sent while the connection is lost do not arrive: listeners of such tables look now and then as well.
   */
  onChanged(table: string, listener: () => void): void {
    this.listeners.set(table, [...(this.listeners.get(table) ?? []), listener])
  }

  /** Calls `listener` with what is told on {@link changeChannel} behind a prefix that no table's name has. Lost while the connection is lost. */
  onNotice(prefix: string, listener: (notice: string) => void): void {
    this.noticeListeners.set(prefix, listener)
  }

  /** The watch over a set of tables; the same one whenever the same set is asked for. Reading its version costs nothing. */
  watch(tables: readonly string[]): TableWatch {
    const key = tables.join()
    let watch = this.watches.get(key)
    if (!watch) {
      watch = new TableVersion(tables, this, this.options.maxAgeMs)
      this.watches.set(key, watch)
    }
    return watch
  }

  /** Makes known what is too old to count, with one look for all callers. Throws `UnavailableError` when the database does not answer. */
  async refresh(): Promise<void> {
    if (!this.isCurrent) await (this.underWay ?? this.catchUp())
  }

  /**
   * Resolves when everything that was committed before this call is known, with one look for all callers of a moment. Throws
   * `UnavailableError` when the database does not answer.
   */
  catchUp(): Promise<void> {
    this.next ??= this.lookNext()
    return this.next
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.retryTimer)
    clearTimeout(this.lookTimer)
    this.forget()
    await this.client?.end().catch(() => undefined)
  }

  private async connect(): Promise<void> {
    const client = new SessionClient({
      ...this.config,
      application_name: 'keel change feed',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    })
    client.on('error', (error) => this.lost(client, error))
    client.on('end', () => this.lost(client))
    client.on('notification', ({ payload }) => this.notified(payload ?? ''))
    this.client = client
    try {
      await client.connect()
      await client.settle()
      this.answeredBy(client.serverStart)
      // Behind a pooler it would be left on a connection that others use next.
      if (client.ownsSession) await this.listen(client)
      else this.judgeHearing(false)
      // What happened before is unknown, so everything counts as changed.
      this.forget()
      this.isOpen = true
      await this.ask(client)
      this.retryMs = 100
    } catch (error) {
      this.lost(client, error as Error)
    }
  }

  private async listen(client: SessionClient): Promise<void> {
    await client.query(`listen ${changeChannel}`)
    // Whether the connection hears is known with its first look.
    await Promise.race([this.sendEcho(), pause(answerWithinMs, undefined, { ref: false })])
  }

  private notified(payload: string): void {
    if (payload === this.echo?.text) this.echo.isHeard = true
    else if (!payload.startsWith('echo:')) {
      this.changed(payload)
      for (const [prefix, listener] of this.noticeListeners)
        if (payload.startsWith(prefix)) listener(payload.slice(prefix.length))
    }
  }

  private lookAgain(): void {
    if (this.stopped) return
    const again = () => this.lookAgain()
    this.lookTimer = setTimeout(() => void this.catchUp().then(again, again), this.options.pollMs)
    this.lookTimer.unref()
  }

  /** One look after another: what is under way may not see what its caller knows of. */
  private async lookNext(): Promise<void> {
    await this.underWay?.catch(() => undefined)
    const tooSoonMs = this.lookedAt + betweenLooksMs - performance.now()
    if (tooSoonMs > 0) await pause(tooSoonMs, undefined, { ref: false })
    // Callers from here on wait for the look after this one.
    this.next = undefined
    const look = this.inOwnContext(() => this.look())
    const done = () => {
      this.lookedAt = performance.now()
      if (this.underWay === look) this.underWay = undefined
    }
    this.underWay = look
    look.then(done, done)
    return look
  }

  private async look(): Promise<void> {
    const { client } = this
    try {
      // What is asked on a connection that does not answer is asked once.
      if (!client || !this.isOpen || this.isAsking) return await this.askElsewhere()
      const own = this.ask(client).then(
        () => true,
        (error) => {
          this.lost(client, error as Error)
          return false
        },
      )
      const isAnswered = await Promise.race([own, pause(secondTryMs, false, { ref: false })])
      if (!isAnswered) await Promise.any([this.askElsewhere(), own.then(answered)])
    } catch (error) {
      throw unavailable(this.name, error)
    }
  }

  /** Looks on the feed's own connection, where PostgreSQL delivers all notifications of earlier commits before the answer. */
  private async ask(client: SessionClient): Promise<void> {
    const { echo } = this
    const isJudged = echo?.isSent
    this.isAsking = true
    const late = setTimeout(() => cutConnection(client), answerWithinMs)
    try {
      await this.readVersions((text) => client.query(text), true)
    } finally {
      clearTimeout(late)
      this.isAsking = false
    }
    if (echo && isJudged) {
      this.judgeHearing(echo.isHeard)
      this.echo = undefined
    }
    this.looks += 1
    if (client.ownsSession && this.looks % looksPerEcho === 0 && !this.echo) void this.sendEcho()
  }

  /** Looks on another connection. */
  private async askElsewhere(): Promise<void> {
    const late = pause(answerWithinMs, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${answerWithinMs} ms`)
    })
    const read = this.readVersions((text) => this.options.send(text, [], answerWithinMs), false)
    await Promise.race([read, late])
  }

  /** Compares the version rows with those of the last look. */
  private async readVersions(read: RowReader, isOwn: boolean): Promise<void> {
    const { epochs } = this
    const sent = performance.now()
    const found = await readVersions(read)
    // The connection was lost meanwhile: it may have led to another database.
    if (epochs !== this.epochs) return
    this.answeredBy(found?.start)
    if (isOwn) this.heardUntil = sent
    // A later look was answered earlier.
    if (sent < this.knownUntil) return
    // Without version rows only the connection that hears knows of changes.
    if (!found && !(isOwn && this.hears !== false)) return
    const before = this.seen
    this.seen = found?.versions ?? new Map()
    if (before)
      for (const [table, version] of this.seen) if (before.get(table) !== version) this.changed(table)
    this.knownUntil = sent
    for (const watch of this.watches.values()) watch.age()
  }

  /** Sends a notification that the feed has to hear. When that fails, nothing is learned about hearing. */
  private async sendEcho(): Promise<void> {
    if (!this.sendsEchoes) return
    const echo: Echo = { text: `echo:${randomUUID()}`, isSent: false, isHeard: false }
    this.echo = echo
    try {
      await this.options.send('select pg_notify($1, $2)', [changeChannel, echo.text], answerWithinMs)
      echo.isSent = true
    } catch {
      if (this.echo === echo) this.echo = undefined
    }
  }

  private judgeHearing(hears: boolean): void {
    if (hears === this.hears) return
    const before = this.hears
    this.hears = hears
    const { pollMs } = this.options
    if (!hears)
      this.logger.warn(
        { database: this.name, pollMs },
        'notifications of the database do not arrive (a pooler?): changes are found by looking',
      )
    else if (before === false)
      this.logger.info({ database: this.name }, 'notifications of the database arrive again')
  }

  private lost(client: SessionClient, error?: Error): void {
    if (this.client !== client || this.stopped) return
    this.forget()
    this.isOpen = false
    this.isAsking = false
    this.echo = undefined
    this.client = undefined
    cutConnection(client)
    this.logger.warn(
      { database: this.name, err: error, retryMs: this.retryMs },
      'change feed lost: changes are found by looking until it is back',
    )
    this.retryTimer = setTimeout(() => void this.connect(), this.retryMs)
    this.retryTimer.unref()
    this.retryMs = Math.min(this.retryMs * 2, 5000)
  }

  /** Lets everything count as changed, and nothing as known until the next look. */
  private forget(): void {
    this.epochs += 1
    this.seen = undefined
    this.knownUntil = Number.NEGATIVE_INFINITY
    this.heardUntil = Number.NEGATIVE_INFINITY
    for (const watch of this.watches.values()) watch.changed()
  }
}

/** Passes on that a look was answered; throws when it was not. */
function answered(isAnswered: boolean): void {
  if (!isAnswered) throw new Error('The connection of the change feed was lost.')
}
