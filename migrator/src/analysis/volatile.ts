import type { Node } from 'libpg-query'

/** Functions whose value is the same for all rows of one statement. Everything unknown may differ from row to row. */
const steady = new Set([
  'now',
  'transaction_timestamp',
  'statement_timestamp',
  'current_database',
  'current_setting',
  'lower',
  'upper',
  'coalesce',
  'concat',
  'timezone',
  'to_date',
  'to_timestamp',
  'jsonb_build_object',
  'jsonb_build_array',
  'json_build_object',
  'json_build_array',
  'length',
])

/**
 * True when an expression may have another value in every row, so that a column added with it is written row
 * by row.
 */
export function isVolatile(expression: Node | undefined): boolean {
  let found = false
  visit(expression)
  return found

  function visit(value: unknown): void {
    if (found || typeof value !== 'object' || value === null) return
    if ('FuncCall' in value) {
      const { funcname = [] } = (value as { FuncCall: { funcname?: { String?: { sval?: string } }[] } })
        .FuncCall
      if (!steady.has(funcname.at(-1)?.String?.sval ?? '')) found = true
    }
    for (const part of Object.values(value)) visit(part)
  }
}
