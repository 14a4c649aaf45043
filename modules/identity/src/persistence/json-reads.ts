import { jsonResult } from '@keel/framework'
import { type AnyDto, compileReader, type z } from '@keel/framework/contracts'
import { type Database, instantSql, planned, raw, type Sql, sql } from '@keel/framework/data'

/** A query: the members of a DTO as a select list, and the rows they come from. */
export interface Rows {
  readonly columns: Sql
  readonly from: Sql
  readonly where: Sql
  readonly order: Sql
}

/** A part of the rows. */
export interface PartOfRows extends Rows {
  readonly skipCount: number
  readonly maxResultCount: number
}

/** A page, `{ totalCount, items }`, written by PostgreSQL in one statement. */
export async function readPage<D extends AnyDto>(
  database: Database,
  page: D,
  rows: PartOfRows,
): Promise<InstanceType<D>> {
  const { from, where, skipCount, maxResultCount } = rows
  return jsonResult(
    page,
    await readJson(
      database,
      sql`
      select json_build_object('totalCount', (select count(*) from ${from} where ${where}),
        'items', ${arrayOf(sql`${select(rows)} limit ${maxResultCount} offset ${skipCount}`)})`,
    ),
  )
}

/** A list without pages, `{ items }`. */
export async function readItems<D extends AnyDto>(
  database: Database,
  list: D,
  rows: Rows,
): Promise<InstanceType<D>> {
  return jsonResult(
    list,
    await readJson(database, sql`select json_build_object('items', ${arrayOf(select(rows))})`),
  )
}

/** A bare list. */
export async function readArray<S extends z.ZodType>(
  database: Database,
  schema: S,
  rows: Rows,
): Promise<z.output<S>> {
  const [row] = await database.queryText(planned(sql`select ${arrayOf(select(rows))}`))
  return compileReader(schema)(JSON.parse(row?.[0] as string)) as z.output<S>
}

/** One row, or undefined when there is none. */
export async function readOne<D extends AnyDto>(
  database: Database,
  dto: D,
  { columns, from, where }: Omit<Rows, 'order'>,
): Promise<InstanceType<D> | undefined> {
  const [row] = await database.queryText(
    planned(sql`select row_to_json(r) from (select ${columns} from ${from} where ${where}) r`),
  )
  return row?.[0] ? jsonResult(dto, row[0]) : undefined
}

function select({ columns, from, where, order }: Rows): Sql {
  return sql`select ${columns} from ${from} where ${where} order by ${order}`
}

function arrayOf(query: Sql): Sql {
  return sql`(select coalesce(json_agg(r), '[]'::json) from (${query}) r)`
}

async function readJson(database: Database, statement: Sql): Promise<string> {
  const [row] = await database.queryListText(planned(statement))
  return row?.[0] as string
}

/** An instant as it travels. @param column SQL of our own, with or without zone: sessions run in UTC */
export function instantJson(column: string): Sql {
  return raw(instantSql(column, `${column}::timestamp`))
}

/** The extra properties of a row as JSON; ABP leaves the text empty now and then. */
export function extraPropertiesJson(alias: string): Sql {
  return raw(`coalesce(nullif(${alias}."ExtraProperties", ''), '{}')::json`)
}
