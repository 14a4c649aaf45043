import type pg from 'pg'
import { callerKey } from '../../modularity/ambient.js'
import { announcingSetting } from '../change-feed/change-feed.js'
import { LentConnection } from '../wire/lent-connection.js'
import { SessionClient, type SessionSettings } from '../wire/session-client.js'
import { crowded } from '../wire/unavailable.js'
import type { DatabaseOptions } from './database-settings.js'

/**
 * The use of a lent connection. `statement`: one statement, then it comes back. `list`: statements of lists
 * that callers made up, one after the other. `transaction` (of a unit of work) and `hold` (a session): their owner may ask for
 * further connections before they end. `stream`: an answer that its reader takes as slowly as is allowed.
 */
export type Purpose = 'statement' | 'list' | 'transaction' | 'hold' | 'stream'

/** How many connections of a pool are lent for each purpose. */
export interface PoolShares {
  /** All connections that are lent. */
  readonly size: number
  readonly list: number
  readonly stream: number
}

/**
 * The least size of a pool beside which another connection listens for changes: one of each purpose, and one
 * for a hold within a hold.
 */
const leastWithListener = 4
/**
 * Connections that holds leave free: one for a hold that begins within a hold, one for a statement within
 * that.
 */
const keptForNested = 2
const ended = 'The pool of connections has ended'
/** How long a caller waits for a connection. */
export const connectionTimeoutMs = 10_000

/** True when `Database:MaxPoolSize` is large enough for a connection that only listens for changes. */
export function sparesListener(maxPoolSize: number): boolean {
  return maxPoolSize > leastWithListener
}

/** How `Database:MaxPoolSize` connections, less the one that listens, are shared. */
export function poolShares({
  maxPoolSize,
  maxQueryPoolSize,
  maxStreamPoolSize,
}: DatabaseOptions): PoolShares {
  const size = sparesListener(maxPoolSize) ? maxPoolSize - 1 : maxPoolSize
  return {
    size,
    list: Math.max(Math.min(maxQueryPoolSize, size - 1), 1),
    stream: Math.max(Math.min(maxStreamPoolSize, size - leastWithListener + 1), 1),
  }
}

/** The settings of PostgreSQL that hold for what is sent on a connection, by its purpose. */
export function sessionSettings(options: DatabaseOptions): Readonly<Record<Purpose, SessionSettings>> {
  const { statementTimeoutMs, queryTimeoutMs, streamTimeoutMs } = options
  const usual = { statement_timeout: statementTimeoutMs }
  // What is written in a session we do not know of.
  const announced = sparesListener(options.maxPoolSize) ? { ...usual, [announcingSetting]: 'on' } : usual
  return {
    statement: announced,
    transaction: announced,
    hold: usual,
    list: forCallers(queryTimeoutMs),
    // A reader who stops reading must not hold a snapshot for ever.
    stream: { ...forCallers(statementTimeoutMs), idle_in_transaction_session_timeout: streamTimeoutMs },
  }
}

/**
 * Settings for statements that callers composed: read only, and without JIT, which costs such short
 * statements more than it saves.
 */
function forCallers(timeoutMs: number): SessionSettings {
  return { statement_timeout: timeoutMs, default_transaction_read_only: 'on', jit: 'off' }
}

/** The key of the caller that a connection is lent to; undefined for lists, which share theirs among callers by rules of their own. */
type Borrower = string | undefined

interface Waiting {
  readonly purpose: Purpose
  readonly held: number
  readonly borrower: Borrower
  readonly done: (error: Error | undefined, connection?: LentConnection) => void
  timer: NodeJS.Timeout
}

/**
 * All connections of a host to a database, but for the one that listens for changes: `pg.Pool`, and in front
 * of it a line that decides who gets the next connection: of those that may have it, the caller to whom the fewest are lent, and of these whoever came
 * first. So many writes of one caller do not delay those of others by more than one of them takes. These rules hold besides:
 *
 * - Statements and lists end by themselves (`Database:StatementTimeoutMs`, `:QueryTimeoutMs`) while they need
 *   no other connection. A statement may have any free connection; lists leave one.
 * - A hold (here transactions, too) or a stream may be asked for by a hold, which keeps its own connection meanwhile. Outside of any
 *   hold it leaves {@link keptForNested} connections free, within one it leaves one less, and so on: whatever
 *   all holds wait for, one of them gets it, and no circle of waiting comes about. Pools of less than
 *   {@link leastWithListener} connections leave as many as they can.
 * - No caller waits for longer than {@link connectionTimeoutMs}.
 */
export class ConnectionPool {
  private readonly lent: Record<Purpose, number> = {
    statement: 0,
    list: 0,
    transaction: 0,
    hold: 0,
    stream: 0,
  }
  private readonly settings: Readonly<Record<Purpose, SessionSettings>>
  private readonly waiting: Waiting[] = []
  private readonly lentTo = new Map<Borrower, number>()
  private isEnding = false
  /** Gives back lent connections that are not in use; called when all are lent. */
  reclaimIdle: () => void = () => undefined

  constructor(
    private readonly database: string,
    private readonly connections: pg.Pool,
    private readonly options: DatabaseOptions,
    private readonly shares: PoolShares,
  ) {
    this.settings = sessionSettings(options)
  }

  /** Open connections that are not lent, those that are, and how many callers wait for one. */
  get now(): { readonly idle: number; readonly used: number; readonly pending: number } {
    const { used } = this
    return { idle: Math.max(this.connections.totalCount - used, 0), used, pending: this.waiting.length }
  }

