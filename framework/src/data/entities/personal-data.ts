import type { SettingDefinition } from '../../contracts/settings.js'
import type { ListedPersonalData } from '../../modularity/loaded-module.js'
import { identifier, join, type Sql, sql } from '../wire/sql.js'
import { type ColumnMeta, type EntityClass, entityMeta } from './entity.js'
import type { AttributeOf } from './entity-set.js'
import { typeKey } from './text-columns.js'

/** A person whose data is exported or erased. */
export interface Person {
  /** Of the user. */
  readonly id: string
  /** In lower case, and only when it is confirmed: anybody can type the address of another person. */
  readonly email: string | undefined
}

/** Why rows about a person stay as they are. Each has a text `PersonalData:Kept:<reason>`. */
export type KeptReason = 'Accountability' | 'Business' | 'ShortLived'

/** The value that a column gets when a person is erased. The same each time, so that an erasure can be repeated. */
export type ErasedValue = string | number | boolean | null | ((person: Person) => string)

/** What becomes of rows when their person is erased. */
export type Erasure =
  | { readonly outcome: 'Deleted' }
  | { readonly outcome: 'Pseudonymized'; readonly values: readonly (readonly [ColumnMeta, ErasedValue])[] }
  | { readonly outcome: 'Kept'; readonly reason: KeptReason }

/** For how long rows are kept, whatever becomes of their person. */
export interface Retention {
  /** The column that the age of a row is counted from. */
  readonly time: ColumnMeta
  /** A setting of days; 0 keeps the rows for ever. */
  readonly days: SettingDefinition
}

/** What a module keeps about persons in a table. */
export interface PersonalRows extends ListedPersonalData {
  readonly entity: EntityClass
  /** The rows about a person, as a condition on the row with an alias; undefined when nothing links the rows to users. */
  readonly condition: ((person: Person, alias: Sql) => Sql) | undefined
  /** Empty for rows that are not exported. */
  readonly exported: readonly ColumnMeta[]
  /** The attributes that the declaration speaks about, exported or not. */
  readonly attributes: ReadonlySet<string>
  /** The permission without which an export leaves these rows out. */
  readonly permission: string | undefined
  /** True for the account of the person. */
  readonly isAccount: boolean
  readonly erasure: Erasure
  /** Undefined for rows that stay, or that the module deletes by itself. */
  readonly retention: Retention | undefined
}

/** A file that a module keeps about a person in the blob store. Erasing deletes it. */
export interface PersonalFile extends ListedPersonalData {
  readonly blobOf: (person: Person) => string
  /** The extension of the exported file, e.g. `png`. @param head its first 64 bytes */
  readonly extensionOf: (head: Uint8Array) => string
}

/** The options of {@link personalRows}. */
export interface PersonalRowsOptions<E extends EntityClass> {
  /** The name of the file in the archive, in kebab case. Its text is `PersonalData:<name>`. */
  readonly name: string
  /** The attributes that hold the id of the person. A row is about the person when one of them does. */
  readonly of?: readonly AttributeOf<E>[]
  /** Other rows about the person, as a condition; instead of `of`. */
  readonly where?: (person: Person, alias: Sql) => Sql
  /** What an export shows of a row. */
  readonly exported?: readonly AttributeOf<E>[]
  /** What an export never shows: hashes, secrets, and what says nothing of the person. */
  readonly withheld?: readonly AttributeOf<E>[]
  /** The permission without which an export leaves these rows out. */
  readonly permission?: string
  /**
   * True for the account of the person, which has the address that rows of other modules are found by: its module is erased behind all others, whatever
   * their order.
   */
  readonly isAccount?: boolean
  /** Rows are deleted that are older than a setting of days, listed in `settings` of the module; 0 keeps them. */
  readonly retention?: { readonly time: AttributeOf<E>; readonly days: SettingDefinition }
  /** `delete`, the values that the columns get, or why the rows stay. */
  readonly erasure: 'delete' | Readonly<Partial<Record<AttributeOf<E>, ErasedValue>>> | KeptReason
}

/**
 * Declares what a module keeps about persons in a table: how rows are found, what an export shows of them, and what happens when the person
 * is erased. Listed in `personalData` of the module. A test fails for tables with ids of users that no declaration speaks about, save for
 * `creatorId`, `lastModifierId` and `deleterId`: these stay with every row, and lead to nobody once the user is pseudonymized.
 * @example
 * personalRows(Notification, { name: 'notifications', of: ['userId'], exported: ['title', 'creationTime'], erasure: 'delete' })
 */
export function personalRows<E extends EntityClass>(
  entity: E,
  {
    name,
    of = [],
    where,
    exported = [],
    withheld = [],
    permission,
    isAccount = false,
    retention,
    erasure,
  }: PersonalRowsOptions<E>,
): PersonalRows {
  const { columns } = entityMeta(entity)
  const columnOf = (attribute: string): ColumnMeta => {
    const column = columns.get(attribute)
    if (!column) throw new Error(`The personal data ${name}: ${entity.name} has no ${attribute}`)
    return column
  }
  const links = of.map(columnOf)
  const shown = exported.map(columnOf)
  const values = Object.entries(typeof erasure === 'object' ? erasure : {}) as [string, ErasedValue][]
  return {
    name,
    entity,
    condition: where ?? (links.length ? (person, alias) => linked(links, person, alias) : undefined),
    exported: shown,
    attributes: new Set<string>(
      [...of, ...exported, ...withheld, ...values.map(([attribute]) => attribute)].map(
        (one) => columnOf(one).attribute,
      ),
    ),
    permission,
    isAccount,
    retention: retention && { time: columnOf(retention.time), days: retention.days },
    erasure: erasureOf(
      erasure,
      values.map(([attribute, value]) => [columnOf(attribute), value] as const),
    ),
  }
}

function erasureOf(
  erasure: 'delete' | object | KeptReason,
  values: readonly (readonly [ColumnMeta, ErasedValue])[],
): Erasure {
  if (erasure === 'delete') return { outcome: 'Deleted' }
  return typeof erasure === 'string'
    ? { outcome: 'Kept', reason: erasure as KeptReason }
    : { outcome: 'Pseudonymized', values }
}

function linked(links: readonly ColumnMeta[], { id }: Person, alias: Sql): Sql {
  const conditions = links.map((column) => {
    const value = typeKey(column) === 'UUID' ? sql`${id}::uuid` : sql`${id}`
    return sql`${alias}.${identifier(column.column)} = ${value}`
  })
  return sql`(${join(conditions, ' or ')})`
}

/**
 * Declares a file about a person in the blob store, for `personalData` of a module.
 * @example personalFile({ name: 'profile-picture', blobOf: ({ id }) => `account/profile-pictures/${id}`, extensionOf })
 */
export function personalFile(file: PersonalFile): PersonalFile {
  return file
}

/** True for a declaration of rows. */
export function isPersonalRows(listed: ListedPersonalData): listed is PersonalRows {
  return 'entity' in listed
}

/** The name that stands for an erased person. It says no more than the id, which stays with what is kept. */
export function erasedName({ id }: Person): string {
  return `erased-${id}`
}
