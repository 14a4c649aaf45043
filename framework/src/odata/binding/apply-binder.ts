import { type Condition, type OrderKey, RowVariable, type Value } from '../../data/query/expression.js'
import { decided } from '../../data/query/parameter.js'
import type { RowSource, Step } from '../../data/query/query-tree.js'
import type { EntitySet } from '../model/entity-model.js'
import { allOf, isInteger, isNumeric } from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { ComputeItem, Transformation } from '../syntax/syntax.js'
import { type Stage, untransformed } from './apply-stage.js'
import type { Binder } from './binder.js'
import { bindConcat } from './concat-binder.js'
import { ExpressionBinder } from './expression-binder.js'
import { type Instance, type RecordInstance } from './expression-scope.js'
import { bindGroup, bindGroups } from './group-binder.js'
import { bindCompute, bindOrder } from './level-options.js'
import type { RequestContext } from './request-context.js'
import { bindSearch } from './search-binder.js'
import { StageBinder } from './stage-binder.js'

type Of<K extends Transformation['kind']> = Extract<Transformation, { kind: K }>
type Best = Extract<Transformation, { amount: unknown }>

/** Binds `$apply`: every transformation makes a new stage of the one before. */
export class ApplyBinder extends StageBinder {
  readonly binder: Binder

  constructor(context: RequestContext) {
    super(context)
    this.binder = new ExpressionBinder(context, '$apply')
  }

  /** The rows of a set, as they are before any transformation. */
  start(set: EntitySet, where?: Condition, row = new RowVariable(set.meta)): Stage {
    const source: RowSource = { kind: 'table', row, entity: set.meta }
    return { ...untransformed, source, where, instance: this.binder.instanceOf(set, row) }
  }

  run(transformations: readonly Transformation[], start: Stage): Stage {
    return transformations.reduce((stage, transformation) => this.step(transformation, stage), start)
  }

  /** @param per the values of groups, for a transformation that takes rows of each group instead of all */
  private step(transformation: Transformation, stage: Stage, per?: readonly Value[]): Stage {
    const { kind } = transformation
    switch (kind) {
      case 'identity':
        return stage
      case 'filter':
        return { ...stage, where: allOf([stage.where, this.condition(transformation, stage)]) }
      case 'search': {
        const { instance } = stage
        if (instance.kind !== 'entity') return this.binder.unsupported('SearchAfterGroups', transformation)
        const { search } = transformation
        const found = bindSearch(this.context, instance.set, instance.path.row, search, '$apply')
        return { ...stage, where: allOf([stage.where, found]) }
      }
      case 'compute':
        return { ...stage, instance: this.computed(transformation.items, stage.instance) }
      case 'orderby': {
        const order = transformation.items.map(({ expression, descending }) => ({
          value: this.value(expression, stage),
          descending,
        }))
        return { ...stage, order }
      }
      case 'top':
        return this.some(stage, { order: this.definite(stage.order, stage), top: transformation.count, per })
      case 'skip':
        return this.some(stage, { order: this.definite(stage.order, stage), skip: transformation.count, per })
      case 'topcount':
      case 'bottomcount':
      case 'topsum':
      case 'bottomsum':
      case 'toppercent':
      case 'bottompercent':
        return this.some(stage, { ...this.best(transformation, stage), per })
      case 'aggregate':
        return bindGroup(this, stage, [], undefined, transformation)
      case 'groupby':
        return this.groupBy(transformation, stage)
      case 'concat':
        return bindConcat(this, transformation, stage)
      case 'other':
        return transformation.unsupported
          ? this.binder.unsupported(transformation.unsupported, transformation, transformation.name)
          : this.binder.refuse(say`There is no transformation '${transformation.name}'.`, transformation)
    }
  }

  private computed(items: readonly ComputeItem[], instance: Instance): Instance {
    if (instance.kind === 'entity') return bindCompute(this.context, items, instance, instance)
    const members = new Map(instance.members)
    for (const { expression, alias, at } of items) {
      this.expectFree(alias, { kind: 'record', members }, { at })
      const current: RecordInstance = { kind: 'record', members }
      members.set(alias, this.binder.value(expression, { it: current, current }))
    }
    return { kind: 'record', members }
  }

