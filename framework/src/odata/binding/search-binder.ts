import { type Condition, columnOf, type RowVariable } from '../../data/query/expression.js'
import type { EntitySet } from '../model/entity-model.js'
import { ODataError } from '../syntax/odata-error.js'
import type { SearchExpression } from '../syntax/syntax.js'
import type { RequestInputs } from './request-inputs.js'

/** `$search` as a condition: a searchable column of the set contains the text, in any case. */
export function bindSearch(
  inputs: RequestInputs,
  set: EntitySet,
  row: RowVariable,
  search: SearchExpression,
  target: string,
): Condition {
  if (set.searchable.length === 0) throw ODataError.unsupported('SearchOfSet', { target }, set.name)
  const columns = set.searchable.map(({ column, type }) => columnOf(row, column, type))
  return bind(search)

  function bind(expression: SearchExpression): Condition {
    switch (expression.kind) {
      case 'term':
        return { kind: 'search', columns, text: inputs.text(expression) }
      case 'not':
        return { kind: 'not', condition: bind(expression.operand) }
      default:
        return { kind: expression.kind, conditions: expression.operands.map(bind) }
    }
  }
}
