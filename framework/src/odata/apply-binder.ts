import {
  type Condition,
  type OrderKey,
  type RowPath,
  RowVariable,
  type Value,
} from '../data/query/expression.js'
import type { Aggregate, ConcatPart, RowSource, Step } from '../data/query/query-tree.js'
import type { Scalar } from '../data/query/scalars.js'
import type { EntitySet } from './entity-model.js'
import {
  type EntityInstance,
  ExpressionBinder,
  type Instance,
  memberOf,
  type RecordInstance,
} from './expression-binder.js'
import { bindSearch } from './search-binder.js'
import { type RequestContext, ShapeBinder } from './shape-binder.js'
import type { AggregateItem, ComputeItem, GroupItem, Transformation } from './syntax.js'
import { allOf, conditionValue, isInteger, isNumeric } from './value-types.js'

/** What some transformations made of the rows of a set. */
export interface Stage {
  readonly source: RowSource
  readonly where?: Condition | undefined
  readonly instance: Instance
  /** Given by `orderby`, for what follows it. */
  readonly order: readonly OrderKey[]
  /** What makes the order of the rows definite, where they are no entities. */
  readonly keys: readonly Value[]
  /** All columns of the source, where its rows are no entities. */
  readonly fields: readonly Value[]
  /** Of a roll-up or `concat`: which rows have a value at all. */
  readonly presence: ReadonlyMap<Value, Value>
  /** Values of the rows that are properties of the model, whose types need not be told. */
  readonly declared: ReadonlySet<Value>
  /** Of objects in the rows: which rows have nothing there. */
  readonly missing: ReadonlyMap<RecordInstance, Value>
}

type Of<K extends Transformation['kind']> = Extract<Transformation, { kind: K }>
type Best = Extract<Transformation, { amount: unknown }>

const nothing = {
  order: [],
  keys: [],
  fields: [],
  presence: new Map(),
  declared: new Set<Value>(),
  missing: new Map(),
} as const

/** Binds `$apply`: every transformation makes a new stage of the one before. */
export class ApplyBinder {
  private readonly binder: ExpressionBinder

  constructor(private readonly context: RequestContext) {
    this.binder = new ExpressionBinder(context, '$apply')
  }

  /** The rows of a set, as they are before any transformation. */
  start(set: EntitySet, where?: Condition, row = new RowVariable(set.meta)): Stage {
    const source: RowSource = { kind: 'table', row, entity: set.meta }
    return { ...nothing, source, where, instance: this.binder.instanceOf(set, row) }
  }

  run(transformations: readonly Transformation[], start: Stage): Stage {
    return transformations.reduce((stage, transformation) => this.step(transformation, stage), start)
  }

