import { type Condition, type RowPath, RowVariable, type Value } from '../../data/query/expression.js'
import type { Aggregate, Step } from '../../data/query/query-tree.js'
import type { Scalar } from '../../data/query/scalars.js'
import { type EntitySet, memberNames } from '../model/entity-model.js'
import { conditionValue } from '../model/value-types.js'
import type { GroupItem, Transformation } from '../syntax/syntax.js'
import { bindAggregate } from './aggregate-binder.js'
import { isDeclared, objectAt, type Stage, setMember } from './apply-stage.js'
import type { Instance, RecordInstance } from './expression-scope.js'
import type { StageBinder } from './stage-binder.js'

export interface GroupPath {
  readonly path: readonly string[]
  readonly value: Value
  /** Of a path through navigation properties: the row at its end. */
  readonly owner: RowPath | undefined
}

/** The values that `groupby` groups by, and for a roll-up its levels. */
export function bindGroups(apply: StageBinder, items: readonly GroupItem[], stage: Stage) {
  const paths: GroupPath[] = []
  const add = (path: readonly string[], at: number): number[] =>
    groupPaths(apply, path, stage, { at }).map((wanted) => {
      const known = paths.findIndex((one) => one.path.join('/') === wanted.path.join('/'))
      return known >= 0 ? known : paths.push(wanted) - 1
    })
  let levels: (readonly number[])[] = [[]]
  let rollsUp = false
  for (const item of items) {
    if (item.kind === 'path') {
      const indexes = add(item.path, item.at)
      levels = levels.map((level) => [...level, ...indexes])
      continue
    }
    rollsUp = true
    // A single name is that of a hierarchy in the model, and there are none.
    if (item.paths.length === 1 && !item.all)
      return apply.binder.unsupported('LeveledHierarchies', item, item.paths[0]?.join('/'))
    const indexes = item.paths.map((path) => add(path, item.at))
    const least = item.all ? 0 : 1
    const prefixes = indexes.map((_, index) => indexes.slice(0, indexes.length - index).flat())
    const wanted = [...prefixes, ...(least === 0 ? [[]] : [])]
    levels = levels.flatMap((level) => wanted.map((prefix) => [...level, ...prefix]))
  }
  return { paths, levels: rollsUp ? levels.map((level) => [...new Set(level)]) : undefined }
}

/** Rows that are equal in some paths become one, with aggregates beside them. */
export function bindGroup(
  apply: StageBinder,
  stage: Stage,
  paths: readonly GroupPath[],
  levels: readonly (readonly number[])[] | undefined,
  aggregate: Extract<Transformation, { kind: 'aggregate' }> | undefined,
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
  for (const [index, { path }] of paths.entries()) setMember(root, path, fields[index] as Value)
  for (const { prefix, index } of owners.values()) {
    const object = objectAt(root, prefix)
    if (object) missing.set(object, fields[index] as Value)
  }
  const aggregates: Aggregate[] = []
  for (const item of aggregate?.items ?? []) {
    const bound = bindAggregate(apply, item, stage)
    if (item.alias === undefined) return apply.binder.refuse('Every aggregate needs a name: as Name.', item)
    apply.expectFree(item.alias, { kind: 'record', members: root }, item, stage.instance)
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
    declared: new Set(fields.filter((_, index) => index < by.length && isDeclared(by[index], stage))),
    missing,
  }
}

/**
 * The values that a path stands for: one, or all properties of the entity at its end, which the groups show
 * as a whole.
 */
function groupPaths(
  apply: StageBinder,
  path: readonly string[],
  stage: Stage,
  place: { readonly at: number },
): GroupPath[] {
  const steps = path.map((name) => ({ kind: 'name' as const, at: place.at, name }))
  const { instance } = stage
  const bound = apply.binder.bind({ kind: 'path', at: place.at, steps }, { it: instance, current: instance })
  const names = canonicalNames(path, instance)
  if (bound.kind === 'entity') {
    const { path: owner, set } = bound.instance
    return apply.context.rights.properties(set.type).map(({ name, column, type }) => ({
      path: [...names, name],
      value: { kind: 'column', path: owner, column, type, nullable: true },
      owner,
    }))
  }
  const value = apply.binder.valueOf(bound, place)
  const owner = value.kind === 'column' && value.path.via.length ? value.path : undefined
  return [{ path: names, value, owner }]
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
    const all = set ? memberNames(set.type) : []
    const known: string = computed
      ? name
      : (all.find((one) => one === name) ?? all.find((one) => one.toLowerCase() === lower) ?? name)
    names.push(known)
    current = set?.type.navigations.get(known)?.target
  }
  return names
}
