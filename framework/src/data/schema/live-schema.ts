import type { IndexExpression } from '../entities/entity.js'
import type { DatabaseSession } from '../wire/session.js'
import { quote } from '../wire/sql.js'
import { migrationSql } from './migration-sql.js'
import { triggerName } from './model-diff.js'
import type {
  CheckSnapshot,
  ColumnSnapshot,
  ForeignKeySnapshot,
  IndexSnapshot,
  ModelSnapshot,
  TableSnapshot,
} from './model-snapshot.js'

/** The tables of a database as a model. Conditions and expressions are written as PostgreSQL prints them. */
export interface LiveSchema {
  readonly model: ModelSnapshot
  /** Parts that a model can't express, as `AppPets.UQ_Chip: UNIQUE ("Chip")`. */
  readonly others: readonly string[]
  /** Indexes that a build broke off left behind: they find nothing and cost every write. */
  readonly invalidIndexes: readonly string[]
  /** The body of the function behind the change triggers; undefined without one. */
  readonly notifyFunction: string | undefined
}

/** Begins the names of the indexes of own fields. They belong to the configuration of hosts and not to the model of the tables. */
export const ownIndexPrefix = 'OWN_'

/** Reads the tables of the session's current schema, without any lock that others would notice. */
export async function readLiveSchema(session: DatabaseSession): Promise<LiveSchema> {
  const columns = await rowsOf<ColumnRow>(session, columnsQuery)
  const constraints = await rowsOf<ConstraintRow>(session, constraintsQuery)
  const indexes = await rowsOf<IndexRow>(session, indexesQuery)
  const triggers = await rowsOf<TriggerRow>(session, triggersQuery)
  const [notify] = await rowsOf<{ body: string }>(session, notifyQuery)
  const names = [...new Set(columns.map(({ table }) => table))].sort((a, b) => (a < b ? -1 : 1))
  const of = <T extends { readonly table: string }>(rows: readonly T[], table: string): T[] =>
    rows.filter((row) => row.table === table)
  const tables = names.map((name) =>
    tableOf(name, of(columns, name), of(constraints, name), of(indexes, name), of(triggers, name)),
  )
  return {
    model: { tables },
    others: [
      ...columns.filter(({ made }) => made).map(({ table, name, made }) => `${table}.${name}: ${made}`),
      ...constraints.filter(isOther).map(({ table, name, definition }) => `${table}.${name}: ${definition}`),
      ...triggers
        .filter((row) => !isOurs(row) && !row.name.startsWith(keptPrefix))
        .map(({ table, name }) => `${table}.${name}: trigger`),
    ],
    invalidIndexes: indexes.filter(({ valid }) => !valid).map(({ name }) => name),
    notifyFunction: notify?.body,
  }
}

/**
 * The schema that {@link readLiveSchema} would read from a database that matches the model: the tables are
 * created in a temporary schema, read and rolled back. So both sides of a comparison are in PostgreSQL's own
 * words. The session must not be in a transaction.
 */
export async function readExpectedSchema(
  session: DatabaseSession,
  model: ModelSnapshot,
): Promise<LiveSchema> {
  const read = await rollingBack(session, () =>
    readSchemaOf(session, 'keel_expected', () => session.query(migrationSql({ tables: [] }, model))),
  )
  // Beside the triggers, which only tables that tell have.
  const tables = read.model.tables.filter(({ name }) => name !== 'KeelTableVersions')
  return { ...read, model: { tables } }
}

/** Runs `work` in a transaction that is rolled back in any case. */
export async function rollingBack<T>(session: DatabaseSession, work: () => Promise<T>): Promise<T> {
  await session.query('begin')
  try {
    return await work()
  } finally {
    await session.query('rollback').catch(() => undefined)
  }
}

/** Makes a schema, runs `make` with it in front of the search path, and reads it. For a transaction that is rolled back. */
export async function readSchemaOf(
  session: DatabaseSession,
  prefix: string,
  make: () => Promise<unknown>,
): Promise<LiveSchema> {
  const { rows } = await session.query<{ names: string[] }>('select current_schemas(false)::text[] as names')
  const schema = `${prefix}_${process.pid}`
  await session.query(`create schema ${quote(schema)}`)
  const path = [schema, ...(rows[0]?.names ?? ['public'])]
  await session.query(`set local search_path = ${path.map(quote).join(', ')}`)
  await make()
  return readLiveSchema(session)
}

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly default: string | null
  /** How PostgreSQL makes its values, if it does. */
  readonly made: string | null
}

