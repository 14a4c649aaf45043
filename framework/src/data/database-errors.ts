import {
  BusinessError,
  ConcurrencyError,
  faultOf,
  UnavailableError,
  ValidationError,
} from '../contracts/errors.js'
import type { EntityMeta } from './entity.js'

/** The code of a conflict that the entity names no code of its own for. */
export const alreadyExists = 'Keel:AlreadyExists'
/** The code of a delete that other rows refuse. */
export const inUse = 'Keel:InUse'

interface PgError {
  readonly code?: string
  readonly constraint?: string
  readonly column?: string
  readonly detail?: string
}

/** What a failed write means to a caller: the entity's code for a broken unique index, a validation fault for what a check or key refuses. */
export function translateWriteError(error: unknown, entity: EntityMeta): unknown {
  const {
    code,
    constraint = '',
    column,
    detail,
  } = ((error as { parent?: PgError }).parent ?? error) as PgError
  const options = { cause: error }
  switch (code) {
    case '23505':
      return new BusinessError(
        entity.conflicts[constraint] ?? alreadyExists,
        { entity: entity.name, ...keyOf(detail) },
        options,
      )
    case '23503':
      return detail?.includes('is still referenced')
        ? new BusinessError(inUse, { entity: entity.name }, options)
        : fault(memberOf(constraint), 'Validation:NoSuchEntity')
    case '23502':
      return fault(camel(column), 'Validation:Required')
    case '23514':
      return fault(memberOf(constraint), 'Validation:OutOfRange')
    case '40001':
    case '40P01':
      return new ConcurrencyError(undefined, options)
    default:
      return error
  }

  function fault(member: string, key: string): ValidationError {
    return new ValidationError([faultOf(member, key)], options)
  }
}

/** `Key ("TenantId", "ShipmentReference")=(, S1) already exists.` → the columns and their values, without the tenant. */
function keyOf(detail = ''): Record<string, string> {
  const [, columns = '', values = ''] = /^Key \((.+?)\)=\((.*)\) already exists/s.exec(detail) ?? []
  const names = columns.split(', ').map((name) => camel(name.replaceAll('"', '')))
  const parts = values.split(', ')
  // PostgreSQL does not quote values: a comma is most likely part of the last one.
  const last = parts.slice(names.length - 1).join(', ')
  return Object.fromEntries(
    names
      .map((name, index) => [name, index === names.length - 1 ? last : (parts[index] ?? '')])
      .filter(([name]) => name && name !== 'tenantId'),
  )
}

const memberOf = (constraint: string): string => camel(constraint.split('_').at(-1))
const camel = (name = ''): string => name.charAt(0).toLowerCase() + name.slice(1)

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

/** What pg and Sequelize say of connections that broke or that are all taken. */
const unreachable =
  /connection terminated|is not queryable|timeout exceeded when trying to connect|^operation timeout$/i

/** A database that can't be reached is not the caller's fault: they are told to come back. */
export function asUnavailable(error: unknown, database: string): unknown {
  const { parent, message = '' } = error as { parent?: unknown; message?: string }
  const { code, severity } = (parent ?? error) as { code?: string; severity?: string }
  const isDown =
    (code && connectionFaults.has(code)) ||
    (code === poolerFault && severity === 'FATAL') ||
    unreachable.test(message)
  return isDown ? unavailable(database, error) : error
}

/** Whether a statement failed because its table or column is not there: the database is empty, or older than the program. */
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
export function crowded(database: string): UnavailableError {
  return new UnavailableError(`Too many statements wait for the database ${database}.`, 1, {
    text: { key: 'DatabaseCrowded', data: { database } },
  })
}
