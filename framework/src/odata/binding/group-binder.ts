import { type Condition, type RowPath, RowVariable, type Value } from '../../data/query/expression.js'
import type { Aggregate, Step } from '../../data/query/query-tree.js'
import type { Scalar } from '../../data/query/scalars.js'
import { type EntitySet, memberNames } from '../model/entity-model.js'
import { conditionValue } from '../model/value-types.js'
import type { AggregateItem, GroupItem, Transformation } from '../syntax/syntax.js'
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
  const { by, owners } = groupedValues(paths)
  const allLevels = levels?.map((level) => [
    ...level,
    ...level.flatMap((index) => owners.get(ownerKey(paths[index]))?.index ?? []),
  ])
  const row = new RowVariable(undefined)
  const field: NewField = (index, type, nullable) => ({ kind: 'field', row, field: index, type, nullable })
  const grouped = by.map((value, index) => field(index, value.type, value.nullable || levels !== undefined))
  const { members, missing } = groupMembers(paths, owners, grouped)
  const { aggregates, values } = bindAggregates(
    apply,
    stage,
    aggregate?.items ?? [],
    members,
    (index, ...of) => field(by.length + index, ...of),
  )
  const flags = (levels ? by : []).map((_, index) =>
    field(by.length + aggregates.length + index, 'Boolean', false),
  )
  const { source, where } = stage
  const step: Step = { kind: 'group', from: source, where, by, levels: allLevels, aggregates, counted }
  return {
    source: { kind: 'step', row, step },
    instance: { kind: 'record', members },
    order: [],
    keys: grouped.flatMap((value, index) => [...flags.slice(index, index + 1), value]),
    fields: [...grouped, ...values, ...flags],
    presence: new Map(flags.map((flag, index) => [grouped[index] as Value, flag])),
    declared: new Set(grouped.filter((_, index) => isDeclared(by[index], stage))),
    missing,
  }
}

type NewField = (index: number, type: Scalar, nullable: boolean) => Value

/**
 * A row at the end of navigation properties, and the position of the value that tells whether it is missing.
 */
interface GroupOwner {
  readonly prefix: readonly string[]
  readonly index: number
}

function ownerKey(path: GroupPath | undefined): string {
  return path?.path.slice(0, -1).join('/') ?? ''
}

/** The values of some paths. A path without a row at its end groups apart from one whose value is null. */
function groupedValues(paths: readonly GroupPath[]) {
  const by = paths.map(({ value }) => value)
  const owners = new Map<string, GroupOwner>()
  for (const wanted of paths) {
    const { path, owner } = wanted
    const key = ownerKey(wanted)
    if (!owner || owners.has(key)) continue
    owners.set(key, { prefix: path.slice(0, -1), index: by.length })
    by.push(conditionValue({ kind: 'missing', path: owner }))
  }
  return { by, owners }
}

/** The members of a group, and the values that tell which of its objects are missing. */
function groupMembers(
  paths: readonly GroupPath[],
  owners: ReadonlyMap<string, GroupOwner>,
  values: readonly Value[],
) {
  const members = new Map<string, Value | RecordInstance>()
  const missing = new Map<RecordInstance, Value>()
  for (const [index, { path }] of paths.entries()) setMember(members, path, values[index] as Value)
  for (const { prefix, index } of owners.values()) {
    const object = objectAt(members, prefix)
    if (object) missing.set(object, values[index] as Value)
  }
  return { members, missing }
}

/** Binds aggregates, and adds them to the members of a group. */
function bindAggregates(
  apply: StageBinder,
  stage: Stage,
  items: readonly AggregateItem[],
  members: Map<string, Value | RecordInstance>,
  field: NewField,
) {
  const aggregates: Aggregate[] = []
  const values: Value[] = []
  for (const item of items) {
    const { aggregate, type } = bindAggregate(apply, item, stage)
    if (item.alias === undefined) return apply.binder.refuse('Every aggregate needs a name: as Name.', item)
    apply.expectFree(item.alias, { kind: 'record', members }, item, stage.instance)
    const isCount = aggregate.kind === 'count' || aggregate.kind === 'countdistinct'
    const value = field(aggregates.length, type, !isCount)
    aggregates.push(aggregate)
    values.push(value)
    members.set(item.alias, value)
  }
  return { aggregates, values }
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
