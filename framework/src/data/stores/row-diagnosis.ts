import type { Database } from '../connections/database.js'
import type { ColumnMeta, EntityMeta } from '../entities/entity.js'
import { identifier, join, quote, raw, type Sql, sql } from '../wire/sql.js'
import { mostRowFaults, type RowFault, rowFault } from './rows-refused.js'
import { alreadyExists, memberOf } from './write-errors.js'

/** A unique index as PostgreSQL describes it. */
interface UniqueIndex {
  readonly name: string
  readonly isPrimary: boolean
  /** True when nulls are equal. */
  readonly nullsAlike: boolean
  readonly condition: string | null
  /** Columns, or expressions over columns. */
  readonly keys: readonly string[]
  /** The names of those that are columns, and whether one may be null. */
  readonly columns: readonly string[]
}

interface ForeignKey {
  readonly target: string
  readonly column: string
  readonly key: string
}

interface Check {
  readonly name: string
  readonly condition: string
}

/** Finds the rows of a staged set that the constraints of their table refuse. */
export class RowDiagnosis {
  private readonly found: RowFault[] = []
  private readonly target: Sql
  private readonly byColumn: ReadonlyMap<string, ColumnMeta>

  constructor(
    private readonly database: Database,
    private readonly meta: EntityMeta,
    /** The temporary table, in which every row has all its values. */
    private readonly staged: Sql,
  ) {
    this.target = identifier(meta.table)
    this.byColumn = new Map([...meta.columns.values()].map((column) => [column.column, column]))
  }

  /** The faults of all rows. @param keepsExisting whether rows whose key exists are left out, so that they are no conflict */
  async faults(keepsExisting: boolean): Promise<readonly RowFault[]> {
    await this.missingValues()
    for (const check of await this.checks()) await this.refusedBy(check)
    for (const key of await this.foreignKeys()) await this.dangling(key)
    if (!keepsExisting) for (const index of await this.uniqueIndexes()) await this.conflicts(index)
    return this.found
  }

  private async missingValues(): Promise<void> {
    const columns = await this.database.query<{ name: string }>(sql`
      select attname as name from pg_attribute
      where attrelid = ${this.relation}::regclass and attnum > 0 and attnotnull and not attisdropped`)
    for (const { name } of columns) {
      const column = this.byColumn.get(name)
      if (column)
        await this.note(
          column.attribute,
          'Validation:Required',
          sql`
          select keel_row as index from ${this.staged} where ${identifier(name)} is null`,
        )
    }
  }

  private async refusedBy({ name, condition }: Check): Promise<void> {
    await this.note(
      memberOf(name),
      'Validation:OutOfRange',
      sql`
      select keel_row as index from ${this.staged} where not (${raw(condition)})`,
    )
  }

  private async dangling({ target, column, key }: ForeignKey): Promise<void> {
    const own = identifier(column)
    await this.note(
      this.byColumn.get(column)?.attribute ?? column,
      'Validation:NoSuchEntity',
      sql`
      select s.keel_row as index from ${this.staged} s
      where s.${own} is not null and not exists (select from ${raw(target)} f where f.${identifier(key)} = s.${own})`,
    )
  }

  /** Rows whose key another row of the table has, or an earlier one of those that were given. */
  private async conflicts(index: UniqueIndex): Promise<void> {
    const { nullsAlike, condition, keys, columns } = index
    const where = raw(condition ?? 'true')
    const named = raw(keys.map((key, place) => `(${key}) as k${place}`).join(', '))
    const isKey = nullsAlike
      ? raw('true')
      : raw(keys.map((_, place) => `k${place} is not null`).join(' and '))
    // `=` can be answered by the index; a key without nulls has it.
    const same = raw(
      keys
        .map((key, place) => {
          const nullable = nullsAlike && this.byColumn.get(key.replaceAll('"', ''))?.nullable !== false
          return nullable ? `t.k${place} is not distinct from s.k${place}` : `t.k${place} = s.k${place}`
        })
        .join(' and '),
    )
    const listed = raw(keys.map((_, place) => `k${place}`).join(', '))
    const { staged, target } = this
    const column = columns.findLast((name) => name !== 'TenantId')
    const code = index.isPrimary ? alreadyExists : (this.meta.conflicts[index.name] ?? alreadyExists)
    await this.note(
      column && this.byColumn.get(column)?.attribute,
      code,
      sql`
      select s.keel_row as index from (select keel_row, keel_id, keel_new, ${named} from ${staged} where ${where}) s
      where exists (
        select from (select "Id", ${named} from ${target} where ${where}) t
        where ${same} and (s.keel_new or t."Id" <> s.keel_id)
          and not exists (select from ${staged} o where o.keel_id = t."Id" and not o.keel_new))
      union
      select keel_row from (
        select keel_row, row_number() over (partition by ${listed} order by keel_row) as n
        from (select keel_row, ${named} from ${staged} where ${where}) k where ${isKey}) d
      where n > 1`,
      columns.filter((name) => name !== 'TenantId'),
    )
  }

  /** @param named the columns whose values the text of the code may name */
  private async note(
    column: string | undefined,
    code: string,
    rows: Sql,
    named: readonly string[] = [],
  ): Promise<void> {
    const values = raw(
      `jsonb_build_object(${named.map((name) => `'${this.byColumn.get(name)?.attribute ?? name}', s.${quote(name)}::text`).join(', ')})`,
    )
    const found = await this.database.query<{ index: number; values: Record<string, string | null> }>(sql`
      select f.index, ${values} as values from (${rows} order by index limit ${mostRowFaults}) f
      join ${this.staged} s on s.keel_row = f.index order by f.index`)
    for (const { index, values: data } of found)
      this.found.push(rowFault(index, column, code, { entity: this.meta.name, ...data }))
  }

  private get relation(): string {
    return quote(this.meta.table)
  }

  private uniqueIndexes(): Promise<UniqueIndex[]> {
    return this.database.query<UniqueIndex>(sql`
      select c.relname as name, i.indisprimary as "isPrimary", i.indnullsnotdistinct as "nullsAlike",
        pg_get_expr(i.indpred, i.indrelid) as condition,
        array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as keys,
        array(select a.attname::text from generate_series(0, i.indnkeyatts - 1) n
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[n] order by n) as columns
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = ${this.relation}::regclass and i.indisunique order by i.indexrelid`)
  }

  private foreignKeys(): Promise<ForeignKey[]> {
    return this.database.query<ForeignKey>(sql`
      select k.confrelid::regclass::text as target, a.attname as column, f.attname as key
      from pg_constraint k
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
        join pg_attribute f on f.attrelid = k.confrelid and f.attnum = k.confkey[1]
      where k.contype = 'f' and k.conrelid = ${this.relation}::regclass and cardinality(k.conkey) = 1`)
  }

  private checks(): Promise<Check[]> {
    return this.database.query<Check>(sql`
      select conname as name, pg_get_expr(conbin, conrelid) as condition from pg_constraint
      where contype = 'c' and conrelid = ${this.relation}::regclass`)
  }
}

/** Columns by their names, for a statement. */
export function columnList(columns: readonly Pick<ColumnMeta, 'column'>[], alias?: string): Sql {
  return join(
    columns.map(({ column }) => raw(alias ? `${alias}.${quote(column)}` : quote(column))),
    ', ',
  )
}
