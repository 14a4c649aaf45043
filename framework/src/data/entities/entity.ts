import { type AbstractDataType, type DataTypeAbstract, Op } from 'sequelize'
import {
  BelongsTo,
  BelongsToMany,
  DataType,
  DefaultScope,
  HasMany,
  HasOne,
  Model,
  Scopes,
  Column as SequelizeColumn,
  Table,
} from 'sequelize-typescript'
import type { AnyEto } from '../../contracts/events.js'
import { pascalCase } from '../../contracts/routes.js'
import type { Class, Constructor } from '../../modularity/class.js'
import type { RowRule } from './row-rule.js'

/** The type of a column. */
export type ColumnType = AbstractDataType | DataTypeAbstract | string

/** A column of an entity. */
export interface ColumnMeta {
  /** camelCase name in code. */
  readonly attribute: string
  /** PascalCase name in the database. */
  readonly column: string
  readonly type: ColumnType
  readonly nullable: boolean
  readonly primaryKey: boolean
  readonly defaultValue: unknown
  /** The entity whose id it holds, in the same database. */
  readonly references: (() => EntityClass) | undefined
  /** The values that a referenced row must have, by their attributes. */
  readonly referencesOnly?: Readonly<Record<string, string>>
  /** False where the database does not check that; else the key of another entity that it does check. */
  readonly foreignKey?: false | ForeignKeyTarget
  /** The effect of deleting the referenced row: deletes this row, or is refused. */
  readonly onDelete: 'cascade' | 'no action'
  /** The default of the database alone, in SQL. */
  readonly databaseDefault?: string
  /** The enumeration whose numbers, or names where it is text, it holds: its name and its members. */
  readonly enumeration: Enumeration | undefined
  /** True when it holds any number of members at a time. */
  readonly flags?: true
  /** Of a value inside of {@link column}: the SQL that reads it from a reference to the column. */
  readonly expression?: (reference: string) => string
}

/** The value of a column of the row that is known by an alias, as SQL. */
export function columnSql({ column, expression }: ColumnMeta, alias: string): string {
  const reference = `${alias}."${column}"`
  return expression ? expression(reference) : reference
}

/** An enumeration with its name: `{ ShipmentStatus }`. */
export type Enumeration = Readonly<Record<string, Readonly<Record<string, string | number>>>>

/**
 * An index of an entity: attributes, and a condition in SQL for a partial one.
 * @example { attributes: [{ sql: 'lower("Email")' }], name: 'LowerEmail', unique: true, include: ['userName'] }
 * @example { attributes: [{ attribute: 'creationTime', order: 'desc' }, 'id'], where: '"IsDeleted" = false' }
 */
export interface IndexMeta {
  /** The sort keys: attributes, or expressions in SQL over columns. */
  readonly attributes: readonly (string | OrderedAttribute | IndexExpression)[]
  /** The end of its name, instead of its columns; an index with an expression needs one. */
  readonly name?: string
  /** Attributes that it carries beside, for reads that then need not look at the table. */
  readonly include?: readonly string[]
  /** Another kind than a B-tree, for what that can't find. */
  readonly method?: 'gin' | 'gist' | 'brin' | 'hash'
  readonly unique?: boolean
  /** Of a unique index: rows that have null in the same columns are alike too. */
  readonly nullsNotDistinct?: boolean
  readonly where?: string
  /** The extension of PostgreSQL whose operators it uses. The index does not exist in databases without the extension. */
  readonly extension?: string
}

/** An attribute that an index is sorted by in another way than usual. */
export interface OrderedAttribute {
  readonly attribute: string
  /** Direction or operator class in SQL: `desc`, `text_pattern_ops`. */
  readonly order: string
}

/** An SQL expression over the columns of a table that an index is sorted by. */
export interface IndexExpression {
  readonly sql: string
  /** Direction or operator class in SQL, where it is not the usual one. */
  readonly order?: string
}

/**
 * An index for searches of a part of a text, in whichever case, in any of some attributes. Without the extension `pg_trgm` it does not exist, and
 * such searches read all rows.
 * @example indexes: [textSearchIndex('fullName')]
 */
