import { RowVariable, type Value } from '../../data/query/expression.js'
import type { ConcatPart } from '../../data/query/query-tree.js'
import type { Scalar } from '../../data/query/scalars.js'
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
  const leaves: { path: readonly string[]; type: Scalar }[] = []
  const rows = stages.map((one) => leavesOf(apply, one))
  for (const found of rows)
    for (const { path, value } of found) {
      const known = leaves.find((leaf) => leaf.path.join('/') === path.join('/'))
      if (!known) leaves.push({ path, type: value.type })
      else if (known.type !== value.type)
        return apply.binder.refuse(`'${path.join('/')}' has different types in the parts of concat.`, {
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
    const isIn = (found: readonly { path: readonly string[]; value: Value }[], part: number) =>
      found.some(
        (leaf) => leaf.path.join('/') === path.join('/') && isDeclared(leaf.value, stages[part] as Stage),
      )
    if (rows.some(isIn)) declared.add(value)
    setMember(members, path, value)
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
