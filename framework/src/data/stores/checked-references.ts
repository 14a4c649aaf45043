import { faultOf, ValidationError, type ValidationFault } from '../../contracts/errors.js'
import type { Databases } from '../connections/databases.js'
import { type ColumnMeta, type EntityClass, type EntityMeta, entityMeta } from '../entities/entity.js'
import type { RowRules } from '../entities/row-rules.js'
import type { ReferenceSet, ReferenceSets } from '../lists/reference-sets.js'
import { Store } from './store.js'

/** The keys of the texts that refuse a reference. */
export interface ReferenceTexts {
  readonly unknown: string
  readonly inactive: string
}

const usualTexts: ReferenceTexts = {
  unknown: 'Validation:NoSuchEntity',
  inactive: 'Validation:Deactivated',
}

/**
 * The key of the text that refuses a reference to a row of a set; undefined for a row that may be referred to.
 * @param mayBeInactive true for a reference that stays as it was
 */
export function refusalOf(
  rows: ReferenceSet,
  id: string,
  { unknown, inactive }: ReferenceTexts,
  mayBeInactive: boolean,
): string | undefined {
  if (!rows.has(id)) return unknown
  return !mayBeInactive && rows.value(id, 'isActive') === 'f' ? inactive : undefined
}

/** The parts of a host that tell whether a row may be referred to. */
export interface ReferenceCheck {
  readonly databases: Databases
  readonly rules: RowRules
  readonly sets: ReferenceSets
}

/**
 * Refuses references of a written row: to rows that do not exist, that the caller may not see, that are of another list than
 * `referencesOnly` of the column says, and to deactivated rows. A reference that stays as it was is not looked at.
 * Throws `ValidationError` with every fault.
 * @param before the row so far; undefined for a new one
 */
export async function demandReferences(
  check: ReferenceCheck,
  { columns }: EntityMeta,
  values: object,
  before: object | undefined,
): Promise<void> {
  const faults = await Promise.all(
    [...columns.values()].map(async (column) => {
      const id = (values as Record<string, unknown>)[column.attribute]
      const isKept = id === (before as Record<string, unknown> | undefined)?.[column.attribute]
      if (!column.references || typeof id !== 'string' || isKept) return undefined
      return faultOfReference(check, column, column.references(), id)
    }),
  )
  const found = faults.filter((one): one is ValidationFault => one !== undefined)
  if (found.length) throw new ValidationError(found)
}

async function faultOfReference(
  { databases, rules, sets }: ReferenceCheck,
  { attribute, referencesOnly = {} }: ColumnMeta,
  entity: EntityClass,
  id: string,
): Promise<ValidationFault | undefined> {
  const meta = entityMeta(entity)
  if (meta.softDelete || meta.rules.length) {
    const row = await new Store(entity as never, databases, rules).find(id)
    return row ? undefined : faultOf(attribute, usualTexts.unknown)
  }
  const rows = await sets.rows(entity, [id])
  const isOther = Object.entries(referencesOnly).some(([name, value]) => rows.value(id, name) !== value)
  const refusal = isOther
    ? usualTexts.unknown
    : refusalOf(rows, id, usualTexts, !meta.columns.has('isActive'))
  return refusal === undefined ? undefined : faultOf(attribute, refusal)
}
