import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import type { Logger } from '../../modularity/logging.js'
import { cutConnection } from '../wire/pg-internals.js'
import { SessionClient } from '../wire/session-client.js'
import { type Sql, sql } from '../wire/sql.js'
import { unavailable } from '../wire/unavailable.js'
import { type RowReader, readVersions, TableVersion, type TableWatch } from './table-versions.js'

export type { TableWatch } from './table-versions.js'

/** The channel on which the change trigger of a table announces changes. */
export const changeChannel = 'keel_changes'

/** SQL that notifies the listeners of a table in every process once the current transaction is committed. */
export function changeNotice(table: string): Sql {
  return sql`pg_notify(${changeChannel}, ${table})`
}

/**
 * The setting of PostgreSQL by which a session says that its host announces itself what it writes
 * ({@link ChangeFeed.wrote}): the change triggers leave it to the host then.
 */
export const announcingSetting = 'keel.announces_changes'

/** A condition: the host of the session does not announce what it writes. */
export const announcesNothing = `current_setting('${announcingSetting}', true) is distinct from 'on'`

/**
 * SQL that notifies the listeners of a table in every process and increments its version row, as the change
 * trigger does. A process that receives no notifications finds the new version with its next poll.
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

/** The remedy when notifications of a database do not arrive. */
export const cureOfSilence = (database: string): string =>
  `Behind a pooler set ConnectionStrings:${database}Direct to an address of PostgreSQL itself; Database:MaxPoolSize must be 5 or more.`

/** Connections and times of a change feed. */
export interface ChangeFeedOptions {
  /** Time between two polls of the version rows of the tables. */
  readonly pollMs: number
  /**
   * Versions grow after at most this time, so that no cache entry lives longer even if no change is
   * announced.
   */
  readonly maxAgeMs: number
  /** True when the feed has a connection of its own that listens. Otherwise changes are found by polling. */
  readonly listens: boolean
  /**
   * Sends a statement on another connection than the feed's own. It fails when it takes longer than
   * `timeoutMs`.
   */
  readonly send: (text: string, values: string[], timeoutMs: number) => Promise<{ rows: readonly unknown[] }>
}

/**
 * The versions are valid for this time after a poll was sent. A request may use the rest of the promised
 * second.
 */
const trustMs = 800
/**
 * A poll that is not answered on the feed's own connection within this time is also sent on another
 * connection.
 */
const secondTryMs = 200
/** A database that does not answer within this time counts as unavailable. */
const answerWithinMs = 3000
/** The least time between two polls: at most 200 a second, however many callers wait. */
const betweenLooksMs = 5
/**
 * With every fifth poll a probe notification is sent on another connection, to test that notifications
 * arrive.
 */
const looksPerEcho = 5

/**
 * The least time between two announcements of our own commits. The first of them goes out at once, those that
 * follow meanwhile together.
 */
const betweenAnnouncementsMs = 3

/** The probe notification. */
interface Echo {
  readonly text: string
  isSent: boolean
  isHeard: boolean
}

/**
 * Announces changes of the watched tables of a database by any process: at once through PostgreSQL's
 * LISTEN/NOTIFY, at the latest with the next poll of the tables' version rows. The poll finds changes whose
 * notification did not arrive: a pooler in transaction mode passes none on, and a dead connection delivers
 * none. The versions are valid for `trustMs` after a poll; later callers wait for the next poll, which they
 * share. A poll goes over the feed's own connection, and over another connection when that one does not
 * answer.
 */
export class ChangeFeed {
  private client: SessionClient | undefined
  private readonly watches = new Map<string, TableVersion>()
  private readonly listeners = new Map<string, (() => void)[]>()
  private readonly noticeListeners = new Map<string, (notice: string) => void>()
  private isOpen = false
  private epochs = 0
  /** The start time of the server that answered last. */
  private serverStart: string | undefined
  private stopped = false
  private retryMs = 100
  private retryTimer: NodeJS.Timeout | undefined
  private lookTimer: NodeJS.Timeout | undefined
  /** Sums of the version rows of the last poll, by table; undefined before the first poll of an epoch. */
  private seen: ReadonlyMap<string, string> | undefined
  /** All changes that were committed before this time are counted in the versions. */
  private knownUntil = Number.NEGATIVE_INFINITY
  /** The notifications of all commits before this time were received on the feed's own connection. */
  private heardUntil = Number.NEGATIVE_INFINITY
  private underWay: Promise<void> | undefined
  private next: Promise<void> | undefined
  private lookedAt = Number.NEGATIVE_INFINITY
  private isAsking = false
  private echo: Echo | undefined
  private hears: boolean | undefined
  private sendsEchoes = true
  private looks = 0
  /** Tables that this process wrote and has not announced yet. */
  private readonly unannounced = new Set<string>()
  private announcing: Promise<void> | undefined
  private announcedAt = Number.NEGATIVE_INFINITY
  /** Listeners must not run in the unit of work of the request that happened to ask first. */
  private readonly inOwnContext = AsyncLocalStorage.snapshot()