  /** An order with everything behind it that makes it definite. */
  definite(order: readonly OrderKey[], { instance, keys }: Stage): OrderKey[] {
    if (instance.kind === 'entity') {
      const rest = bindOrder(this.context, [], instance, instance)
      return [...order, ...rest]
    }
    const used = new Set(order.map(({ value }) => value))
    return [...order, ...keys.filter((key) => !used.has(key)).map((value) => ({ value, descending: false }))]
  }

  private some(
    stage: Stage,
    what: Omit<Extract<Step, { kind: 'some' }>, 'kind' | 'from' | 'where' | 'fields'>,
  ): Stage {
    const { source, where, fields } = stage
    const step: Step = { kind: 'some', from: source, where, fields, ...what }
    // The same variable: what was said of the rows holds for those of them that are left.
    return { ...stage, source: { kind: 'step', row: source.row, step }, where: undefined }
  }

  private best(transformation: Best, stage: Stage) {
    const { kind, amount, by } = transformation
    const value = this.value(by, stage)
    const order = this.definite([{ value, descending: kind.startsWith('top') }], stage)
    const wanted = this.binder.value(amount, { it: stage.instance, current: stage.instance })
    const number = wanted.kind === 'constant' ? String(decided(wanted.value)) : '-'
    if (!isNumeric(wanted.type) || number.startsWith('-'))
      return this.binder.refuse(say`The first argument of '${kind}' must be a number of at least 0.`, amount)
    if (kind.endsWith('count')) {
      if (!isInteger(wanted.type) || Number(number) === 0)
        return this.binder.refuse(say`'${kind}' takes a whole number of at least 1.`, amount)
      return { order, top: Number(number) }
    }
    if (kind.endsWith('percent') && !(Number(number) <= 100))
      return this.binder.refuse(say`'${kind}' takes a number of at most 100.`, amount)
    if (!isNumeric(value.type)) return this.binder.refuse(say`'${kind}' can only add up numbers.`, by)
    return { order, until: { by: value, amount: wanted, percent: kind.endsWith('percent') } }
  }

  private groupBy({ by, then, at }: Of<'groupby'>, stage: Stage): Stage {
    const groups = bindGroups(this, by, stage)
    const values = groups.paths.map(({ value }) => value)
    const index = then.findIndex(({ kind }) => kind === 'aggregate')
    const before = index < 0 ? then : then.slice(0, index)
    const rollsUp = groups.levels !== undefined
    if (index < 0 && then.length === 0) return bindGroup(this, stage, groups.paths, groups.levels, undefined)
    if (rollsUp && before.length) return this.binder.unsupported('RollupWithOthers', { at })
    let inner = stage
    const conditions: Condition[] = []
    for (const transformation of before) {
      const isPlain = transformation.kind === 'filter' && index >= 0 && inner === stage
      if (isPlain) conditions.push(this.condition(transformation, inner))
      else inner = this.inGroups(transformation, inner, values)
    }
    if (index < 0) return inner
    const counted = allOf(conditions)
    const grouped = bindGroup(
      this,
      inner,
      groups.paths,
      groups.levels,
      then[index] as Of<'aggregate'>,
      counted,
    )
    return this.run(then.slice(index + 1), grouped)
  }

  /** A transformation that leaves rows as they are, for each group. */
  private inGroups(transformation: Transformation, stage: Stage, per: readonly Value[]): Stage {
    const { kind } = transformation
    if (!groupwise.has(kind)) return this.binder.unsupported('InsideGroupBy', transformation, kind)
    return this.step(transformation, stage, per)
  }
}

/** Transformations that may stand inside of `groupby`. */
const groupwise: ReadonlySet<Transformation['kind']> = new Set([
  'identity',
  'filter',
  'search',
  'compute',
  'orderby',
  'top',
  'skip',
  'topcount',
  'bottomcount',
  'topsum',
  'bottomsum',
  'toppercent',
  'bottompercent',
])
