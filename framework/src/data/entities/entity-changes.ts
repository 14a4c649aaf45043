import { isDeepStrictEqual } from 'node:util'
import {
  type EntityChange,
  EntityChangeType,
  manyRows,
  type PropertyChange,
} from '../../auditing/audit-log.js'
import { isAudited } from '../../auditing/audited.js'
import { maskedJson } from '../../auditing/masked-json.js'
import { isSecretName } from '../../modularity/logging.js'
import { type EntityClass, entityMeta } from './entity.js'
import type { BaseEntity } from './entity-bases.js'
import { typeKey } from './text-columns.js'

/** As long as ABP's column. */
const longestValue = 512

/** As long as ABP's column for the name of a property. */
const longestName = 128

/**
 * Attributes left out of the audit log: caller and time stand in the log itself, stamps and marks carry no
 * information.
 */
const bookkeeping = new Set([
  'id',
  'concurrencyStamp',
  'creationTime',
  'creatorId',
  'lastModificationTime',
  'lastModifierId',
  'isDeleted',
  'deletionTime',
  'deleterId',
])

const typeNames: Readonly<Record<string, string>> = {
  UUID: 'System.Guid',
  BOOLEAN: 'System.Boolean',
  SMALLINT: 'System.Int16',
  INTEGER: 'System.Int32',
  BIGINT: 'System.Int64',
  REAL: 'System.Single',
  'DOUBLE PRECISION': 'System.Double',
  DECIMAL: 'System.Decimal',
  DATE: 'System.DateTime',
  TIMESTAMP: 'System.DateTime',
  DATEONLY: 'System.DateOnly',
  JSON: 'System.Object',
  JSONB: 'System.Object',
  ARRAY: 'System.Array',
}

interface AuditedColumn {
  readonly name: string
  readonly type: string
  readonly isSecret: boolean
  /** True for extra properties: each of them is recorded under its own name. */
  readonly isOpen: boolean
  /** The default value of the column, */
  readonly usualValue: unknown
  /** and as it would be shown. */
  readonly usual: string | null
}

/** Tells the audit log of the rows of an entity. */
export class EntityChanges<T extends BaseEntity> {
  private readonly table: string
  /** By their attributes. */
  private readonly columns: ReadonlyMap<string, AuditedColumn>

  constructor(
    entity: EntityClass<T>,
    private readonly now: () => Date,
  ) {
    const { table, columns } = entityMeta(entity)
    this.table = table
    const audited = [...columns.values()].filter(
      ({ attribute }) => !bookkeeping.has(attribute) && isAudited(entity, attribute),
    )
    this.columns = new Map(
      audited.map((column) => [
        column.attribute,
        {
          name: column.column,
          type: typeNames[typeKey(column)] ?? 'System.String',
          isSecret: isSecretName(column.attribute),
          isOpen: column.attribute === 'extraProperties',
          usualValue: column.defaultValue,
          usual: column.defaultValue === undefined ? null : jsonOf(column.defaultValue),
        },
      ]),
    )
  }

  /** A new row: what differs from a row that nobody filled. Undefined for an entity that is not audited. */
  created(row: T): EntityChange | undefined {
    const values = row.dataValues as Readonly<Record<string, unknown>>
    const properties: PropertyChange[] = []
    // Most columns of most new rows have no value.
    for (const attribute of Object.keys(values)) {
      const column = this.columns.get(attribute)
      const value = values[attribute]
      if (!column || isUsual(column, value)) continue
      if (column.isOpen) {
        properties.push(...extraChanges(column, undefined, value))
        continue
      }
      const current = shownValue(column, value)
      if (current !== column.usual) properties.push(propertyChange(column, null, current))
    }
    return this.change(row, EntityChangeType.Created, properties)
  }