  constructor(
    private readonly config: ClientConfig,
    private readonly name: string,
    private readonly logger: Logger,
    private readonly options: ChangeFeedOptions,
  ) {}

  /**
   * Grows when the connection is lost, because a new one may lead to a restored database, and when another
   * server answers. Undefined while the versions are not valid.
   */
  get epoch(): number | undefined {
    return this.isCurrent ? this.epochs : undefined
  }

  /** True when since an epoch the connection was not lost and no other server answered. */
  isOf(epoch: number): boolean {
    return epoch === this.epochs
  }

  /**
   * Notes the start time of the server that a connection leads to. Another server than before invalidates
   * every cache entry of this database. So a failover is found that leaves the feed's own connection open,
   * e.g. behind a pooler.
   * @param start undefined where it is not known
   */
  answeredBy(start: string | undefined): void {
    if (start === undefined || start === this.serverStart) return
    if (this.serverStart !== undefined) this.forget()
    this.serverStart = start
  }

  /** True while notifications arrive. Otherwise a change is found by the next poll. */
  get isListening(): boolean {
    return this.isOpen && this.hears === true
  }

  /** True when all notifications that were sent up to `trustMs` ago have been received. */
  get hasHeard(): boolean {
    return this.isListening && performance.now() - this.heardUntil < trustMs
  }

  /** True while the last poll of the version rows is recent enough to rely on. */
  get isCurrent(): boolean {
    return performance.now() - this.knownUntil < trustMs
  }

  /** Starts listening and polling; a failure is retried with growing pauses and does not throw. */
  async start(): Promise<void> {
    if (this.options.listens) await this.connect()
    else await this.catchUp().catch(() => undefined)
    this.lookAgain()
  }

  /** Sends no notifications: for a database where nothing is committed, so that none could arrive. */
  expectNoEchoes(): void {
    this.sendsEchoes = false
  }

  /** Marks a table as changed by a commit of this process, and announces that to the others. */
  wrote(table: string): void {
    this.changed(table)
    if (!this.options.listens || !this.sendsEchoes) return
    this.unannounced.add(table)
    this.announcing ??= this.inOwnContext(() => this.announce())
  }

  /** Marks a table as changed; called on notification. */
  changed(table: string): void {
    for (const watch of this.watches.values()) if (watch.tables.includes(table)) watch.changed()
    for (const listener of this.listeners.get(table) ?? []) listener()
  }

  /**
   * Calls `listener` when a change of a table is announced, by its change trigger or by writers that send
   * {@link changeNotice}. Notifications that are sent while the connection is lost do not arrive: listeners
   * of tables without the trigger poll as well.
   */
  onChanged(table: string, listener: () => void): void {
    this.listeners.set(table, [...(this.listeners.get(table) ?? []), listener])
  }

  /**
   * Calls `listener` with the text of each notification on {@link changeChannel} that begins with a prefix,
   * which no table's name has; without the prefix. Notifications that are sent while the connection is lost
   * do not arrive.
   */
  onNotice(prefix: string, listener: (notice: string) => void): void {
    this.noticeListeners.set(prefix, listener)
  }

  /** The watch over a set of tables, the same one for the same set. Reading its version is cheap. */
  watch(tables: readonly string[]): TableWatch {
    const key = tables.join()
    let watch = this.watches.get(key)
    if (!watch) {
      watch = new TableVersion(tables, this, this.options.maxAgeMs)
      this.watches.set(key, watch)
    }
    return watch
  }

  /**
   * Polls when the versions are too old, once for all callers. Throws `UnavailableError` when the database
   * does not answer.
   */
  async refresh(): Promise<void> {
    if (!this.isCurrent) await (this.underWay ?? this.catchUp())
  }

