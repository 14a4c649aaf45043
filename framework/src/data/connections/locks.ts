import { setTimeout as delay } from 'node:timers/promises'
import { UnavailableError } from '../../contracts/index.js'
import { Injectable } from '../../modularity/injectable.js'
import { advisoryLockSql, type DatabaseSession, tryAdvisoryLockSql } from '../wire/session.js'
import { toStatement } from '../wire/sql.js'
import type { Database } from './database.js'
import { Databases } from './databases.js'
import { UnitOfWork } from './unit-of-work.js'

/** Time between two attempts for a lock that another holder has. */
const retryMs = 100
/**
 * Time between two statements on the connection of a held lock: a lost connection is noticed, and no pooler
 * takes it for idle.
 */
const heartbeatMs = 5000

/** How a lock is taken. */
export interface LockOptions {
  /** Locks of the same name on two databases are two locks; Default when not given. */
  readonly database?: Database
  /**
   * How long to wait for another holder; without it as long as a statement may take
   * (`Database:StatementTimeoutMs`).
   */
  readonly waitMs?: number
}

/** A lock that is held. */
export interface HeldLock {
  /** Fires when the connection of the lock is lost: from then on another process may hold the lock. */
  readonly signal: AbortSignal
}

/**
 * Locks by name, among all processes of a database: PostgreSQL's advisory locks of a transaction, which also
 * hold through a pooler in transaction mode, and which PostgreSQL gives back when the connection ends,
 * however the process ends. Inside a unit of work the lock belongs to its transaction and is held to its end;
 * the same unit of work may take it again. Outside of any, a connection of its own keeps a transaction open;
 * taking the same name within waits for ever.
 */
@Injectable()
export class Locks {
  constructor(private readonly databases: Databases) {}

  /**
   * Runs `work` while no other holder of the name does, and waits for its turn. Throws `UnavailableError`
   * when the lock is not free in time, and when the connection of the lock was lost meanwhile, as soon as
   * `work` has ended: another holder may have been at work beside it.
   * @example await this.locks.within(`Hub.Import ${id}`, ({ signal }) => this.import(id, signal))
   */
  async within<T>(name: string, work: (lock: HeldLock) => Promise<T>, options: LockOptions = {}): Promise<T> {
    if (options.waitMs !== undefined) {
      const done = await this.tryWithin(name, work, options)
      if (done) return done.result
      throw notFree(name)
    }
    const statement = advisoryLockSql(name)
    if (UnitOfWork.current) {
      await this.databaseOf(options).execute(statement)
      return work({ signal: heldToTheEnd })
    }
    return this.onOwnConnection(this.databaseOf(options), async (session, held) => {
      await session.query(toStatement(statement))
      return work(held)
    })
  }

  /**
   * Like {@link within}, but answers undefined when another holder has the lock and does not give it back in
   * time (`waitMs`, 0 when not given), as ABP's `TryAcquireAsync` does.
   */
  async tryWithin<T>(
    name: string,
    work: (lock: HeldLock) => Promise<T>,
    { waitMs = 0, ...options }: LockOptions = {},
  ): Promise<{ readonly result: T } | undefined> {
    const database = this.databaseOf(options)
    const statement = tryAdvisoryLockSql(name)
    const deadline = performance.now() + waitMs
    const takes = async (attempt: () => Promise<{ taken: boolean } | undefined>): Promise<boolean> => {
      while (!(await attempt())?.taken) {
        const restMs = deadline - performance.now()
        if (restMs <= 0) return false
        await delay(Math.min(retryMs, restMs))
      }
      return true
    }
    if (UnitOfWork.current) {
      const isTaken = await takes(async () => (await database.query<{ taken: boolean }>(statement))[0])
      return isTaken ? { result: await work({ signal: heldToTheEnd }) } : undefined
    }
    return this.onOwnConnection(database, async (session, held) => {
      const isTaken = await takes(async () => (await session.query(toStatement(statement))).rows[0])
      return isTaken ? { result: await work(held) } : undefined
    })
  }

  /** Takes a lock for the unit of work at hand, which holds it to its end. Throws outside of any. */
  async hold(name: string, options: LockOptions = {}): Promise<void> {
    if (!UnitOfWork.current) throw new Error(`${name} can't be held: no unit of work is at hand`)
    await this.within(name, async () => undefined, options)
  }

  private databaseOf({ database }: LockOptions): Database {
    return database ?? this.databases.named('Default')
  }

  private onOwnConnection<T>(
    database: Database,
    work: (session: DatabaseSession, held: HeldLock) => Promise<T>,
  ): Promise<T> {
    return database.withConnection(async (session) => {
      const loss = new AbortController()
      const lose = (cause: Error): void => loss.abort(cause)
      session.on('error', lose)
      await session.query('begin')
      const heart = setInterval(() => session.query('select 1').catch(lose), heartbeatMs)
      heart.unref()
      try {
        await session.query(withoutIdleLimits)
        const result = await work(session, { signal: loss.signal })
        clearInterval(heart)
        // Fails when the connection is lost, also when nothing has told so yet.
        await session.query('commit')
        return result
      } catch (error) {
        await session.query('rollback').catch(lose)
        throw loss.signal.aborted ? lost(loss.signal.reason) : error
      } finally {
        clearInterval(heart)
        session.off('error', lose)
      }
    })
  }
}

/** In a unit of work a lost connection fails the unit of work itself, and all that it wrote. */
const heldToTheEnd = new AbortController().signal

/** Servers may end transactions that wait; what this server does not know is left out. */
const withoutIdleLimits = `select set_config(name, '0', true) from pg_settings
  where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`

function notFree(name: string): UnavailableError {
  return new UnavailableError(`The lock ${name} is not free.`, undefined, { text: { key: 'LockNotFree' } })
}

function lost(cause: unknown): UnavailableError {
  return new UnavailableError('The connection that held a lock was lost.', undefined, {
    cause,
    text: { key: 'LockLost' },
  })
}
