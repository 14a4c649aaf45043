import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../modularity/startup-error.js'
import type { Database } from './database.js'

/** The longest time that an unreachable server delays the start. */
const startWaitMs = 3000

/** PostgreSQL's code, or that of Node or the pooler, and what it means. */
interface Reason {
  readonly found: string
  /**
   * Advice for a fault that does not go away by itself; undefined for an unreachable server, which may come
   * back.
   */
  readonly cure?: string
}

const checkPassword = 'Check user and password'
const reasons: Readonly<Record<string, Reason>> = {
  '28P01': { found: 'it refuses the password', cure: checkPassword },
  '28000': { found: 'it does not let this user in', cure: `${checkPassword}, and pg_hba.conf of the server` },
  '3D000': { found: 'it does not exist', cure: 'Create it, or name one that exists' },
  '42501': { found: 'this user may not connect to it', cure: 'Grant connect on it to the user' },
  '57P03': { found: 'it is starting or stopping' },
  '53300': { found: 'it has no connection left' },
  ECONNREFUSED: { found: 'nothing listens at its address' },
  ECONNRESET: { found: 'it broke the connection' },
  ENOTFOUND: { found: 'the name of its server is not known' },
  EAI_AGAIN: { found: 'the name of its server can not be looked up' },
  ETIMEDOUT: { found: 'its server does not answer in time' },
  EHOSTUNREACH: { found: 'its server can not be reached' },
}

/** PgBouncer has one code for all of these faults; its message tells them apart. */
const poolerWords: readonly (readonly [words: RegExp, code: string])[] = [
  [/no such database/i, '3D000'],
  [/password authentication failed|no such user|SASL authentication failed/i, '28P01'],
]

/**
 * The reason why a database does not answer, without address, user or statement, so that it may be public. Of
 * a wrapped error, the inner reason.
 */
export function whyUnusable(error: unknown): string {
  const { code, reason } = reasonOf(error)
  const said = reason?.found ?? (/timeout/i.test((error as Error).message) ? 'no answer in time' : undefined)
  return said ? `${said}${code ? ` (${code})` : ''}` : (code ?? 'the connection failed')
}

/**
 * Throws a `StartupError` when PostgreSQL refuses the connection for good: wrong password or user, no such
 * database. An unreachable server, or one that is silent for longer than a start should wait, may come back:
 * that is only logged.
 * @param from the layer of the configuration that the connection string is from
 */
export async function refuseUnusable(database: Database, from: string | undefined): Promise<void> {
  try {
    await Promise.race([database.probe(), pause(startWaitMs, undefined, { ref: false })])
  } catch (error) {
    const refusal = refusalOf(error, database, from)
    if (refusal) throw refusal
    database.logger.warn(
      { database: database.name, why: whyUnusable(error) },
      'a database is away: the host starts without it and uses it once it is back',
    )
  }
}

function refusalOf(error: unknown, database: Database, from: string | undefined): StartupError | undefined {
  const { code, reason } = reasonOf(error)
  if (!reason?.cure) return undefined
  const { host, port, database: name, user } = new pg.Client(database.config)
  return new StartupError(
    `The database ${name} on ${host}:${port} can't be used as ${user}: ${reason.found} (${code}).\n` +
      `  ${reason.cure}, in ConnectionStrings:${database.name}${from ? ` (from ${from})` : ''}.`,
    { cause: error },
  )
}

function reasonOf(error: unknown): { code?: string; reason?: Reason } {
  for (let at = error as { code?: string; message?: string; cause?: unknown; parent?: unknown }; at; ) {
    const { code, message = '' } = at
    const known = code === '08P01' ? poolerWords.find(([words]) => words.test(message))?.[1] : code
    if (known) return { code: known, ...(reasons[known] && { reason: reasons[known] }) }
    at = (at.cause ?? at.parent) as typeof at
  }
  return {}
}
