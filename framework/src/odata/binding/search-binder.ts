import { type Condition, columnOf, type RowVariable } from '../../data/query/expression.js'
import type { EntitySet } from '../model/entity-model.js'
import { ODataError } from '../syntax/odata-error.js'
import type { SearchExpression } from '../syntax/syntax.js'
import type { RequestContext } from './request-context.js'

/** `$search` as a condition: a searchable column of the set that the caller may see contains the text, in any case. */
export function bindSearch(
  { inputs, rights }: Pick<RequestContext, 'inputs' | 'rights'>,
  set: EntitySet,
  row: RowVariable,
  search: SearchExpression,
  target: string,
): Condition {
  const searched = set.searchable.filter((property) => rights.maySee(property))
  if (searched.length === 0) throw ODataError.unsupported('SearchOfSet', { target }, set.name)
  const columns = searched.map(({ column, type }) => columnOf(row, column, type))
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
