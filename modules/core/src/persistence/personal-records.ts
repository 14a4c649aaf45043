import { Application, Injectable } from '@keel/framework'
import {
  type ColumnMeta,
  Databases,
  type ErasedValue,
  entityMeta,
  identifier,
  instantSql,
  isPersonalRows,
  join,
  ownFieldsEntity,
  type Person,
  type PersonalFile,
  type PersonalRows,
  raw,
  type Sql,
  sql,
} from '@keel/framework/data'

/** Rows that one statement deletes or changes: no statement takes long. */
const rowsAtOnce = 5000
const alias = raw('t')

/** What the modules of this host keep about persons, and what is done with it. */
@Injectable()
export class PersonalRecords {
  /**
   * The declarations by module: those of a module before those of the modules that it depends on, and the account last. Until then an erasure that was
   * interrupted finds the rest.
   */
  readonly modules: readonly {
    readonly rows: readonly PersonalRows[]
    readonly files: readonly PersonalFile[]
  }[]
  readonly rows: readonly PersonalRows[]
  readonly files: readonly PersonalFile[]

  constructor(
    private readonly application: Application,
    private readonly databases: Databases,
  ) {
    const declared = [...application.modules].reverse().map(({ options }) => {
      const listed = options.personalData ?? []
      const rows = listed.filter(isPersonalRows)
      return {
        rows,
        files: listed.filter((one): one is PersonalFile => !isPersonalRows(one)),
        hasAccount: rows.some(({ isAccount }) => isAccount),
      }
    })
    this.modules = declared.toSorted((one, other) => Number(one.hasAccount) - Number(other.hasAccount))
    this.rows = this.modules.flatMap(({ rows }) => rows)
    this.files = this.modules.flatMap(({ files }) => files)
  }

  /** The permissions that an export asks for, by what they are needed for: a kind of data, or an own field of it. */
  get permissions(): ReadonlyMap<string, string> {
    const kinds = this.rows.flatMap(({ name, permission }): [string, string][] =>
      permission === undefined ? [] : [[name, permission]],
    )
    const fields = this.application.ownFields.all.flatMap((field): [string, string][] =>
      field.permission === undefined ? [] : [[`${field.entity}.${field.name}`, field.permission]],
    )
    return new Map([...kinds, ...fields])
  }

  /** The number of rows about a person; null when nothing links them to a user. */
  async count({ entity, condition }: PersonalRows, person: Person): Promise<number | null> {
    if (!condition) return null
    const [found] = await this.databases.of(entity).query<{ count: number }>(sql`
      select count(*)::int as count from ${tableOf(entity)} t where ${condition(person, alias)}`)
    return found?.count ?? 0
  }

  /** The rows about a person as objects of what an export shows, piece by piece. */
  async *read(
    { entity, condition, exported }: PersonalRows,
    person: Person,
    { omitted, most }: { readonly omitted: ReadonlySet<string>; readonly most: number },
  ): AsyncGenerator<readonly Record<string, unknown>[]> {
    if (!condition || !exported.length) return
    const members = exported.map((column) => sql`${column.attribute}::text, ${shown(column)}`)
    const pieces = this.databases.of(entity).stream(sql`
      select json_build_object(${join(members, ', ')})::text from ${tableOf(entity)} t
      where ${condition(person, alias)} limit ${most}`)
    const hidden = this.hiddenFields(entity, omitted)
    for await (const rows of pieces)
      yield rows.map(([json]) => readable(exported, JSON.parse(json ?? '{}'), hidden))
  }

  /** Deletes or changes the rows about a person, in the unit of work at hand. Idempotent. */
  async erase({ entity, condition, erasure }: PersonalRows, person: Person): Promise<void> {
    if (!condition || erasure.outcome === 'Kept') return
    const table = tableOf(entity)
    const about = condition(person, alias)
    const some = (rows: Sql): Sql =>
      sql`t.ctid = any(array(select t.ctid from ${table} t where ${rows} limit ${rowsAtOnce}))`
    const statement =
      erasure.outcome === 'Deleted'
        ? sql`delete from ${table} t where ${some(about)}`
        : sql`
            update ${table} t set ${assigned(erasure.values, person)}
            where ${some(sql`${about} and (${differing(erasure.values, person)})`)}`
    while ((await this.databases.of(entity).execute(statement)) > 0);
  }

  private hiddenFields(entity: PersonalRows['entity'], omitted: ReadonlySet<string>): ReadonlySet<string> {
    const { modules, ownFields } = this.application
    return new Set(
      ownFields.all
        .filter(
          (field) =>
            ownFieldsEntity(modules, field.entity) === entity && omitted.has(`${field.entity}.${field.name}`),
        )
        .map(({ name }) => name),
    )
  }
}

function tableOf(entity: PersonalRows['entity']): Sql {
  return identifier(entityMeta(entity).table)
}

/** A column as JSON: instants in UTC as everywhere, bytes as hexadecimal digits. */
function shown({ column, type }: ColumnMeta): Sql {
  const reference = `t.${textOfName(column)}`
  const key = typeof type === 'string' ? type.toUpperCase() : ((type as { readonly key?: string }).key ?? '')
  if (key === 'TIMESTAMP') return raw(instantSql(reference))
  if (key === 'DATE') return raw(instantSql(reference, `(${reference} at time zone 'utc')`))
  return raw(key === 'BLOB' ? `encode(${reference}, 'hex')` : reference)
}

function textOfName(column: string): string {
  return `"${column.replaceAll('"', '""')}"`
}

/** A row as people read it: members of enumerations by name, JSON that is kept as text as what it is. */
function readable(
  exported: readonly ColumnMeta[],
  row: Record<string, unknown>,
  hidden: ReadonlySet<string>,
): Record<string, unknown> {
  for (const { attribute, enumeration } of exported) {
    const members = Object.values(enumeration ?? {})[0]
    const member = members && Object.entries(members).find(([, value]) => value === row[attribute])?.[0]
    if (member !== undefined) row[attribute] = member
    if (attribute === 'extraProperties') row[attribute] = withoutFields(row[attribute], hidden)
  }
  return row
}

function withoutFields(value: unknown, hidden: ReadonlySet<string>): Record<string, unknown> {
  const properties = (typeof value === 'string' ? JSON.parse(value || '{}') : (value ?? {})) as Record<
    string,
    unknown
  >
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !hidden.has(name)))
}

type ErasedColumns = readonly (readonly [ColumnMeta, ErasedValue])[]

const erasedValue = (value: ErasedValue, person: Person) =>
  typeof value === 'function' ? value(person) : value

function assigned(values: ErasedColumns, person: Person): Sql {
  return join(
    values.map(([{ column }, value]) => sql`${identifier(column)} = ${erasedValue(value, person)}`),
    ', ',
  )
}

function differing(values: ErasedColumns, person: Person): Sql {
  return join(
    values.map(
      ([{ column }, value]) => sql`t.${identifier(column)} is distinct from ${erasedValue(value, person)}`,
    ),
    ' or ',
  )
}