export function textSearchIndex(...attributes: readonly string[]): IndexMeta {
  return {
    attributes: attributes.map((attribute) => ({ attribute, order: 'gin_trgm_ops' })),
    method: 'gin',
    extension: 'pg_trgm',
  }
}

/** The unique attribute of another entity that a foreign key refers to. */
export interface ForeignKeyTarget {
  readonly entity: () => EntityClass
  readonly attribute: string
}

/** The options of {@link Entity}. */
export interface EntityOptions {
  /** The row rules, applied to every read. */
  readonly rules?: readonly RowRule[]
  /**
   * The table carries the change trigger: what is cached of it stays true in every process. Updates that set none but the columns of
   * `except` are not told: nothing is cached of these, and they change too often. With `'deletes'` only rows that go are told: enough for
   * who caches that a row is there.
   */
  readonly watched?: boolean | 'deletes' | { readonly except: readonly string[] }
  /**
   * How DTOs show a row of it that another row refers to. `held`: from a copy of the whole table in each process, which is the fastest for
   * code lists; the table must be watched. `joined`: from the table, in the statement that reads the other row. A held table that has more
   * rows than `Database:MaxHeldRows` is joined too. `held` when not given. Answers are the same.
   */
  readonly referred?: 'held' | 'joined'
  /** Tells other modules and processes of every row that is created, updated and deleted: what their events say of it. */
  readonly events?: AnyEto
  readonly indexes?: readonly IndexMeta[]
  /**
   * The check constraints: from the end of its name (`Quantity` for `CK_Table_Quantity`) to the condition in
   * SQL.
   */
  readonly checks?: Readonly<Record<string, string>>
  /** From the name of a unique index, or of an exclusion constraint in a schema script, to the error code it means when a write breaks it. */
  readonly conflicts?: Readonly<Record<string, string>>
  /** True has `ExtraProperties` hold own fields where the column is text, as in ABP's tables. A column with `jsonb` holds them anyway. */
  readonly ownFields?: boolean
}

/** Everything the framework knows of an entity. */
export interface EntityMeta {
  readonly name: string
  readonly table: string
  readonly columns: ReadonlyMap<string, ColumnMeta>
  readonly rules: readonly RowRule[]
  readonly watched: boolean
  /** Of a table that is not watched: it tells of rows that go. */
  readonly tellsDeletes: boolean
  /** Attributes of a watched table whose updates are not told. */
  readonly unwatched: readonly string[]
  readonly referred: 'held' | 'joined'
  readonly events: AnyEto | undefined
  readonly indexes: readonly IndexMeta[]
  readonly checks: Readonly<Record<string, string>>
  readonly conflicts: Readonly<Record<string, string>>
  /** Rows can have own fields, in `ExtraProperties`. */
  readonly ownFields: boolean
  /** Deleted rows stay and are never seen. */
  readonly softDelete: boolean
}

/** A class of rows. */
// biome-ignore lint/suspicious/noExplicitAny: models of all attributes
export type EntityClass<T extends Model = Model<any, any>> = Constructor<T>

const columns = new WeakMap<object, Map<string, ColumnMeta>>()
const entities = new WeakMap<object, { table: string; options: EntityOptions }>()
const metas = new WeakMap<object, EntityMeta>()

/** Makes a class the rows of a table. */
export function Entity(table: string, options: EntityOptions = {}) {
  return (target: EntityClass): void => {
    entities.set(target, { table, options })
    // biome-ignore lint/suspicious/noExplicitAny: sequelize-typescript asks for its own model type
    Table({ tableName: table, timestamps: false, modelName: target.name })(target as any)
  }
}