  private step(transformation: Transformation, stage: Stage): Stage {
    const { kind } = transformation
    switch (kind) {
      case 'identity':
        return stage
      case 'filter':
        return { ...stage, where: allOf([stage.where, this.condition(transformation, stage)]) }
      case 'search': {
        const { instance } = stage
        if (instance.kind !== 'entity')
          return this.binder.unsupported('search after groupby and aggregate', transformation)
        const found = bindSearch(instance.set, instance.path.row, transformation.search, '$apply')
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
        return this.some(stage, { order: this.definite(stage.order, stage), top: transformation.count })
      case 'skip':
        return this.some(stage, { order: this.definite(stage.order, stage), skip: transformation.count })
      case 'topcount':
      case 'bottomcount':
      case 'topsum':
      case 'bottomsum':
      case 'toppercent':
      case 'bottompercent':
        return this.some(stage, this.best(transformation, stage))
      case 'aggregate':
        return this.group(stage, [], undefined, transformation)
      case 'groupby':
        return this.groupBy(transformation, stage)
      case 'concat':
        return this.concat(transformation, stage)
      case 'other':
        return this.binder.unsupported(`The transformation '${transformation.name}'`, transformation)
    }
  }

  private condition({ filter }: Of<'filter'>, { instance }: Stage): Condition {
    return this.binder.condition(filter, { it: instance, current: instance })
  }

  private value(expression: Parameters<ExpressionBinder['value']>[0], { instance }: Stage): Value {
    return this.binder.value(expression, { it: instance, current: instance })
  }

  private computed(items: readonly ComputeItem[], instance: Instance): Instance {
    if (instance.kind === 'entity') return new ShapeBinder(this.context).compute(items, instance, instance)
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
      const rest = new ShapeBinder(this.context).order([], instance, instance)
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
    if (wanted.kind !== 'constant' || !isNumeric(wanted.type) || String(wanted.value).startsWith('-'))
      return this.binder.refuse(`The first argument of '${kind}' must be a number of at least 0.`, amount)
    if (kind.endsWith('count')) {
      if (!isInteger(wanted.type)) return this.binder.refuse(`'${kind}' takes a whole number.`, amount)
      return { order, top: Number(wanted.value) }
    }
    if (!isNumeric(value.type)) return this.binder.refuse(`'${kind}' can only add up numbers.`, by)
    return { order, until: { by: value, amount: wanted, percent: kind.endsWith('percent') } }
  }

  private groupBy({ by, then, at }: Of<'groupby'>, stage: Stage): Stage {
    const groups = this.groups(by, stage)
    const values = groups.paths.map(({ value }) => value)
    const index = then.findIndex(({ kind }) => kind === 'aggregate')
    const before = index < 0 ? then : then.slice(0, index)
    const rollsUp = groups.levels !== undefined
    if (index < 0 && then.length === 0) return this.group(stage, groups.paths, groups.levels, undefined)
    if (rollsUp && before.length) return this.binder.unsupported('rollup with anything but aggregate', { at })
    let inner = stage
    const conditions: Condition[] = []
    for (const transformation of before) {
      const isPlain = transformation.kind === 'filter' && index >= 0 && inner === stage
      if (isPlain) conditions.push(this.condition(transformation, inner))
      else inner = this.inGroups(transformation, inner, values)
    }
    if (index < 0) return inner
    const counted = allOf(conditions)
    const grouped = this.group(inner, groups.paths, groups.levels, then[index] as Of<'aggregate'>, counted)
    return this.run(then.slice(index + 1), grouped)
  }

  /** A transformation that leaves rows as they are, for each group. */
  private inGroups(transformation: Transformation, stage: Stage, per: readonly Value[]): Stage {
    const { kind } = transformation
    switch (kind) {
      case 'identity':
      case 'filter':
      case 'search':
      case 'compute':
      case 'orderby':
        return this.step(transformation, stage)
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
      default:
        return this.binder.unsupported(`'${kind}' inside of groupby`, transformation)
    }
  }

  private groups(items: readonly GroupItem[], stage: Stage) {
    const paths: GroupPath[] = []
    const add = (path: readonly string[], at: number): number => {
      const known = paths.findIndex(
        (one) => one.path.join('/').toLowerCase() === path.join('/').toLowerCase(),
      )
      if (known >= 0) return known
      return paths.push(this.groupPath(path, stage, { at })) - 1
    }
    let levels: (readonly number[])[] = [[]]
    let rollsUp = false
    for (const item of items) {
      if (item.kind === 'path') {
        const index = add(item.path, item.at)
        levels = levels.map((level) => [...level, index])
        continue
      }
      rollsUp = true
      const indexes = item.paths.map((path) => add(path, item.at))
      const least = item.all ? 0 : 1
      const prefixes = indexes.map((_, index) => indexes.slice(0, indexes.length - index))
      const wanted = [...prefixes, ...(least === 0 ? [[]] : [])]
      levels = levels.flatMap((level) => wanted.map((prefix) => [...level, ...prefix]))
    }
    return { paths, levels: rollsUp ? levels.map((level) => [...new Set(level)]) : undefined }
  }

  private groupPath(path: readonly string[], stage: Stage, place: { readonly at: number }): GroupPath {
    const steps = path.map((name) => ({ kind: 'name' as const, at: place.at, name }))
    const { instance } = stage
    const bound = this.binder.bind({ kind: 'path', at: place.at, steps }, { it: instance, current: instance })
    if (bound.kind === 'entity') return this.binder.unsupported('Grouping by a navigation property', place)
    const value = this.binder.valueOf(bound, place)
    const names = canonicalNames(path, instance)
    const owner = value.kind === 'column' && value.path.via.length ? value.path : undefined
    return { path: names, value, owner }
  }

  private group(
    stage: Stage,
    paths: readonly GroupPath[],
    levels: readonly (readonly number[])[] | undefined,
    aggregate: Of<'aggregate'> | undefined,
    counted?: Condition,
  ): Stage {
    const by = paths.map(({ value }) => value)
    // A path without a row at its end groups apart from one whose value is null.
    const owners = new Map<string, { path: RowPath; prefix: readonly string[]; index: number }>()
    for (const { path, owner } of paths) {
      const prefix = path.slice(0, -1)
      const key = prefix.join('/')
      if (owner && !owners.has(key)) {
        owners.set(key, { path: owner, prefix, index: by.length })
        by.push(conditionValue({ kind: 'missing', path: owner }))
      }
    }
    const allLevels = levels?.map((level) => [
      ...level,
      ...level.flatMap((index) => owners.get(paths[index]?.path.slice(0, -1).join('/') ?? '')?.index ?? []),
    ])
    const row = new RowVariable(undefined)
    const field = (index: number, type: Scalar, nullable: boolean): Value => ({
      kind: 'field',
      row,
      field: index,
      type,
      nullable,
    })
    const fields = by.map((value, index) => field(index, value.type, value.nullable || levels !== undefined))
    const root = new Map<string, Value | RecordInstance>()
    const missing = new Map<RecordInstance, Value>()
    const presence = new Map<Value, Value>()
    for (const [index, { path }] of paths.entries()) place(root, path, fields[index] as Value)
    for (const { prefix, index } of owners.values()) {
      const object = objectAt(root, prefix)
      if (object) missing.set(object, fields[index] as Value)
    }
    const aggregates: Aggregate[] = []
    for (const item of aggregate?.items ?? []) {
      const bound = this.aggregate(item, stage)
      if (item.alias === undefined) return this.binder.refuse('Every aggregate needs a name: as Name.', item)
      this.expectFree(item.alias, { kind: 'record', members: root }, item, stage.instance)
      const isCount = bound.aggregate.kind === 'count' || bound.aggregate.kind === 'countdistinct'
      const value = field(by.length + aggregates.length, bound.type, !isCount)
      aggregates.push(bound.aggregate)
      fields.push(value)
      root.set(item.alias, value)
    }
    if (levels)
      for (const index of by.keys()) {
        const flag = field(by.length + aggregates.length + index, 'Boolean', false)
        presence.set(fields[index] as Value, flag)
        fields.push(flag)
      }
    const { source, where } = stage
    const step: Step = { kind: 'group', from: source, where, by, levels: allLevels, aggregates, counted }
    const keys = [...by.keys()].flatMap((index) => {
      const flag = presence.get(fields[index] as Value)
      return [...(flag ? [flag] : []), fields[index] as Value]
    })
    return {
      source: { kind: 'step', row, step },
      instance: { kind: 'record', members: root },
      order: [],
      keys,
      fields,
      presence,
      declared: new Set(fields.filter((_, index) => index < by.length && this.isDeclared(by[index], stage))),
      missing,
    }
  }

  private isDeclared(value: Value | undefined, stage: Stage): boolean {
    return value?.kind === 'column' || (value !== undefined && stage.declared.has(value))
  }

  private aggregate(item: AggregateItem, stage: Stage): { aggregate: Aggregate; type: Scalar } {
    const { expression, method } = item
    if (expression === 'count') {
      if (method) return this.binder.refuse('$count is counted without a method.', item)
      return { aggregate: { kind: 'count' }, type: 'Int64' }
    }
    const related = this.related(expression, stage, item)
    if (related?.kind === 'count') {
      if (method) return this.binder.refuse('$count is counted without a method.', item)
      return {
        aggregate: { kind: 'related', method: 'count', rows: related.rows, type: 'Int64' },
        type: 'Int64',
      }
    }
    const value = related?.value ?? this.value(expression, stage)
    const name = method?.toLowerCase()
    switch (name) {
      case 'sum':
      case 'average': {
        if (!isNumeric(value.type))
          return this.binder.refuse(`'${method}' needs numbers, not ${this.binder.nameOf(value.type)}.`, item)
        const type = value.type === 'Double' || value.type === 'Single' ? 'Double' : 'Decimal'
        return { aggregate: aggregateOf(name, value, type, related?.rows), type }
      }
      case 'min':
      case 'max':
        if (value.type === 'Boolean' || value.type === 'Binary')
          return this.binder.refuse(`'${method}' has no order for ${this.binder.nameOf(value.type)}.`, item)
        return { aggregate: aggregateOf(name, value, value.type, related?.rows), type: value.type }
      case 'countdistinct':
        if (related) return this.binder.unsupported('countdistinct through a collection', item)
        return { aggregate: { kind: 'countdistinct', value, type: 'Int64' }, type: 'Int64' }
      case undefined:
        return this.binder.refuse(
          'An aggregate needs a method: with sum, min, max, average or countdistinct.',
          item,
        )
      default:
        return this.binder.unsupported(`The aggregation method '${method}'`, item)
    }
  }

  /** A path that leads through a collection: `Documents/FileSize`, `Documents/$count`. */
  private related(expression: AggregateItem['expression'], { instance }: Stage, at: AggregateItem) {
    if (expression === 'count' || expression.kind !== 'path' || expression.root || instance.kind !== 'entity')
      return undefined
    const [first, ...rest] = expression.steps
    if (first?.kind !== 'name' || rest.length === 0) return undefined
    const navigation = this.context.rights.navigation(instance.set.type, first.name)
    if (!navigation || instance.computed.has(first.name)) return undefined
    if (!navigation.collection) {
      const bound = this.binder.bind({ ...expression, steps: [first] }, { it: instance, current: instance })
      const isPlain = bound.kind === 'entity' && rest.every(({ kind }) => kind === 'name')
      if (isPlain && rest.length === 1) return undefined
      const next = bound.kind === 'entity' && rest[0]?.kind === 'name' ? rest[0].name : ''
      const behind =
        bound.kind === 'entity' ? this.context.rights.navigation(bound.instance.set.type, next) : undefined
      if (!behind?.collection) return undefined
      return this.binder.unsupported('An aggregate through one entity to many', at)
    }
    const bound = this.binder.follow(instance, navigation)
    if (bound.kind !== 'rows') return undefined
    if (rest[0]?.kind === 'count' && !rest[0].filter && !rest[0].search)
      return { kind: 'count' as const, rows: bound.rows, value: undefined }
    const each: EntityInstance = this.binder.instanceOf(bound.set, bound.rows.row)
    const value = this.binder.value({ ...expression, steps: rest }, { it: instance, current: each })
    return { kind: 'value' as const, rows: bound.rows, value }
  }

  private concat({ parts }: Of<'concat'>, stage: Stage): Stage {
    const stages = parts.map((part) => this.run(part, fresh(stage)))
    const row = new RowVariable(undefined)
    const leaves: { path: readonly string[]; type: Scalar }[] = []
    const rows = stages.map((one) => this.leavesOf(one))
    for (const found of rows)
      for (const { path, value } of found) {
        const known = leaves.find((leaf) => leaf.path.join('/') === path.join('/'))
        if (!known) leaves.push({ path, type: value.type })
        else if (known.type !== value.type)
          return this.binder.refuse(`'${path.join('/')}' has different types in the parts of concat.`, {
            at: 0,
          })
      }
    // A flag behind every leaf says which rows have it.
    const types = leaves.flatMap(({ type }): Scalar[] => [type, 'Boolean'])
    const concatenated = stages.map((one, index): ConcatPart => {
      const values = leaves.flatMap(({ path }) => {
        const leaf = rows[index]?.find((found) => found.path.join('/') === path.join('/'))
        const present: Value = leaf
          ? (one.presence.get(leaf.value) ?? {
              kind: 'constant',
              value: true,
              type: 'Boolean',
              nullable: false,
            })
          : { kind: 'constant', value: false, type: 'Boolean', nullable: false }
        return [leaf?.value, present]
      })
      return { from: one.source, where: one.where, fields: values }
    })
    const fields = types.map(
      (type, index): Value => ({ kind: 'field', row, field: index, type, nullable: index % 2 === 0 }),
    )
    const part: Value = { kind: 'field', row, field: types.length, type: 'Int32', nullable: false }
    const members = new Map<string, Value | RecordInstance>()
    const presence = new Map<Value, Value>()
    const declared = new Set<Value>()
    for (const [index, { path }] of leaves.entries()) {
      const value = fields[index * 2] as Value
      const isDeclared = (found: readonly { path: readonly string[]; value: Value }[], part: number) =>
        found.some(
          (leaf) =>
            leaf.path.join('/') === path.join('/') && this.isDeclared(leaf.value, stages[part] as Stage),
        )
      if (rows.some(isDeclared)) declared.add(value)
      place(members, path, value)
      presence.set(value, fields[index * 2 + 1] as Value)
    }
    return {
      source: { kind: 'step', row, step: { kind: 'concat', parts: concatenated, types } },
      instance: { kind: 'record', members },
      order: [],
      keys: [part, ...fields.filter((_, index) => index % 2 === 0)],
      fields: [...fields, part],
      presence,
      declared,
      missing: new Map(),
    }
  }

  private leavesOf({ instance }: Stage): { path: readonly string[]; value: Value }[] {
    if (instance.kind === 'record') return leaves(instance)
    const own = this.context.rights.properties(instance.set.type).map(({ name, column, type, nullable }) => ({
      path: [name],
      value: { kind: 'column', path: instance.path, column, type, nullable } as Value,
    }))
    return [...own, ...[...instance.computed].map(([name, value]) => ({ path: [name], value }))]
  }

  private expectFree(
    alias: string,
    record: RecordInstance,
    place: { readonly at: number },
    before?: Instance,
  ): void {
    const taken =
      before?.kind === 'entity'
        ? (this.context.rights.property(before.set.type, alias) ??
          this.context.rights.navigation(before.set.type, alias))
        : undefined
    if (taken || memberOf(record, alias)) this.binder.refuse(`The name '${alias}' is taken already.`, place)
  }
}

interface GroupPath {
  readonly path: readonly string[]
  readonly value: Value
  /** Of a path through navigation properties: the row at its end. */
  readonly owner: RowPath | undefined
}

/** A stage that two parts of `concat` can start from: variables are bound once in each. */
function fresh(stage: Stage): Stage {
  return { ...stage, order: [] }
}

function aggregateOf(
  method: 'sum' | 'average' | 'min' | 'max',
  value: Value,
  type: Scalar,
  rows: Extract<Aggregate, { kind: 'related' }>['rows'] | undefined,
): Aggregate {
  return rows ? { kind: 'related', method, rows, value, type } : { kind: method, value, type }
}

function place(members: Map<string, Value | RecordInstance>, path: readonly string[], value: Value): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    members.set(name, value)
    return
  }
  let inner = members.get(name)
  if (!inner || !('members' in inner)) {
    inner = { kind: 'record', members: new Map() }
    members.set(name, inner)
  }
  place(inner.members as Map<string, Value | RecordInstance>, rest, value)
}

