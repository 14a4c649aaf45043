import {
  type BaseEntity,
  barred,
  type Databases,
  type EntityClass,
  entityMeta,
  join,
  literally,
  quote,
  raw,
  Sorting,
  type Sql,
  sql,
} from '@keel/framework/data'

/** Which part of a list. */
export interface RowPageRequest {
  readonly skipCount: number
  readonly maxResultCount: number
  readonly sorting?: string | null
  readonly filter?: string | null
}

/** How an entity is listed. */
export interface RowList {
  /** Attributes that the filter looks into. */
  readonly searchIn: readonly string[]
  /** What a caller may sort by; the first is the order of those who do not. */
  readonly sortBy: readonly string[]
}

/** A page of the rows of an entity that are not deleted, with one statement. Instants in them are texts. */
export async function readRowPage<T extends BaseEntity>(
  databases: Databases,
  entity: EntityClass<T>,
  { searchIn, sortBy }: RowList,
  request: RowPageRequest,
): Promise<{ totalCount: number; rows: readonly T[] }> {
  const { table, columns } = entityMeta(entity)
  const column = (attribute: string): string => `t.${quote(columns.get(attribute)?.column ?? attribute)}`
  const sorting = new Sorting(Object.fromEntries(sortBy.map((name) => [name, column(name)])), 't."Id"')
  const order = sorting.orderBy(request.sorting?.trim() || (sortBy[0] ?? 'id'))
  const selected = raw([...columns.keys()].map((name) => `${column(name)} as ${quote(name)}`).join(', '))
  const from = sql`from ${raw(quote(table))} t where ${barred([raw('t."IsDeleted" = false')], [matches()])}`
  const page = sql`select ${selected} ${from} order by ${order} limit ${request.maxResultCount} offset ${request.skipCount}`
  const [found] = await databases
    .of(entity as EntityClass)
    .queryList<{ n: string; rows: T[] }>(
      sql`select (select count(*) ${from}) as n, (select coalesce(json_agg(r), '[]') from (${page}) r) as rows`,
    )
  return { totalCount: Number(found?.n), rows: found?.rows ?? [] }

  function matches(): Sql | undefined {
    if (!request.filter) return undefined
    const pattern = literally(request.filter)
    return sql`(${join(
      searchIn.map((name) => sql`${raw(column(name))} ~* ${pattern}`),
      ' or ',
    )})`
  }
}