interface ConstraintRow {
  readonly table: string
  readonly name: string
  /** As in `pg_constraint`: p primary key, f foreign key, c check, u unique, x exclusion. */
  readonly kind: 'p' | 'f' | 'c' | 'u' | 'x' | 't'
  readonly columns: readonly string[]
  readonly principalTable: string | null
  readonly principalColumns: readonly string[]
  readonly onDelete: string
  readonly condition: string | null
  readonly definition: string
}

interface IndexRow {
  readonly table: string
  readonly name: string
  readonly unique: boolean
  readonly valid: boolean
  readonly method: string
  readonly nullsNotDistinct: boolean
  readonly condition: string | null
  readonly keys: readonly { column: string | null; sql: string; order: string; plain: boolean }[]
  readonly include: readonly string[]
}

interface TriggerRow {
  readonly table: string
  readonly name: string
  readonly kind: number
  /** As in `pg_trigger`: O for sessions of origin, R for replicas, A always, D never. */
  readonly enabled: 'O' | 'R' | 'A' | 'D'
  readonly columns: readonly string[]
  readonly function: string
}

function tableOf(
  name: string,
  columns: readonly ColumnRow[],
  constraints: readonly ConstraintRow[],
  indexes: readonly IndexRow[],
  triggers: readonly TriggerRow[],
): TableSnapshot {
  const key = constraints.find(({ kind }) => kind === 'p')
  const checks = constraints.filter(({ kind }) => kind === 'c').map(checkOf)
  const trigger = triggers.find(isOurs)
  const deletesOnly = trigger && rowEvents(trigger) === deleteEvent
  return {
    name,
    columns: columns.map(columnOf),
    primaryKey: { name: key?.name ?? '', columns: key?.columns ?? [] },
    foreignKeys: constraints.filter((row) => row.kind === 'f' && !isOther(row)).map(foreignKeyOf),
    indexes: indexes.filter(({ valid }) => valid).map(indexOf),
    ...(checks.length > 0 && { checks }),
    watched: trigger !== undefined && !deletesOnly,
    ...(deletesOnly && { tellsDeletes: true }),
    ...(trigger && trigger.columns.length > 0 && { watchedColumns: trigger.columns }),
    ...(trigger && isAlways(trigger) && { tellsAlways: true }),
  }
}

function columnOf({ name, type, nullable, default: value }: ColumnRow): ColumnSnapshot {
  return {
    name,
    type: modelType(type),
    nullable,
    ...(value !== null && { default: modelDefault(value, type) }),
  }
}

