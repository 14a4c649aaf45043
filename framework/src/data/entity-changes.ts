import { type EntityChange, EntityChangeType, type PropertyChange } from '../auditing/audit-log.js'
import { isAudited } from '../auditing/audited.js'
import { maskedJson } from '../auditing/masked-json.js'
import { isSecretName } from '../modularity/logging.js'
import { type EntityClass, entityMeta } from './entity.js'
import type { BaseEntity } from './entity-bases.js'
import { typeKey } from './query/text-columns.js'

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
  readonly attribute: string
  readonly name: string
  readonly type: string
  readonly isSecret: boolean
  /** What a new row has when nobody said anything. */
  readonly usual: string | null
}

/** Tells the audit log of the rows of an entity. */
export class EntityChanges<T extends BaseEntity> {
  private readonly table: string
  private readonly columns: readonly AuditedColumn[]

  constructor(
    entity: EntityClass<T>,
    private readonly now: () => Date,
  ) {
    const { table, columns } = entityMeta(entity)
    this.table = table
    this.columns = [...columns.values()]
      .filter(({ attribute }) => !bookkeeping.has(attribute) && isAudited(entity, attribute))
      .map((column) => ({
        attribute: column.attribute,
        name: column.column,
        type: typeNames[typeKey(column)] ?? 'System.String',
        isSecret: isSecretName(column.attribute),
        usual: column.defaultValue === undefined ? null : jsonOf(column.defaultValue),
      }))
  }

  /** A new row: what differs from a row that nobody filled. Undefined for an entity that is not audited. */
  created(row: T): EntityChange | undefined {
    const values = row.dataValues as Readonly<Record<string, unknown>>
    return this.change(row, EntityChangeType.Created, (column) => {
      const value = values[column.attribute]
      // Most columns of most new rows.
      if ((value === null || value === undefined) && column.usual === null) return undefined
      const current = shownValue(column, value)
      return current === column.usual ? undefined : { original: null, current }
    })
  }

  /** A row that was changed since it was loaded. */
  updated(row: T): EntityChange | undefined {
    const changed = new Set(row.changed() || [])
    return this.change(row, EntityChangeType.Updated, (column) =>
      changed.has(column.attribute)
        ? {
            original: shownValue(column, row.previous(column.attribute)),
            current: shownValue(column, row.getDataValue(column.attribute)),
          }
        : undefined,
    )
  }

  /** A row that is deleted; its last values when nothing of it stays. */
  deleted(row: T, stays: boolean): EntityChange | undefined {
    return this.change(row, EntityChangeType.Deleted, (column) => {
      const original = stays ? null : shownValue(column, row.getDataValue(column.attribute))
      return original === null ? undefined : { original, current: null }
    })
  }

  private change(
    row: T,
    type: EntityChangeType,
    look: (column: AuditedColumn) => Pick<PropertyChange, 'original' | 'current'> | undefined,
  ): EntityChange | undefined {
    if (this.columns.length === 0) return undefined
    const properties: PropertyChange[] = []
    for (const column of this.columns) {
      const values = look(column)
      if (!values) continue
      const { original, current } = values
      properties.push({ name: column.name, type: column.type, original, current })
    }
    if (type === EntityChangeType.Updated && properties.length === 0) return undefined
    return { table: this.table, entityId: row.id, time: this.now(), type, properties }
  }
}

function shownValue({ isSecret }: AuditedColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  return isSecret && typeof value !== 'boolean' ? '"***"' : jsonOf(value)
}

function jsonOf(value: unknown): string {
  return maskedJson(value, longestValue, isSecretName)
}