/** The options of a column beside its type. */
export interface ColumnOptions {
  readonly primaryKey?: boolean
  readonly defaultValue?: unknown
  /** The entity of the same database whose id the column holds; the DTO's field of that name without `Id` shows it. */
  readonly references?: () => EntityClass
  /**
   * The values that a referenced row must have, by their attributes: services with `checksReferences` refuse other rows.
   * @example { references: () => CodeEntity, referencesOnly: { type: 'TransportMode' } }
   */
  readonly referencesOnly?: Readonly<Record<string, string>>
  /**
   * False where the database does not check the reference, which costs more than to write the row: only for rows that one writer adds with
   * the one they refer to, in one transaction, and whoever deletes that deletes them too. For a column that holds a code instead of an id:
   * the entity and the attribute that the database checks it against.
   */
  readonly foreignKey?: false | ForeignKeyTarget
  /**
   * The effect of deleting the referenced row. A row that requires it is deleted too, and an optional
   * reference refuses the delete, unless this says else.
   */
  readonly onDelete?: 'cascade' | 'no action'
  /** A default that the database alone sets, in SQL, e.g. `now()`. */
  readonly databaseDefault?: string
  /** The enumeration whose numbers, or names where it is text, the column holds, in braces: `{ ShipmentStatus }`. */
  readonly enumeration?: Enumeration
  /**
   * True when the column holds any number of the enumeration's members at a time: the sum of their numbers,
   * each a power of two.
   */
  readonly flags?: true
}

/** A column that always has a value. Its name in the database is the attribute's in PascalCase. */
export function Column(type: ColumnType, options: ColumnOptions = {}) {
  return (prototype: object, attribute: string): void => define(prototype, attribute, type, false, options)
}

/** A column that may be null. */
export function OptionalColumn(type: ColumnType, options: ColumnOptions = {}) {
  return (prototype: object, attribute: string): void => define(prototype, attribute, type, true, options)
}

function define(
  prototype: object,
  attribute: string,
  type: ColumnType,
  nullable: boolean,
  options: ColumnOptions,
): void {
  const column = pascalCase(attribute)
  const own = columns.get(prototype) ?? new Map<string, ColumnMeta>()
  columns.set(prototype, own)
  const {
    primaryKey = false,
    defaultValue,
    references,
    referencesOnly,
    foreignKey,
    enumeration,
    flags,
  } = options
  const { onDelete = nullable ? 'no action' : 'cascade', databaseDefault } = options
  own.set(attribute, {
    attribute,
    column,
    type,
    nullable,
    primaryKey,
    defaultValue,
    references,
    ...(referencesOnly && { referencesOnly }),
    ...(foreignKey !== undefined && { foreignKey }),
    onDelete,
    ...(databaseDefault !== undefined && { databaseDefault }),
    enumeration,
    ...(flags && { flags }),
  })
  SequelizeColumn({
    type: type as never,
    field: column,
    allowNull: nullable,
    primaryKey,
    ...(defaultValue !== undefined && { defaultValue }),
  })(prototype, attribute)
}

/** The metadata of an entity. Throws when the class has no {@link Entity}. */
export function entityMeta(entity: Class): EntityMeta {
  const known = metas.get(entity)
  if (known) return known
  const declared = entities.get(entity)
  if (!declared) throw new Error(`${entity.name} is listed as an entity but has no @Entity('Table')`)
  const all = new Map<string, ColumnMeta>()
  for (const prototype of lineage(entity.prototype as object))
    for (const [name, column] of columns.get(prototype) ?? []) all.set(name, column)
  const {
    rules = [],
    watched = false,
    referred = 'held',
    events,
    indexes = [],
    checks = {},
    conflicts = {},
    ownFields = false,
  } = declared.options
  const extras = all.get('extraProperties')
  const meta = {
    name: entity.name,
    table: declared.table,
    columns: all,
    rules,
    watched: watched !== false && watched !== 'deletes',
    tellsDeletes: watched === 'deletes',
    unwatched: typeof watched === 'object' ? watched.except : [],
    referred,
    events,
    indexes,
    checks,
    conflicts,
    ownFields: extras !== undefined && (ownFields || isJsonb(extras.type)),
    softDelete: all.has('isDeleted'),
  }
  metas.set(entity, meta)
  return meta
}

function isJsonb(type: ColumnType): boolean {
  const key = typeof type === 'string' ? type : (type as { readonly key?: string }).key
  return key?.toUpperCase() === 'JSONB'
}

function lineage(prototype: object): object[] {
  const parent = Object.getPrototypeOf(prototype) as object | null
  return parent ? [...lineage(parent), prototype] : [prototype]
}

export { BelongsTo, BelongsToMany, DataType, DefaultScope, HasMany, HasOne, Op, Scopes }
