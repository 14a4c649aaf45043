import { BusinessError, ConcurrencyError, faultOf, ValidationError } from '../../contracts/errors.js'
import type { EntityMeta } from '../entities/entity.js'

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

/**
 * The error for the caller of a failed write: the entity's code for a broken unique index or exclusion constraint, a validation fault
 * for what a check or key refuses.
 */
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
    case '23P01':
      return new BusinessError(
        entity.conflicts[constraint] ?? alreadyExists,
        { entity: entity.name },
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
    // PostgreSQL does not say of which column: contracts and writers of columns know their limits, what rules compute may not.
    case '22003':
      return new ValidationError(
        [{ message: 'Validation:OutOfRange', members: [], text: { key: 'Validation:OutOfRange' } }],
        options,
      )
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

/** The attribute that the name of a constraint ends with. */
export const memberOf = (constraint: string): string => camel(constraint.split('_').at(-1))
const camel = (name = ''): string => name.charAt(0).toLowerCase() + name.slice(1)
