import type { Role } from '@keel/framework/contracts'
import { join, literal, raw, type Sql, sql } from '@keel/framework/data'

/**
 * The names of the roles that a role inherits from, as SQL that gives an array: empty for roles that the code does not declare, and for those
 * without parents. @param reference the column with the name of the role
 */
export function parentNamesSql(declared: readonly Role[], reference: Sql): Sql {
  const arrayOf = (names: readonly string[]): string => `array[${names.map(literal).join()}]::text[]`
  const cases = declared
    .filter(({ parents }) => parents.length)
    .map(({ name, parents }) =>
      raw(` when ${literal(name)} then ${arrayOf(parents.map((parent) => parent.name))}`),
    )
  const none = raw(arrayOf([]))
  return cases.length ? sql`(case ${reference}${join(cases, '')} else ${none} end)` : none
}