  /** True while a statement, hold or stream waits for a connection: it gets the next one that comes back. */
  get isShort(): boolean {
    return this.waiting.some(({ purpose, held }) => purpose !== 'list' && this.isWithinShare(purpose, held))
  }

  get isEnded(): boolean {
    return this.isEnding
  }

  /** {@link lend} as a promise. */
  borrow(purpose: Purpose, held = 0): Promise<LentConnection> {
    return new Promise((resolve, reject) => {
      this.lend(purpose, held, (error, connection) => (connection ? resolve(connection) : reject(error)))
    })
  }

  /**
   * Lends a connection that is set up for its purpose; waits for one while there is none. Fails when too many
   * wait already (`Database:MaxWaiting`) and no other caller has more of them, when none comes in time, and when the database does not let us in.
   * @param held how many connections the caller holds already, of whichever database
   */
  lend(purpose: Purpose, held: number, done: Waiting['done']): void {
    if (this.used >= this.shares.size) this.reclaimIdle()
    const wanted = { purpose, held, borrower: purpose === 'list' ? undefined : callerKey(), done }
    if (this.isEnding) done(new Error(ended))
    else if (this.mayLend(purpose, held)) this.take(wanted)
    else if (this.hasRoomFor(wanted.borrower)) this.wait(wanted)
    else done(crowded(this.database))
  }

  /** True when one more may wait. In a line that is full, the last one of whoever has the most there has to go. */
  private hasRoomFor(borrower: Borrower): boolean {
    if (this.waiting.length < this.options.maxWaiting) return true
    const counts = new Map<Borrower, number>()
    for (const waiting of this.waiting) counts.set(waiting.borrower, (counts.get(waiting.borrower) ?? 0) + 1)
    const [[greediest, most] = [undefined, 0]] = [...counts].sort(([, one], [, other]) => other - one)
    if (most <= (counts.get(borrower) ?? 0)) return false
    const last = this.waiting.findLast((waiting) => waiting.borrower === greediest)
    if (last) this.refuse(last, crowded(this.database))
    return true
  }

  private wait(wanted: Omit<Waiting, 'timer'>): void {
    const waiting: Waiting = {
      ...wanted,
      timer: setTimeout(
        () => this.refuse(waiting, new Error('timeout exceeded when trying to connect')),
        connectionTimeoutMs,
      ),
    }
    waiting.timer.unref()
    this.waiting.push(waiting)
  }

  /** Refuses all waiting callers; resolves when all connections are back and closed. */
  async end(): Promise<void> {
    this.isEnding = true
    for (const waiting of this.waiting.splice(0)) {
      clearTimeout(waiting.timer)
      waiting.done(new Error(ended))
    }
    await this.connections.end()
  }

  private get used(): number {
    const { statement, list, transaction, hold, stream } = this.lent
    return statement + list + transaction + hold + stream
  }

  private mayLend(purpose: Purpose, held: number): boolean {
    return this.used < this.shares.size && this.isWithinShare(purpose, held)
  }

  /** True while a purpose has fewer connections than its share, even when none is free. */
  private isWithinShare(purpose: Purpose, held: number): boolean {
    const { size, list, stream } = this.shares
    const { lent } = this
    if (purpose === 'statement') return true
    if (purpose === 'list') return lent.list < list
    if (purpose === 'stream' && lent.stream >= stream) return false
    const least = purpose === 'stream' ? 2 : lent.stream + held + 1
    return (
      lent.stream + lent.transaction + lent.hold <
      Math.min(size, Math.max(least, size - keptForNested + held))
    )
  }

  private take({ purpose, borrower, done }: Omit<Waiting, 'timer'>): void {
    this.lent[purpose] += 1
    this.lentTo.set(borrower, this.lentOf(borrower) + 1)
    const back = (): void => {
      this.lent[purpose] -= 1
      const left = this.lentOf(borrower) - 1
      if (left > 0) this.lentTo.set(borrower, left)
      else this.lentTo.delete(borrower)
      this.serve()
    }
    this.connections.connect((error, client) => {
      if (client) {
        const connection = new LentConnection(client, (broken) => {
          client.release(broken)
          back()
        })
        if (client instanceof SessionClient) client.changeSettings(this.settings[purpose])
        done(undefined, connection)
      } else {
        back()
        done(error ?? new Error(ended))
      }
    })
  }

  /** Lends free connections to waiting callers. */
  private serve(): void {
    for (let next = this.next(); next; next = this.next()) {
      this.leave(next)
      this.take(next)
    }
  }

  private next(): Waiting | undefined {
    let chosen: Waiting | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const waiting of this.waiting) {
      if (!this.mayLend(waiting.purpose, waiting.held)) continue
      // Who waits within a hold lets that come to its end.
      const lent = waiting.held || waiting.borrower === undefined ? 0 : this.lentOf(waiting.borrower)
      if (lent === 0) return waiting
      if (lent < fewest) [chosen, fewest] = [waiting, lent]
    }
    return chosen
  }

  private lentOf(borrower: Borrower): number {
    return this.lentTo.get(borrower) ?? 0
  }

  private refuse(waiting: Waiting, error: Error): void {
    if (this.leave(waiting)) waiting.done(error)
  }

  /** Takes a waiting caller out of the line. False when it has left already. */
  private leave(waiting: Waiting): boolean {
    clearTimeout(waiting.timer)
    const index = this.waiting.indexOf(waiting)
    if (index < 0) return false
    this.waiting.splice(index, 1)
    return true
  }
}
