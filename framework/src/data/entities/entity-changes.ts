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

/** Who and when stand in the log itself; stamps and marks tell nobody anything. */
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
  /** What a new row has when nobody said anything, */
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
      const original = shownValue(column, row.previous(attribute))
      properties.push(propertyChange(column, original, shownValue(column, row.getDataValue(attribute))))
    }
    return properties.length ? this.change(row, EntityChangeType.Updated, properties) : undefined
  }

  /** A row that is deleted; its last values when nothing of it stays. */
  deleted(row: T, stays: boolean): EntityChange | undefined {
    const properties: PropertyChange[] = []
    for (const [attribute, column] of stays ? [] : this.columns) {
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
  { name, type }: AuditedColumn,
  original: string | null,
  current: string | null,
): PropertyChange {
  return { name, type, original, current }
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

function shownValue({ isSecret }: AuditedColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  return isSecret && typeof value !== 'boolean' ? '"***"' : jsonOf(value)
}

function jsonOf(value: unknown): string {
  return maskedJson(value, longestValue, isSecretName)
}
