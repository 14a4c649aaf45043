import {
  type ColumnMeta,
  type ColumnType,
  type EntityClass,
  type EntityMeta,
  entityMeta,
  type IndexExpression,
  type IndexMeta,
  type OrderedAttribute,
} from '../entities/entity.js'
import { quote } from '../wire/sql.js'

/** The schema that a set of entities asks for, in plain data: what is stored beside migrations and compared with the model. */
export interface ModelSnapshot {
  /** By name. */
  readonly tables: readonly TableSnapshot[]
}

/** A table with everything that hangs on it. */
export interface TableSnapshot {
  readonly name: string
  readonly columns: readonly ColumnSnapshot[]
  readonly primaryKey: KeySnapshot
  readonly foreignKeys: readonly ForeignKeySnapshot[]
  readonly indexes: readonly IndexSnapshot[]
  readonly checks?: readonly CheckSnapshot[]
  /** The table carries the trigger that announces its changes. */
  readonly watched: boolean
  /** The columns whose updates are announced; all of them where this is not given. */
  readonly watchedColumns?: readonly string[]
  /** The trigger announces deleted rows alone. */
  readonly tellsDeletes?: boolean
  /** The trigger fires for `truncate` too and in every `session_replication_role`; not so in snapshots of earlier releases. */
  readonly tellsAlways?: boolean
}

/** A column of a table. */
export interface ColumnSnapshot {
  readonly name: string
  /** As PostgreSQL writes it, e.g. `varchar(256)`. */
  readonly type: string
  readonly nullable: boolean
  /** An SQL expression. */
  readonly default?: string
}

/** A primary key; its columns in order. */
export interface KeySnapshot {
  readonly name: string
  readonly columns: readonly string[]
}

/** A column that points at a row of another table. */
export interface ForeignKeySnapshot {
  readonly name: string
  readonly column: string
  readonly principalTable: string
  readonly principalColumn: string
  /** The model asks for the first two; a database that others made may have any. */
  readonly onDelete: 'cascade' | 'no action' | 'restrict' | 'set null' | 'set default'
}

/** An index that is not the primary key; its columns in order. */
export interface IndexSnapshot {
  readonly name: string
  readonly columns: readonly (string | IndexExpression)[]
  readonly unique: boolean
  /** Columns that it carries beside. */
  readonly include?: readonly string[]
  /** Another kind than a B-tree. */
  readonly method?: string
  /** Nulls are equal to each other. */
  readonly nullsNotDistinct?: boolean
  /** An SQL condition: the index is partial. */
  readonly where?: string
  /** The index is made only in databases that have this extension. */
  readonly extension?: string
}

/** A condition that every row keeps. */
export interface CheckSnapshot {
  readonly name: string
  /** In SQL. */
  readonly condition: string
}

/** The schema that entities of one database ask for. Throws when one can't be expressed; the message names it. */
export function modelSnapshot(entities: readonly EntityClass[]): ModelSnapshot {
  const metas = entities.map(entityMeta)
  refuseRepeats(metas.map(({ table, name }) => [table, name]))
  const tables = metas.map(tableSnapshot).sort((a, b) => (a.name < b.name ? -1 : 1))
  // PostgreSQL keeps the names of all indexes of a schema together.
  refuseRepeats(tables.flatMap(({ name, indexes }) => indexes.map((index) => [index.name, name])))
  return { tables }
}

function refuseRepeats(owners: readonly (readonly [name: string, owner: string])[]): void {
  const known = new Map<string, string>()
  for (const [name, owner] of owners) {
    const other = known.get(name)
    if (other !== undefined) throw new Error(`${name} is asked for twice: by ${other} and by ${owner}`)
    known.set(name, owner)
  }
}

function tableSnapshot(meta: EntityMeta): TableSnapshot {
  const columns = [...meta.columns.values()]
  const keys = columns.filter(({ primaryKey }) => primaryKey).map(({ column }) => column)
  if (keys.length === 0) throw new Error(`${meta.name} has no column with primaryKey`)
  const checks = Object.entries(meta.checks).map(([name, condition]) => ({
    name: identifierOf('CK', meta.table, name),
    condition,
  }))
  return {
    name: meta.table,
    columns: columns.map((column) => columnSnapshot(meta, column)),
    primaryKey: { name: identifierOf('PK', meta.table), columns: keys },
    foreignKeys: columns.flatMap((column) => foreignKey(meta, column) ?? []),
    indexes: meta.indexes.map((index) => indexSnapshot(meta, index)),
    ...(checks.length > 0 && { checks }),
    watched: meta.watched,
    ...(meta.tellsDeletes && { tellsDeletes: true }),
    ...(meta.unwatched.length > 0 && { watchedColumns: watchedColumns(meta) }),
    ...((meta.watched || meta.tellsDeletes) && { tellsAlways: true }),
  }
}

function watchedColumns(meta: EntityMeta): string[] {
  for (const attribute of meta.unwatched)
    if (!meta.columns.has(attribute))
      throw new Error(`${meta.name} is watched except ${attribute}, which is not one of its columns`)
  return [...meta.columns.values()]
    .filter(({ attribute }) => !meta.unwatched.includes(attribute))
    .map(({ column }) => column)
}

function columnSnapshot(meta: EntityMeta, column: ColumnMeta): ColumnSnapshot {
  const where = `${meta.table}.${column.column}`
  const type = sqlType(column.type, where)
  const defaultSql = column.databaseDefault ?? sqlDefault(column.defaultValue, where, type)
  return {
    name: column.column,
    type,
    // A key column has a value, whatever its declaration says.
    nullable: column.nullable && !column.primaryKey,
    ...(defaultSql !== undefined && { default: defaultSql }),
  }
}

