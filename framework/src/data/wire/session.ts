import type { ClientBase } from 'pg'
import { SessionClient } from './session-client.js'
import { type Sql, sql, toStatement } from './sql.js'

/** One connection of its own, as `Database.withConnection` lends it: what locks, scripts and transactions by hand need. */
export type DatabaseSession = ClientBase

/** The session that holds a lock that we wait for. */
export interface LockHolder {
  readonly pid: number
  readonly application: string
  /** When its transaction began; where the lock is the session's own, when it connected. Null when our role may not see that. */
  readonly since: Date | null
}

/** Runs `work` in a transaction on this session: committed when it ends well, rolled back when it does not. */
export async function inTransaction<T>(session: DatabaseSession, work: () => Promise<T>): Promise<T> {
  if (!(session instanceof SessionClient && session.beginWithNext())) await session.query('begin')
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
export function withoutStatementTimeout<T>(session: DatabaseSession, work: () => Promise<T>): Promise<T> {
  return session instanceof SessionClient ? session.withoutStatementTimeout(work) : work()
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
 * Takes the lock of a name for the transaction at hand, after its present holder, who is passed to `onWait`. PostgreSQL gives it back with the
 * end of the transaction: a lock of the session would stay with a pooler.
 */
export async function takeAdvisoryLock(
  session: DatabaseSession,
  name: string,
  onWait: (holder: LockHolder | undefined) => void = () => undefined,
): Promise<void> {
  if (await tryAdvisoryLock(session, name)) return
  onWait(await lockHolder(session, name))
  await session.query(toStatement(advisoryLockSql(name)))
}

/** Takes the lock of a name for the transaction at hand. False when another session has it. */
export async function tryAdvisoryLock(session: DatabaseSession, name: string): Promise<boolean> {
  const { rows } = await session.query(toStatement(tryAdvisoryLockSql(name)))
  return rows[0]?.taken === true
}

/** The statement that waits for the lock of a name, and takes it to the end of the transaction. */
export const advisoryLockSql = (name: string): Sql =>
  sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`

/** The statement that takes the lock of a name to the end of the transaction; its one column, `taken`, is false when another session has it. */
export const tryAdvisoryLockSql = (name: string): Sql =>
  sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`

/** Waits for the lock of a name as a statement without parameters, for scripts. */
export const advisoryLockText = (name: string): string =>
  `select pg_advisory_xact_lock(hashtextextended('${name.replaceAll("'", "''")}', 0))`

/** The session that holds the advisory lock of a name on this database; undefined when none does. */
export async function lockHolder(session: DatabaseSession, name: string): Promise<LockHolder | undefined> {
  const { rows } = await session.query<LockHolder>(
    `select a.pid, a.application_name as application, coalesce(a.xact_start, a.backend_start) as since
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended($1, 0)`,
    [name],
  )
  return rows[0]
}