  /**
   * Resolves when the versions count all commits before this call. Callers of the same moment share one poll.
   * Throws `UnavailableError` when the database does not answer.
   */
  catchUp(): Promise<void> {
    this.next ??= this.lookNext()
    return this.next
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.retryTimer)
    clearTimeout(this.lookTimer)
    await this.announcing
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
    client.on('notification', ({ processId, payload }) => {
      // What we announce ourselves on this connection is known here.
      if (processId !== client.processID) this.notified(payload ?? '')
    })
    this.client = client
    try {
      await client.connect()
      await client.settle()
      this.answeredBy(client.serverStart)
      // Behind a pooler the `listen` would stay on a connection that other clients use next.
      if (client.ownsSession) await this.listen(client)
      else this.judgeHearing(false)
      // Changes before now are unknown, so every cache entry is invalidated.
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
    // The first poll shows that the connection receives notifications.
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

  /**
   * Announces what this process has written: transactions that notify are committed one after the other, each waiting for the disk, so that those
   * that write leave it to this one. What is lost on the way the others find with their next poll.
   */
  private async announce(): Promise<void> {
    while (this.unannounced.size) {
      const tooSoonMs = this.announcedAt + betweenAnnouncementsMs - performance.now()
      // With all that is committed in this turn of the event loop, and after the answers to it.
      await (tooSoonMs > 0 ? pause(tooSoonMs) : nextTurn())
      const tables = [...this.unannounced]
      this.unannounced.clear()
      this.announcedAt = performance.now()
      await this.sendNotices(tables).catch((error: unknown) =>
        this.logger.debug({ database: this.name, err: error }, 'changes were not announced'),
      )
    }
    this.announcing = undefined
  }

  private async sendNotices(tables: readonly string[]): Promise<void> {
    const values = [changeChannel, JSON.stringify(tables)]
    const { client } = this
    if (client && this.isOpen && client.ownsSession) {
      const query = { name: 'keel_announce', text: announcement, values }
      const isSent = await client.query(query).then(
        () => true,
        () => false,
      )
      if (isSent) return
    }
    await this.options.send(announcement, values, answerWithinMs)
  }

  private lookAgain(): void {
    if (this.stopped) return
    const again = () => this.lookAgain()
    this.lookTimer = setTimeout(() => void this.catchUp().then(again, again), this.options.pollMs)
    this.lookTimer.unref()
  }

  /** Polls one after another: a poll that is under way may miss the commit that its caller waits for. */
  private async lookNext(): Promise<void> {
    await this.underWay?.catch(() => undefined)
    const tooSoonMs = this.lookedAt + betweenLooksMs - performance.now()
    if (tooSoonMs > 0) await pause(tooSoonMs, undefined, { ref: false })
    // Callers from here on wait for the poll after this one.
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
      // A connection that has not answered the last poll gets no second one.
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

  /**
   * Polls on the feed's own connection, where the notifications of earlier commits arrive before the answer.
   */
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

  /** Polls on another connection. */
  private async askElsewhere(): Promise<void> {
    const late = pause(answerWithinMs, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${answerWithinMs} ms`)
    })
    const read = this.readVersions((text) => this.options.send(text, [], answerWithinMs), false)
    await Promise.race([read, late])
  }

  /** Compares the version rows with those of the last poll. */
  private async readVersions(read: RowReader, isOwn: boolean): Promise<void> {
    const { epochs } = this
    const sent = performance.now()
    const found = await readVersions(read)
    // The connection was lost meanwhile: it may have led to another database.
    if (epochs !== this.epochs) return
    this.answeredBy(found?.start)
    if (isOwn) this.heardUntil = sent
    // A later poll was answered earlier.
    if (sent < this.knownUntil) return
    // Without version rows changes are known only on a connection that receives notifications.
    if (!found && !(isOwn && this.hears !== false)) return
    const before = this.seen
    this.seen = found?.versions ?? new Map()
    if (before)
      for (const [table, version] of this.seen) if (before.get(table) !== version) this.changed(table)
    this.knownUntil = sent
    for (const watch of this.watches.values()) watch.age()
  }

  /** Sends the probe notification. When that fails, the probe is given up without a judgement. */
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

  /** Invalidates every cache entry of this database; the versions are not valid until the next poll. */
  private forget(): void {
    this.epochs += 1
    this.seen = undefined
    this.knownUntil = Number.NEGATIVE_INFINITY
    this.heardUntil = Number.NEGATIVE_INFINITY
    for (const watch of this.watches.values()) watch.changed()
  }
}

const announcement = 'select pg_notify($1, t) from json_array_elements_text($2::json) as t'

/** Throws when a poll was not answered. */
function answered(isAnswered: boolean): void {
  if (!isAnswered) throw new Error('The connection of the change feed was lost.')
}
