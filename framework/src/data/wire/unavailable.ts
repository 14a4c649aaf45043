import { LimitReachedError, UnavailableError } from '../../contracts/errors.js'

/**
 * Codes of Node and PostgreSQL of a database that can't be reached, or that has no time, room or memory: 57014 is a statement that took too
 * long, 53100 a full disk.
 */
const connectionFaults = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EPIPE',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '3D000',
  '28P01',
  '53100',
  '53200',
  '53300',
  '08006',
  '08001',
])

/** PgBouncer's code for all that keeps it from the server. In PostgreSQL's own errors, which are not fatal, it is a mistake of ours. */
const poolerFault = '08P01'

/** Messages of pg and Sequelize about connections that broke or are all in use. */
const unreachable =
  /connection terminated|is not queryable|timeout exceeded when trying to connect|^operation timeout$/i

/** A database that can't be reached is not the caller's fault: the answer is 503 with a time to try again. */
export function asUnavailable(error: unknown, database: string): unknown {
  const { parent, message = '' } = error as { parent?: unknown; message?: string }
  const { code, severity } = (parent ?? error) as { code?: string; severity?: string }
  const isDown =
    (code && connectionFaults.has(code)) ||
    (code === poolerFault && severity === 'FATAL') ||
    unreachable.test(message)
  return isDown ? unavailable(database, error) : error
}

/**
 * True when a statement failed because its table or column is not there: the database is empty, or older than
 * the program.
 */
export function isTableMissing(error: unknown): boolean {
  const { parent } = error as { parent?: unknown }
  const { code } = (parent ?? error) as { code?: string }
  return code === '42P01' || code === '42703'
}

/** Says that a database can't be used now. */
export function unavailable(database: string, cause: unknown): UnavailableError {
  return new UnavailableError(`The database ${database} is not available.`, 5, {
    cause,
    text: { key: 'DatabaseUnavailable', data: { database } },
  })
}

/** Refuses a statement that would wait behind too many others: what waits is kept in memory, and its caller may be gone before its turn. */
export function crowded(database: string): LimitReachedError {
  return new LimitReachedError(`Too many statements wait for the database ${database}.`, 1, {
    text: { key: 'DatabaseCrowded', data: { database } },
  })
}
