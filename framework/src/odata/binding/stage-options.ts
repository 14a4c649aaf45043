import type { OrderKey } from '../../data/query/expression.js'
import { allOf } from '../model/value-types.js'
import { ODataError, say } from '../syntax/odata-error.js'
import type { QueryOptions } from '../syntax/syntax.js'
import { ApplyBinder } from './apply-binder.js'
import type { Stage } from './apply-stage.js'
import { ExpressionBinder } from './expression-binder.js'
import { memberOf, type RecordInstance } from './expression-scope.js'
import { bindCompute, bindCondition, bindOrder } from './level-options.js'
import type { RequestContext } from './request-context.js'

/** Rows after `$apply`, `$compute`, `$search` and `$filter`. */
export function bindStage(context: RequestContext, options: QueryOptions, start: Stage): Stage {
  const stage = options.apply ? new ApplyBinder(context).run(options.apply, start) : start
  const instance = options.compute ? computed(context, options, stage) : stage.instance
  const { source } = stage
  if (instance.kind === 'entity') {
    const where = allOf([stage.where, bindCondition(context, options, instance, instance)])
    return { ...stage, source, instance, where }
  }
  if (options.search) throw ODataError.unsupported('SearchAfterGroups', { target: '$search' })
  const binder = new ExpressionBinder(context, '$filter')
  const condition = options.filter && binder.condition(options.filter, { it: instance, current: instance })
  return { ...stage, instance, where: allOf([stage.where, condition]) }
}

function computed(
  context: RequestContext,
  { compute = [] }: QueryOptions,
  { instance }: Stage,
): Stage['instance'] {
  if (instance.kind === 'entity') return bindCompute(context, compute, instance, instance)
  const binder = new ExpressionBinder(context, '$compute')
  const members = new Map(instance.members)
  for (const { expression, alias, at } of compute) {
    const current: RecordInstance = { kind: 'record', members }
    if (memberOf(current, alias)) binder.refuse(say`The name '${alias}' is taken already.`, { at })
    members.set(alias, binder.value(expression, { it: current, current }))
  }
  return { kind: 'record', members }
}

/** The order of rows, with everything behind it that makes it definite. */
export function stageOrder(context: RequestContext, { orderby }: QueryOptions, stage: Stage): OrderKey[] {
  const { instance } = stage
  if (instance.kind === 'entity')
    return orderby || !stage.order.length
      ? bindOrder(context, orderby, instance, instance)
      : new ApplyBinder(context).definite(stage.order, stage)
  const binder = new ExpressionBinder(context, '$orderby')
  const order = orderby?.map(({ expression, descending }) => ({
    value: binder.value(expression, { it: instance, current: instance }),
    descending,
  }))
  const fixed = (order ?? stage.order).filter(
    ({ value }) => value.kind !== 'constant' && value.kind !== 'null',
  )
  return new ApplyBinder(context).definite(fixed, stage)
}
