import { raw, type Sql, sql } from '../wire/sql.js'

/** Counts as PostgreSQL gives them: position of the field, value, rows. */
export type FacetValues = readonly (readonly [field: number, value: string | number, count: number])[]

/** The fields that rows are counted by together, and apart from these each that `hasManyValues`. */
export function passesOf<F extends { readonly hasManyValues?: boolean }>(
  fields: readonly F[],
): readonly (readonly F[])[] {
  const few = fields.filter(({ hasManyValues }) => !hasManyValues)
  const many = fields.filter(({ hasManyValues }) => hasManyValues)
  return [...(few.length ? [few] : []), ...many.map((field) => [field])]
}

/**
 * Counts of rows by each of some columns, as rows of field, value and number (`f`, `v`, `n`). They are counted by all columns together first,
 * which gives few groups in one pass over a covering index; these are added up for each column.
 */
export function countedBy(
  from: Sql,
  where: Sql,
  columns: readonly { readonly field: number; readonly name: string }[],
): Sql {
  const names = columns.map(({ name }) => name).join(', ')
  const keys = columns.map((_, index) => `k${index}`)
  const [first] = columns
  if (first && columns.length === 1)
    return sql`select ${raw(String(first.field))} as f, ${raw(`${names}::text`)} as v, count(*) as n from ${from} where ${where} group by ${raw(names)}`
  const listed = columns.map(({ name }, index) => `${name} as ${keys[index]}`).join(', ')
  const groups = sql`select ${raw(listed)}, count(*) as n from ${from} where ${where} group by ${raw(names)}`
  const which = columns.map(({ field }, index) => `when grouping(${keys[index]}) = 0 then ${field}`).join(' ')
  const values = keys.map((key) => `${key}::text`).join(', ')
  const sets = keys.map((key) => `(${key})`).join(', ')
  return sql`select case ${raw(which)} end as f, coalesce(${raw(values)}) as v, sum(n)::bigint as n from (${groups}) g group by grouping sets (${raw(sets)})`
}

/**
 * Counts as one JSON array, {@link FacetValues}, from rows of field, value and number (`f`, `v`, `n`): the `most` most frequent values of each
 * field, and those that are as frequent as the last of them, for their names decide, which PostgreSQL does not know.
 */
export function facetCountsSql(counted: Sql, most: number): Sql {
  const ranked = sql`select f, v, n, rank() over (partition by f order by n desc) as r from (${counted}) c where v is not null`
  return sql`(select coalesce(json_agg(json_build_array(u.f, u.v, u.n)), '[]'::json) from (${ranked}) u where u.r <= ${raw(String(most))})`
}
