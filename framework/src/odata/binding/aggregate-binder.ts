import type { Value } from '../../data/query/expression.js'
import type { Aggregate } from '../../data/query/query-tree.js'
import type { Scalar } from '../../data/query/scalars.js'
import { isNumeric } from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { AggregateItem } from '../syntax/syntax.js'
import type { Stage } from './apply-stage.js'
import type { Binder } from './binder.js'
import type { Bound, EntityInstance, Scope } from './expression-scope.js'
import type { StageBinder } from './stage-binder.js'

/** One item of `aggregate`, and the type of its value. */
export function bindAggregate(
  apply: StageBinder,
  item: AggregateItem,
  stage: Stage,
): { aggregate: Aggregate; type: Scalar } {
  const { expression, method } = item
  if (item.from) return apply.binder.unsupported('AggregateFrom', item)
  if (expression === 'count') {
    if (method) return apply.binder.refuse('$count is counted without a method.', item)
    return { aggregate: { kind: 'count' }, type: 'Int64' }
  }
  const through = related(apply, expression, stage, item)
  if (through?.kind === 'count') {
    if (method) return apply.binder.refuse('$count is counted without a method.', item)
    return {
      aggregate: { kind: 'related', method: 'count', rows: through.rows, type: 'Int64' },
      type: 'Int64',
    }
  }
  const value = through?.value ?? apply.value(expression, stage)
  const { method: name, type } = methodFor(apply.binder, item, value)
  if (through) return { aggregate: { kind: 'related', method: name, rows: through.rows, value, type }, type }
  return { aggregate: { kind: name, value, type }, type }
}

type Method = Extract<Value, { kind: 'aggregate' }>['method']

/** The method that an item aggregates a value by, and the type of what comes of it. */
function methodFor(
  binder: Binder,
  item: AggregateItem,
  value: Value,
): { readonly method: Method; readonly type: Scalar } {
  const method = item.method?.toLowerCase()
  switch (method) {
    case 'sum':
    case 'average':
      if (!isNumeric(value.type))
        return binder.refuse(say`'${method}' needs numbers, not ${binder.nameOf(value.type)}.`, item)
      return { method, type: value.type === 'Double' || value.type === 'Single' ? 'Double' : 'Decimal' }
    case 'min':
    case 'max':
      if (value.type === 'Boolean' || value.type === 'Binary')
        return binder.refuse(say`'${method}' has no order for ${binder.nameOf(value.type)}.`, item)
      return { method, type: value.type }
    case 'countdistinct':
      return { method, type: 'Int64' }
    case undefined:
      return binder.refuse('An aggregate needs a method: with sum, min, max, average or countdistinct.', item)
    default:
      // The standard keeps names without a dot for itself.
      if (!method.includes('.')) return binder.refuse(say`There is no aggregation method '${method}'.`, item)
      return binder.unsupported('CustomAggregationMethod', item, method)
  }
}

/** The function `aggregate` behind a collection: `Documents/aggregate(FileSize with sum)`. */
export function bindAggregateFunction(
  binder: Binder,
  { set, rows }: Extract<Bound, { kind: 'rows' }>,
  item: AggregateItem,
  scope: Scope,
): Value {
  if (item.from) return binder.unsupported('AggregateFrom', item)
  const { expression } = item
  if (expression === 'count') {
    if (item.method) return binder.refuse('$count is counted without a method.', item)
    return { kind: 'count', rows, type: 'Int64', nullable: false }
  }
  const current = binder.instanceOf(set, rows.row)
  const first = expression.kind === 'path' && !expression.root ? expression.steps[0] : undefined
  if (first?.kind === 'name' && binder.context.rights.navigation(set.type, first.name)?.collection)
    return binder.unsupported('AggregateThroughOne', item)
  const of = binder.value(expression, { ...scope, current })
  const { method, type } = methodFor(binder, item, of)
  return { kind: 'aggregate', rows, method, of, type, nullable: method !== 'countdistinct' }
}

/** A path that leads through a collection: `Documents/FileSize`, `Documents/$count`. */
function related(
  apply: StageBinder,
  expression: AggregateItem['expression'],
  { instance }: Stage,
  at: AggregateItem,
) {
  if (expression === 'count' || expression.kind !== 'path' || expression.root || instance.kind !== 'entity')
    return undefined
  const [first, ...rest] = expression.steps
  if (first?.kind !== 'name' || rest.length === 0) return undefined
  const navigation = apply.context.rights.navigation(instance.set.type, first.name)
  if (!navigation || instance.computed.has(first.name)) return undefined
  if (!navigation.collection) {
    const bound = apply.binder.bind({ ...expression, steps: [first] }, { it: instance, current: instance })
    const isPlain = bound.kind === 'entity' && rest.every(({ kind }) => kind === 'name')
    if (isPlain && rest.length === 1) return undefined
    const next = bound.kind === 'entity' && rest[0]?.kind === 'name' ? rest[0].name : ''
    const behind =
      bound.kind === 'entity' ? apply.context.rights.navigation(bound.instance.set.type, next) : undefined
    if (!behind?.collection) return undefined
    return apply.binder.unsupported('AggregateThroughOne', at)
  }
  // Each entity counts once, however many rows it is linked to.
  if (navigation.links) return apply.binder.unsupported('AggregateThroughLinks', at, navigation.name)
  const bound = apply.binder.follow(instance, navigation)
  if (bound.kind !== 'rows') return undefined
  if (rest[0]?.kind === 'count' && !rest[0].filter && !rest[0].search)
    return { kind: 'count' as const, rows: bound.rows, value: undefined }
  const each: EntityInstance = apply.binder.instanceOf(bound.set, bound.rows.row)
  const value = apply.binder.value({ ...expression, steps: rest }, { it: instance, current: each })
  return { kind: 'value' as const, rows: bound.rows, value }
}
