import { type Condition, columnOf, type OrderKey } from '../../data/query/expression.js'
import { memberNames, type Property } from '../model/entity-model.js'
import { allOf } from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { ComputeItem, OrderItem, QueryOptions } from '../syntax/syntax.js'
import { ExpressionBinder } from './expression-binder.js'
import type { EntityInstance, Instance } from './expression-scope.js'
import type { RequestContext } from './request-context.js'
import { bindSearch } from './search-binder.js'

/** `$compute`: names and their values, on top of those that are there. */
export function bindCompute(
  context: RequestContext,
  items: readonly ComputeItem[],
  instance: EntityInstance,
  it: Instance,
): EntityInstance {
  const computed = new Map(instance.computed)
  const binder = new ExpressionBinder(context, '$compute')
  for (const { expression, alias, at } of items) {
    const { type } = instance.set
    const taken = [...memberNames(type), ...computed.keys()]
    if (taken.some((name) => name.toLowerCase() === alias.toLowerCase()))
      binder.refuse(say`The name '${alias}' is taken already.`, { at })
    computed.set(alias, binder.value(expression, { it, current: { ...instance, computed } }))
  }
  return { ...instance, computed }
}

/** `$orderby`, with the keys behind it that make the order definite. */
export function bindOrder(
  context: RequestContext,
  items: readonly OrderItem[] | undefined,
  instance: EntityInstance,
  it: Instance,
): OrderKey[] {
  const binder = new ExpressionBinder(context, '$orderby')
  const { row } = instance.path
  const order = (items ?? []).flatMap(({ expression, descending }): OrderKey[] => {
    const value = binder.value(expression, { it, current: instance })
    const isFixed = value.kind === 'constant' || value.kind === 'null' || value.kind === 'now'
    return isFixed ? [] : [{ value, descending }]
  })
  const has = ({ column }: Property) =>
    order.some(({ value }) => value.kind === 'column' && !value.path.via.length && value.column === column)
  const keys = instance.set.type.keys.filter((key) => !has(key))
  return [
    ...order,
    ...keys.map(({ column, type }) => ({ value: columnOf(row, column, type), descending: false })),
  ]
}

/** `$filter` and `$search` of one level. */
export function bindCondition(
  context: RequestContext,
  options: QueryOptions,
  instance: EntityInstance,
  it: Instance,
): Condition | undefined {
  return allOf([
    options.search && bindSearch(context, instance.set, instance.path.row, options.search, '$search'),
    options.filter &&
      new ExpressionBinder(context, '$filter').condition(options.filter, { it, current: instance }),
  ])
}