function objectAt(
  members: ReadonlyMap<string, Value | RecordInstance>,
  path: readonly string[],
): RecordInstance | undefined {
  const [name = '', ...rest] = path
  const found = members.get(name)
  if (!found || !('members' in found)) return undefined
  return rest.length ? objectAt(found.members, rest) : found
}

function leaves(record: RecordInstance): { path: readonly string[]; value: Value }[] {
  return [...record.members].flatMap(([name, member]) =>
    'members' in member
      ? leaves(member).map(({ path, value }) => ({ path: [name, ...path], value }))
      : [{ path: [name], value: member }],
  )
}

/** The names of a path as the model writes them. */
function canonicalNames(path: readonly string[], instance: Instance): readonly string[] {
  const names: string[] = []
  let current: Instance | EntitySet | undefined = instance
  for (const name of path) {
    const lower = name.toLowerCase()
    if (current && 'members' in current) {
      const found: [string, Value | RecordInstance] | undefined = [...current.members].find(
        ([known]) => known.toLowerCase() === lower,
      )
      names.push(found?.[0] ?? name)
      current = found && 'members' in found[1] ? found[1] : undefined
      continue
    }
    const set: EntitySet | undefined = current && 'set' in current ? current.set : current
    const computed = current && 'computed' in current && current.computed.has(name)
    const all = set ? [...set.type.properties.keys(), ...set.type.navigations.keys()] : []
    const known: string = computed
      ? name
      : (all.find((one) => one === name) ?? all.find((one) => one.toLowerCase() === lower) ?? name)
    names.push(known)
    current = set?.type.navigations.get(known)?.target
  }
  return names
}
