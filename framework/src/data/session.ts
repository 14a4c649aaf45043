import type { ClientBase } from 'pg'

/** One connection of its own, as `Database.withConnection` lends it: what locks, scripts and transactions by hand need. */
export type DatabaseSession = ClientBase

/** Who has a lock that we wait for. */
export interface LockHolder {
  readonly pid: number
  readonly application: string
  /** When its transaction began; where the lock is the session's own, when it connected. Null when our role may not see that. */
  readonly since: Date | null
}

/** Runs `work` in a transaction on this session: committed when it ends well, rolled back when it does not. */
export async function inTransaction<T>(session: DatabaseSession, work: () => Promise<T>): Promise<T> {
  await session.query('begin')
  try {
    const result = await work()
    await session.query('commit')
    return result
  } catch (error) {
    // A broken connection can't roll back; the server has done it already.
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

/**
 * Runs `work` on this session without the limit that requests have (`Database:StatementTimeoutMs`): building an index or waiting for another
 * process to do so takes as long as it takes. The limit holds again afterwards.
 */
export async function withoutStatementTimeout<T>(
  session: DatabaseSession,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await session.query<{ limit: string }>(
    `select current_setting('statement_timeout') as limit`,
  )
  await session.query('set statement_timeout = 0')
  try {
    return await work()
  } finally {
    // A broken connection has no limit to restore, and is not lent again.
    await session
      .query(`select set_config('statement_timeout', $1, false)`, [rows[0]?.limit])
      .catch(() => undefined)
  }
}

/** Runs a script of any number of statements. Its failure says where: `0002-ports.sql:17: column "Cod" does not exist`. */
export async function runSqlScript(session: DatabaseSession, name: string, text: string): Promise<void> {
  try {
    await session.query(text)
  } catch (error) {
    const { message, position, detail, hint } = error as {
      message: string
      position?: string
      detail?: string
      hint?: string
    }
    const line = position ? `:${text.slice(0, Number(position)).split('\n').length}` : ''
    const more = [detail, hint].filter(Boolean).map((text) => `\n  ${text}`)
    throw new Error(`${name}${line}: ${message}${more.join('')}`, { cause: error })
  }
}

/**
 * Runs `work` while no other session of this database runs work under the same name; `onWait` is told who is in the way. PostgreSQL
 * gives the lock back by itself when our connection ends, so it never outlives us.
 */
export async function withAdvisoryLock<T>(
  session: DatabaseSession,
  name: string,
  onWait: (holder: LockHolder | undefined) => void,
  work: () => Promise<T>,
): Promise<T> {
  // Without a listener, a connection that breaks while it only holds the lock would end the process.
  const ignore = (): void => undefined
  session.on('error', ignore)
  try {
    const { rows } = await session.query(`select pg_try_advisory_lock(${lockKey}) as taken`, [name])
    if (!rows[0]?.taken) {
      onWait(await lockHolder(session, name))
      await session.query(`select pg_advisory_lock(${lockKey})`, [name])
    }
    const result = await work().catch(async (error: unknown) => {
      await unlock(session, name).catch(ignore)
      throw error
    })
    // This fails when the connection, and with it the lock, was lost in between: then we were not alone.
    await unlock(session, name)
    return result
  } finally {
    session.off('error', ignore)
  }
}

/** The key of an advisory lock, from an SQL expression for its name. */
export const lockKeySql = (name: string): string => `hashtextextended(${name}, 0)`
const lockKey = lockKeySql('$1')

async function unlock(session: DatabaseSession, name: string): Promise<void> {
  await session.query(`select pg_advisory_unlock(${lockKey})`, [name])
}

/** Who holds the advisory lock of a name on this database; undefined when nobody does. */
export async function lockHolder(session: DatabaseSession, name: string): Promise<LockHolder | undefined> {
  const { rows } = await session.query<LockHolder>(
    `select a.pid, a.application_name as application, coalesce(a.xact_start, a.backend_start) as since
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = ${lockKey}`,
    [name],
  )
  return rows[0]
}
