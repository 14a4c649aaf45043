import type { ModelSnapshot } from '@keel/framework/data'
import { analyseStatements } from './analysis/analyse.js'
import { planStatement } from './plan.js'
import { statementNotes } from './plan-text.js'

/** SQL with a note below each statement that locks, reads, rewrites or destroys something in a database with the tables of `model`. */
export async function annotateSql(sql: string, model: ModelSnapshot): Promise<string> {
  let rest = sql
  let text = ''
  for (const statement of await analyseStatements(sql, { model })) {
    const end = rest.indexOf(statement.text) + statement.text.length + 1
    text += [rest.slice(0, end), ...statementNotes(planStatement(statement))].join('\n')
    rest = rest.slice(end)
  }
  return text + rest
}
