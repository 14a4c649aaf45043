import { RowVariable, type Value } from '../../data/query/expression.js'
import type { ConcatPart, Step } from '../../data/query/query-tree.js'
import type { Scalar } from '../../data/query/scalars.js'
import { say } from '../syntax/odata-error.js'
import type { Transformation } from '../syntax/syntax.js'
import { isDeclared, type Stage, setMember, valuesWithPaths } from './apply-stage.js'
import type { RecordInstance } from './expression-scope.js'
import type { StageBinder } from './stage-binder.js'

/** Rows of several parts one behind the other: each has the values of all. */
export function bindConcat(
  apply: StageBinder,
  { parts }: Extract<Transformation, { kind: 'concat' }>,
  stage: Stage,
): Stage {
  const stages = parts.map((part) => apply.run(part, fresh(stage)))
  const row = new RowVariable(undefined)
  const parted = stages.map((one) => ({ stage: one, leaves: leavesByPath(apply, one) }))
  const leaves = leavesOfAll(apply, parted)
  // A flag behind every leaf says which rows have it.
  const types = leaves.flatMap(({ value }): Scalar[] => [value.type, 'Boolean'])
  const fields = types.map(
    (type, index): Value => ({ kind: 'field', row, field: index, type, nullable: index % 2 === 0 }),
  )
  const members = new Map<string, Value | RecordInstance>()
  const presence = new Map<Value, Value>()
  const declared = new Set<Value>()
  for (const [index, { key, path }] of leaves.entries()) {
    const value = fields[index * 2] as Value
    if (parted.some((part) => isDeclared(part.leaves.get(key)?.value, part.stage))) declared.add(value)
    setMember(members, path, value)
    presence.set(value, fields[index * 2 + 1] as Value)
  }
  const step: Step = { kind: 'concat', parts: parted.map((part) => partOf(part, leaves)), types }
  const part: Value = { kind: 'field', row, field: types.length, type: 'Int32', nullable: false }
  return {
    source: { kind: 'step', row, step },
    instance: { kind: 'record', members },
    order: [],
    keys: [part, ...fields.filter((_, index) => index % 2 === 0)],
    fields: [...fields, part],
    presence,
    declared,
    missing: new Map(),
  }
}

/** A value of a row, and where it stands in the row. */
interface Leaf {
  /** The path as one text. */
  readonly key: string
  readonly path: readonly string[]
  readonly value: Value
}

interface Part {
  readonly stage: Stage
  readonly leaves: ReadonlyMap<string, Leaf>
}

function leavesByPath(apply: StageBinder, stage: Stage): ReadonlyMap<string, Leaf> {
  return new Map(
    leavesOf(apply, stage).map(({ path, value }) => {
      const key = path.join('/')
      return [key, { key, path, value }]
    }),
  )
}

/** The leaves of all parts, each once. */
function leavesOfAll(apply: StageBinder, parts: readonly Part[]): readonly Leaf[] {
  const found = new Map<string, Leaf>()
  for (const { leaves } of parts)
    for (const leaf of leaves.values()) {
      const known = found.get(leaf.key)
      if (!known) found.set(leaf.key, leaf)
      else if (known.value.type !== leaf.value.type)
        apply.binder.refuse(say`'${leaf.key}' has different types in the parts of concat.`, { at: 0 })
    }
  return [...found.values()]
}

/**
 * The fields of a part for the leaves of all parts: each value that the part has, and which of its rows have
 * it.
 */
function partOf({ stage, leaves }: Part, all: readonly Leaf[]): ConcatPart {
  const { source, where, presence } = stage
  const fields = all.flatMap(({ key }) => {
    const value = leaves.get(key)?.value
    const isThere: Value = { kind: 'constant', value: value !== undefined, type: 'Boolean', nullable: false }
    return [value, (value && presence.get(value)) ?? isThere]
  })
  return { from: source, where, fields }
}

function leavesOf(apply: StageBinder, { instance }: Stage): { path: readonly string[]; value: Value }[] {
  if (instance.kind === 'record') return valuesWithPaths(instance)
  const own = apply.context.rights.properties(instance.set.type).map(({ name, column, type, nullable }) => ({
    path: [name],
    value: { kind: 'column', path: instance.path, column, type, nullable } as Value,
  }))
  if (apply.context.rights.lists(instance.set.type).length)
    return apply.binder.unsupported('ListsInConcat', { at: 0 }, instance.set.name)
  const inside = apply.context.rights.complexes(instance.set.type).flatMap(({ name: complex, members }) =>
    [...members.values()].map(({ name, column, type, nullable }) => ({
      path: [complex, name],
      value: { kind: 'column', path: instance.path, column, type, nullable } as Value,
    })),
  )
  return [...own, ...inside, ...[...instance.computed].map(([name, value]) => ({ path: [name], value }))]
}

/** A stage that two parts of `concat` can start from: variables are bound once in each. */
function fresh(stage: Stage): Stage {
  return { ...stage, order: [] }
}