function foreignKey(
  meta: EntityMeta,
  { column, references, foreignKey, onDelete }: ColumnMeta,
): ForeignKeySnapshot | undefined {
  const entity = foreignKey === false ? undefined : (foreignKey?.entity ?? references)
  if (!entity) return undefined
  const principal = entityMeta(entity())
  const keys = [...principal.columns.values()].filter(({ primaryKey, attribute }) =>
    foreignKey ? attribute === foreignKey.attribute : primaryKey,
  )
  if (keys.length !== 1)
    throw new Error(
      `${meta.table}.${column} references ${principal.table}, which has ${keys.length} key columns instead of one`,
    )
  return {
    name: identifierOf('FK', meta.table, principal.table, column),
    column,
    principalTable: principal.table,
    principalColumn: (keys[0] as ColumnMeta).column,
    onDelete,
  }
}

function indexSnapshot(meta: EntityMeta, index: IndexMeta): IndexSnapshot {
  const { attributes, name, include, method, unique = false, nullsNotDistinct, where, extension } = index
  const named = attributes.flatMap((key) => attributeOf(key) ?? [])
  if (named.length < attributes.length && name === undefined)
    throw new Error(`An index of ${meta.name} is sorted by an expression: give it a name`)
  const end = name === undefined ? named.map((attribute) => indexColumn(meta, attribute)) : [name]
  return {
    name: identifierOf('IX', meta.table, ...end),
    columns: attributes.map((key) => indexKey(meta, key)),
    unique,
    ...(include && { include: include.map((attribute) => indexColumn(meta, attribute)) }),
    ...(method && { method }),
    ...(nullsNotDistinct && { nullsNotDistinct }),
    ...(where !== undefined && { where }),
    ...(extension !== undefined && { extension }),
  }
}

/** The attribute that an index is sorted by; undefined for an expression. */
function attributeOf(key: IndexMeta['attributes'][number]): string | undefined {
  if (typeof key === 'string') return key
  return 'attribute' in key ? key.attribute : undefined
}

function indexKey(
  meta: EntityMeta,
  key: string | OrderedAttribute | IndexExpression,
): string | IndexExpression {
  if (typeof key === 'string') return indexColumn(meta, key)
  return 'attribute' in key ? { sql: quote(indexColumn(meta, key.attribute)), order: key.order } : key
}

function indexColumn(meta: EntityMeta, attribute: string): string {
  const column = meta.columns.get(attribute)
  if (!column) throw new Error(`An index of ${meta.name} names ${attribute}, which is not one of its columns`)
  return column.column
}

/** PostgreSQL cuts names at 63 bytes; EF Core shortens them itself and marks the cut, and so do we. */
function identifierOf(...parts: readonly string[]): string {
  const name = parts.join('_')
  return name.length > 63 ? `${name.slice(0, 62)}~` : name
}

/** Sequelize's types by key. Those with a size read it from the type. */
const sqlTypes: Readonly<Record<string, (type: SequelizeType) => string>> = {
  UUID: () => 'uuid',
  STRING: ({ _length }) => `varchar(${_length || 255})`,
  CHAR: ({ _length }) => `char(${_length || 255})`,
  TEXT: () => 'text',
  CITEXT: () => 'citext',
  BOOLEAN: () => 'boolean',
  SMALLINT: () => 'smallint',
  INTEGER: () => 'integer',
  BIGINT: () => 'bigint',
  REAL: () => 'real',
  'DOUBLE PRECISION': () => 'double precision',
  DECIMAL: ({ _precision, _scale }) =>
    _precision === undefined ? 'numeric' : `numeric(${_precision},${_scale ?? 0})`,
  DATE: () => 'timestamp with time zone',
  DATEONLY: () => 'date',
  TIME: () => 'time without time zone',
  JSON: () => 'json',
  JSONB: () => 'jsonb',
  BLOB: () => 'bytea',
}

/** Types that are given as text, under the name PostgreSQL shows them by. */
const textAliases: Readonly<Record<string, string>> = {
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
}

/** The members of Sequelize's types, the same in all releases of version 6. */
interface SequelizeType {
  readonly key: string
  readonly _length?: number
  readonly _precision?: number
  readonly _scale?: number
  readonly type?: ColumnType
}

/** The PostgreSQL type of a column. `where` is said when there is none. */
export function sqlType(type: ColumnType, where: string): string {
  if (typeof type === 'string') {
    const text = type.toLowerCase()
    return textAliases[text] ?? text
  }
  // A type without parentheses is the class itself, whose key is static.
  const sized = type as unknown as SequelizeType
  if (sized.key === 'ARRAY' && sized.type) return `${sqlType(sized.type, where)}[]`
  const write = sqlTypes[sized.key]
  if (!write)
    throw new Error(
      `${where} has the type ${sized.key}, for which no PostgreSQL type is known: give the type as text`,
    )
  return write(sized)
}

/** The default of a column as SQL; undefined without one, and for a function, which makes the value in the program. */
export function sqlDefault(value: unknown, where: string, type = ''): string | undefined {
  if (value === undefined || value === null || typeof value === 'function') return undefined
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return String(value)
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value) && value.length === 0 && type.endsWith('[]')) return literal('{}')
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
    return literal(JSON.stringify(value))
  throw new Error(
    `${where} has a default that PostgreSQL can't express: give a plain value, or a function to make it in the program`,
  )
}

/** A text as an SQL literal. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
