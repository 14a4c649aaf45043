import { type AnyDto, compileReader } from '../../contracts/index.js'
import type { Database } from '../connections/database.js'
import { type Sql, sql } from '../wire/sql.js'

/** A part of the rows of a select whose columns are the members of a DTO, in an order of those columns. */
export interface RowPage {
  readonly rows: Sql
  readonly order: Sql
  readonly skipCount: number
  readonly maxResultCount: number
}

/** A page of rows as DTOs, with how many there are, in one statement. */
export async function readPage<D extends AnyDto>(
  database: Database,
  dto: D,
  { rows, order, skipCount, maxResultCount }: RowPage,
): Promise<{ totalCount: number; items: InstanceType<D>[] }> {
  const [page] = await database.queryList<{ totalCount: number; items: object[] }>(sql`
    with matched as (${rows})
    select (select count(*)::int from matched) as "totalCount", coalesce(
      (select json_agg(page) from
        (select * from matched order by ${order} offset ${skipCount} limit ${maxResultCount}) page), '[]') as items`)
  const read = compileReader(dto.schema)
  return {
    totalCount: page?.totalCount ?? 0,
    items: (page?.items ?? []).map((item) => read(item) as InstanceType<D>),
  }
}