/** `character varying(64)` → `varchar(64)`, as models write it. */
const modelType = (type: string): string =>
  type.replace(/^character varying/, 'varchar').replace(/^character(?=\(|\[|$)/, 'char')

/** `'Rex'::character varying` → `'Rex'`: the column's type says the rest. A number is the same with and without quotes. */
function modelDefault(text: string, type: string): string {
  const value = text.replace(/^('(?:[^']|'')*')::[a-z][a-z ]*(\(\d+\))?$/, '$1')
  return type.startsWith('numeric') ? value.replace(/^'(-?\d+(?:\.\d+)?)'$/, '$1') : value
}

const checkOf = ({ name, condition }: ConstraintRow): CheckSnapshot => ({ name, condition: condition ?? '' })

const foreignKeyOf = ({
  name,
  columns,
  principalTable,
  principalColumns,
  onDelete,
}: ConstraintRow): ForeignKeySnapshot => ({
  name,
  column: columns[0] ?? '',
  principalTable: principalTable ?? '',
  principalColumn: principalColumns[0] ?? '',
  onDelete: onDeletes[onDelete] ?? 'no action',
})

const onDeletes: Readonly<Record<string, ForeignKeySnapshot['onDelete']>> = {
  c: 'cascade',
  r: 'restrict',
  n: 'set null',
  d: 'set default',
}

function indexOf(row: IndexRow): IndexSnapshot {
  const { name, unique, method, nullsNotDistinct, condition, keys, include } = row
  return {
    name,
    columns: keys.map(({ column, sql, order, plain }): string | IndexExpression =>
      column !== null && plain ? column : { sql, ...(order && { order }) },
    ),
    unique,
    ...(include.length > 0 && { include }),
    ...(method !== 'btree' && { method }),
    ...(nullsNotDistinct && { nullsNotDistinct }),
    ...(condition !== null && { where: condition }),
  }
}

/**
 * Begins the names of exclusion constraints that stand in schema scripts alone. An entity names them in `conflicts` and does not declare them: none is
 * missing or surplus.
 */
const exclusionPrefix = 'EX_'

/**
 * Begins the names of triggers that keep the values of a column, such as those who may see a row. They stand in schema scripts alone: an entity does not
 * declare them, and none is missing or surplus. `keel doctor` compares them with the scripts.
 */
export const keptPrefix = 'KEEP_'

/** Keys over several columns, unique constraints and other exclusions are nothing that entities declare. */
const isOther = ({ kind, columns, name }: ConstraintRow): boolean =>
  kind === 'u' ||
  (kind === 'x' && !name.startsWith(exclusionPrefix)) ||
  kind === 't' ||
  (kind === 'f' && columns.length !== 1)

/** Bits of `pg_trigger.tgtype`: after the statement, with these events. */
const deleteEvent = 8
const anyEvent = 4 + 8 + 16
const truncateEvent = 32

const rowEvents = ({ kind }: TriggerRow): number => kind & ~truncateEvent

const isOurs = (row: TriggerRow): boolean =>
  row.function === 'keel_notify_change' &&
  row.name === triggerName(row.table) &&
  (rowEvents(row) === deleteEvent || rowEvents(row) === anyEvent)

const isAlways = ({ kind, enabled }: TriggerRow): boolean => enabled === 'A' && (kind & truncateEvent) !== 0

async function rowsOf<R extends object>(session: DatabaseSession, query: string): Promise<R[]> {
  return (await session.query<R>(query)).rows
}

const ourTables = `c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`

const columnsQuery = `
select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
       case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as "default",
       case when a.attgenerated <> '' then 'generated as ' || pg_get_expr(d.adbin, d.adrelid)
            when a.attidentity <> '' then 'generated as identity' end as made
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
 where ${ourTables}
 order by c.relname, a.attnum`

const namesOf = (numbers: string, table: string): string => `
  array(select a.attname::text from unnest(${numbers}) with ordinality k(number, place)
          join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number order by k.place)`

const constraintsQuery = `
select c.relname as "table", o.conname as name, o.contype as kind, ${namesOf('o.conkey', 'o.conrelid')} as columns,
       p.relname as "principalTable", ${namesOf('o.confkey', 'o.confrelid')} as "principalColumns", o.confdeltype as "onDelete",
       pg_get_expr(o.conbin, o.conrelid, true) as condition, pg_get_constraintdef(o.oid) as definition
  from pg_class c
  join pg_constraint o on o.conrelid = c.oid
  left join pg_class p on p.oid = o.confrelid
 where ${ourTables} and o.contype <> 'n'
 order by c.relname, o.conname`

// An order, a collation or an operator class that is not the usual one makes a key another one than the plain column.
const indexesQuery = `
select c.relname as "table", i.relname as name, x.indisunique as "unique", x.indisvalid as valid, m.amname as method,
       coalesce((to_jsonb(x) ->> 'indnullsnotdistinct')::boolean, false) as "nullsNotDistinct",
       pg_get_expr(x.indpred, x.indrelid, true) as condition, k.keys, k.include
  from pg_class c
  join pg_index x on x.indrelid = c.oid and not x.indisprimary
  join pg_class i on i.oid = x.indexrelid
  join pg_am m on m.oid = i.relam
 cross join lateral (
   select coalesce(jsonb_agg(jsonb_build_object('column', a.attname, 'plain', o.plain,
                     'sql', o.sql, 'order', o.more) order by n)
                   filter (where n <= x.indnkeyatts), '[]') as keys,
          coalesce(jsonb_agg(a.attname order by n) filter (where n > x.indnkeyatts), '[]') as include
     from generate_series(1, x.indnatts) n
     left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[n - 1]
     left join pg_opclass p on p.oid = x.indclass[n - 1]
    cross join lateral (
      select pg_get_indexdef(x.indexrelid, n, true) as sql,
             x.indkey[n - 1] <> 0 and coalesce(x.indoption[n - 1], 0) = 0 and coalesce(p.opcdefault, true)
               and coalesce(x.indcollation[n - 1] in (0, a.attcollation), true) as plain,
             concat_ws(' ', case when not p.opcdefault then p.opcname end,
                       case x.indoption[n - 1] when 1 then 'desc nulls last' when 2 then 'nulls first' when 3 then 'desc' end) as more
    ) o
 ) k
 where ${ourTables} and not starts_with(i.relname, '${ownIndexPrefix}')
   and not exists (select from pg_constraint o where o.conindid = x.indexrelid and o.contype in ('p', 'u', 'x'))
 order by c.relname, i.relname`

const triggersQuery = `
select c.relname as "table", t.tgname as name, t.tgtype::int as kind, t.tgenabled as enabled,
       ${namesOf('t.tgattr::int2[]', 't.tgrelid')} as columns,
       f.proname as function
  from pg_class c
  join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
  join pg_proc f on f.oid = t.tgfoid
 where ${ourTables}
 order by c.relname, t.tgname`

const notifyQuery = `
select prosrc as body from pg_proc where proname = 'keel_notify_change' and pronamespace = current_schema()::regnamespace`