  /** A row that was changed since it was loaded. */
  updated(row: T): EntityChange | undefined {
    const properties: PropertyChange[] = []
    for (const attribute of row.changed() || []) {
      const column = this.columns.get(attribute)
      if (!column) continue
      if (column.isOpen) {
        properties.push(...extraChanges(column, row.previous(attribute), row.getDataValue(attribute)))
        continue
      }
      const original = shownValue(column, row.previous(attribute))
      properties.push(propertyChange(column, original, shownValue(column, row.getDataValue(attribute))))
    }
    return properties.length ? this.change(row, EntityChangeType.Updated, properties) : undefined
  }

  /** A row that is deleted; its last values when nothing of it stays. */
  deleted(row: T, stays: boolean): EntityChange | undefined {
    const properties: PropertyChange[] = []
    for (const [attribute, column] of stays ? [] : this.columns) {
      if (column.isOpen) {
        properties.push(...extraChanges(column, row.getDataValue(attribute), undefined))
        continue
      }
      const original = shownValue(column, row.getDataValue(attribute))
      if (original !== null) properties.push(propertyChange(column, original, null))
    }
    return this.change(row, EntityChangeType.Deleted, properties)
  }

  /** A row that was deleted and is back. */
  restored(row: T): EntityChange | undefined {
    const mark = { name: 'IsDeleted', type: 'System.Boolean', original: 'true', current: 'false' }
    return this.change(row, EntityChangeType.Updated, [mark])
  }

  /** Many rows at once, as one entry with their number. Undefined for an entity that is not audited. */
  counted(type: EntityChangeType, count: number): EntityChange | undefined {
    const name = 'Count'
    const properties = [{ name, type: 'System.Int32', original: null, current: String(count) }]
    return this.change({ id: manyRows }, type, properties)
  }

  private change(
    row: { readonly id: string },
    type: EntityChangeType,
    properties: PropertyChange[],
  ): EntityChange | undefined {
    if (this.columns.size === 0) return undefined
    return { table: this.table, entityId: row.id, time: this.now(), type, properties }
  }
}

function propertyChange(
  { name, type }: Pick<AuditedColumn, 'name' | 'type'>,
  original: string | null,
  current: string | null,
): PropertyChange {
  return { name, type, original, current }
}

/** The extra properties that differ, each as a property of its own: `ExtraProperties.CostCentre`. */
function extraChanges({ name }: AuditedColumn, before: unknown, after: unknown): PropertyChange[] {
  const [old, current] = [extrasOf(before), extrasOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(current)])].flatMap((key) => {
    const type = extraType(current[key] ?? old[key])
    const column = { name: `${name}.${key}`.slice(0, longestName), type, isSecret: isSecretName(key) }
    const change = propertyChange(column, shownValue(column, old[key]), shownValue(column, current[key]))
    return isDeepStrictEqual(old[key] ?? null, current[key] ?? null) ? [] : [change]
  })
}

/** Extra properties as an object: ABP's tables hold them as text. */
function extrasOf(value: unknown): Readonly<Record<string, unknown>> {
  const read: unknown = typeof value === 'string' ? JSON.parse(value || '{}') : value
  return (read ?? {}) as Readonly<Record<string, unknown>>
}

function extraType(value: unknown): string {
  const names: Partial<Record<string, string>> = {
    string: 'System.String',
    number: 'System.Decimal',
    boolean: 'System.Boolean',
  }
  return names[typeof value] ?? 'System.Object'
}

/** Found without writing anything: what most columns of a new row hold. */
function isUsual({ usualValue, usual }: AuditedColumn, value: unknown): boolean {
  if (value === usualValue) return true
  if (value === null || value === undefined) return usual === null
  return usual === '{}' && isEmpty(value as object)
}

function isEmpty(value: object): boolean {
  for (const _name in value) return false
  return true
}

function shownValue({ isSecret }: Pick<AuditedColumn, 'isSecret'>, value: unknown): string | null {
  if (value === null || value === undefined) return null
  return isSecret && typeof value !== 'boolean' ? '"***"' : jsonOf(value)
}

function jsonOf(value: unknown): string {
  return maskedJson(value, longestValue, isSecretName)
}
