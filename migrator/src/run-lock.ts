import {
  advisoryLockText,
  type Database,
  type DatabaseSession,
  type LockHolder,
  lockHolder,
  tryAdvisoryLock,
} from '@keel/framework/data'
import { Refusal } from './exit-codes.js'
import { limitsSql } from './run-settings.js'

/** The only migrator at work on a database. */
export interface RunLock {
  /** Throws when the connection that holds the lock was lost: somebody else may be at work by now. */
  check(): void
  /** Runs when the lock is lost. */
  onLost(stop: () => void): void
}

/** How to wait for the lock. */
export interface LockWait {
  /** In ms; 0 is without end. */
  readonly waitTimeoutMs: number
  /** Told who has the lock, and again whenever that changes. */
  readonly onWait: (holder: LockHolder | undefined) => void
}

const name = 'keel:migrator'
/** Makes the transaction at hand wait for the lock of a run. */
export const takeRunLockSql = advisoryLockText(name)
/** How often a waiter looks who has the lock. */
const lookMs = 2000

/**
 * Runs `work` while no other migrator works on this database. The lock belongs to an open transaction on a connection of its own: so it
 * also holds through a pooler in transaction mode, and PostgreSQL gives it back when the connection ends, however we end.
 */
export async function withRunLock<T>(
  database: Database,
  wait: LockWait,
  work: (lock: RunLock) => Promise<T>,
): Promise<T> {
  return database.withConnection(async (session) => {
    let lost: Error | undefined
    const stops: (() => void)[] = []
    let lose: (error: Error) => void = () => undefined
    const ended = new Promise<never>((_, reject) => {
      lose = reject
    })
    ended.catch(() => undefined)
    const onError = (cause: Error): void => {
      lost = new Refusal('lockLost', 'The connection that held the lock of this run was lost', { cause })
      for (const stop of stops) stop()
      lose(lost)
    }
    session.on('error', onError)
    try {
      await takeLock(session, wait)
      const check = (): void => {
        if (lost) throw lost
      }
      const onLost = (stop: () => void): void => {
        stops.push(stop)
      }
      const result = await Promise.race([work({ check, onLost }), ended])
      await session.query('commit')
      return result
    } catch (error) {
      await session.query('rollback').catch(() => undefined)
      throw lost ?? error
    } finally {
      session.off('error', onError)
    }
  })
}

/**
 * Makes the transaction at hand wait for one of a migrator that died: it may still be ending on the server, where its own lock is gone.
 * For every transaction that writes.
 */
export const waitForTheDeadSql = advisoryLockText(`${name}:write`)

async function takeLock(session: DatabaseSession, { waitTimeoutMs, onWait }: LockWait): Promise<void> {
  const deadline = waitTimeoutMs ? Date.now() + waitTimeoutMs : Number.POSITIVE_INFINITY
  let told: number | undefined
  for (;;) {
    const lockTimeoutMs = Math.max(1, Math.min(lookMs, deadline - Date.now()))
    await session.query('begin')
    await session.query(limitsSql({ statement_timeout: 0, lock_timeout: lockTimeoutMs }))
    if (await tryAdvisoryLock(session, name)) return
    const holder = await lockHolder(session, name)
    if (told === undefined || holder?.pid !== told) onWait(holder)
    told = holder?.pid ?? 0
    if (await waitForLock(session)) return
    await session.query('rollback')
    if (Date.now() >= deadline)
      throw new Refusal(
        'lockNotFree',
        `Another migrator is at work on this database for too long${holder ? `: ${describeHolder(holder)}` : ''}`,
      )
  }
}

async function waitForLock(session: DatabaseSession): Promise<boolean> {
  try {
    await session.query(takeRunLockSql)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return false
    throw error
  }
}

/** PostgreSQL's code for a lock that was not free in time. */
export const lockNotAvailable = '55P03'

/** Describes the holder of a lock in words. */
export function describeHolder({ pid, application, since }: LockHolder): string {
  return `PostgreSQL process ${pid} (${application || 'without a name'}${since ? `, since ${since.toISOString()}` : ''})`
}
