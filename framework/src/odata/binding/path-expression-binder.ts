import { type Condition, type RowPath, RowVariable, type Value } from '../../data/query/expression.js'
import type { Property } from '../model/entity-model.js'
import { allOf, conditionValue } from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { Expression, Path, PathStep } from '../syntax/syntax.js'
import { bindAggregateFunction } from './aggregate-binder.js'
import type { Binder } from './binder.js'
import {
  type Bound,
  type EntityInstance,
  type Instance,
  itemScope,
  type ListBound,
  memberOf,
  pathStart,
  type RecordInstance,
  type Scope,
} from './expression-scope.js'
import { bindKeys } from './key-binder.js'
import { bindSearch } from './search-binder.js'

/** A path in an expression: the property, entity or rows that it leads to. */
export function bindPath(binder: Binder, { root, steps, at }: Path, scope: Scope): Bound {
  if (root === '$root') return rootPath(binder, { steps, at }, scope)
  if (root === '$these') return binder.unsupported('These', { at })
  if (typeof root === 'object') {
    // An alias without a value may be an annotation without its namespace.
    if (!binder.context.aliases.has(root.name)) return binder.unsupported('Annotations', root)
    return followed(binder, binder.bind(root, scope), { steps, at }, scope)
  }
  const [first] = steps
  const variable = !root && first?.kind === 'name' ? scope.variables?.get(first.name) : undefined
  const current: Instance = root === '$it' ? scope.it : scope.current
  if (root === '$this' && scope.self) return followed(binder, scope.self, { steps, at }, scope)
  if (!variable) return followed(binder, pathStart(current), { steps, at }, scope)
  const start = variable.kind === 'entity' ? pathStart(variable) : variable
  return followed(binder, start, { steps: steps.slice(1), at }, scope)
}

/** Follows the steps of a path. */
function followed(
  binder: Binder,
  start: Bound | RecordInstance,
  { steps, at }: Omit<Path, 'kind'>,
  scope: Scope,
): Bound {
  let bound = start
  for (const step of steps) bound = stepFrom(binder, bound, step, scope)
  if (bound.kind === 'record' && bound.typeName) return binder.unsupported('StructuredValues', { at })
  if (bound.kind === 'record') return binder.refuse('A group of properties has no value.', { at })
  return bound
}

/** `$root/Ports(…)/Name`, `$root/Ports/$count`: what is not related to the rows at hand. */
function rootPath(binder: Binder, { steps, at }: Path | Omit<Path, 'kind'>, scope: Scope): Bound {
  const [first, second, ...rest] = steps
  const set = first?.kind === 'name' ? binder.context.model.find(first.name) : undefined
  if (!set) return binder.refuse('$root leads to entity sets only, and there is none of this name.', { at })
  binder.context.rights.demand(set)
  const row = new RowVariable(set.meta)
  const instance = binder.instanceOf(set, row)
  if (second?.kind !== 'key') {
    const rows: Bound = { kind: 'rows', set, rows: { from: instance.path, relation: undefined, row } }
    const bound = steps
      .slice(1)
      .reduce<Bound | RecordInstance>((from, step) => stepFrom(binder, from, step, scope), rows)
    return bound as Bound
  }
  const where = bindKeys(binder, set, instance.path, second.keys, { at })
  const bound = rest.reduce<Bound | RecordInstance>((from, step) => stepFrom(binder, from, step, scope), {
    kind: 'entity',
    instance,
  })
  const value = binder.valueOf(bound as Bound, { at })
  return { kind: 'value', value: { kind: 'lookup', row, where, value, type: value.type, nullable: true } }
}

function stepFrom(
  binder: Binder,
  from: Bound | RecordInstance,
  step: PathStep,
  scope: Scope,
): Bound | RecordInstance {
  if (step.kind === 'operation') return otherStep(binder, step)
  if (from.kind === 'record') return recordStep(binder, from, step)
  if (from.kind === 'rows') return rowsStep(binder, from, step, scope)
  if (from.kind === 'items' || from.kind === 'objects') return itemsStep(binder, from, step, scope)
  if (from.kind !== 'entity') return binder.refuse('A value has no properties.', step)
  const { instance } = from
  switch (step.kind) {
    case 'name':
      return member(binder, instance, step.name, step)
    case 'cast':
      if (step.type.toLowerCase() !== instance.set.type.fullName.toLowerCase()) {
        // The parser can't tell a qualified name from the path of one.
        binder.refuse(say`'${step.type}' is no type that '${instance.set.type.fullName}' can be.`, step)
      }
      return from
    default:
      return otherStep(binder, step)
  }
}

/** A step that leads nowhere here. */
function otherStep(binder: Binder, step: PathStep): never {
  if (step.kind === 'aggregate') return binder.refuse("'aggregate' needs a collection.", step)
  if (step.kind !== 'operation') return binder.unsupported('PathInExpression', step)
  const { name } = step
  if (/^(Org\.OData\.Aggregation\.V1|Aggregation)\./i.test(name))
    return binder.unsupported('Hierarchies', step, name)
  if (name.includes('.')) return binder.unsupported('Operations', step, name)
  return binder.refuse(
    say`An unknown function with name '${name}' was found. This may also be a function import or a key lookup on a navigation property, which is not allowed.`,
    step,
  )
}

function member(
  binder: Binder,
  instance: EntityInstance,
  name: string,
  place: { readonly at: number },
): Bound | RecordInstance {
  const { set, path } = instance
  const computed = instance.computed.get(name)
  if (computed) return { kind: 'value', value: computed }
  const property = binder.context.rights.property(set.type, name)
  if (property) {
    return { kind: 'value', value: columnValue(path, property) }
  }
  const complex = binder.context.rights.complex(set.type, name)
  if (complex) {
    const members = [...complex.members.values()].map(
      (inner) => [inner.name, columnValue(path, inner)] as const,
    )
    const { fullName: typeName, members: declared } = complex.type
    return { kind: 'record', members: new Map(members), typeName, declared }
  }
  const list = binder.context.rights.list(set.type, name)
  if (list) return binder.itemsOf(instance, list)
  const navigation = binder.context.rights.navigation(set.type, name)
  if (navigation) return binder.follow(instance, navigation)
  return binder.refuse(say`Could not find a property named '${name}' on type '${set.type.fullName}'.`, place)
}

function columnValue(path: RowPath, { column, type, nullable }: Property): Value {
  // A row that nothing leads to has no values.
  return { kind: 'column', path, column, type, nullable: nullable || path.via.length > 0 }
}

function recordStep(binder: Binder, record: RecordInstance, step: PathStep): Bound | RecordInstance {
  const { typeName } = record
  if (step.kind === 'cast' && step.type.toLowerCase() === typeName?.toLowerCase()) return record
  if (step.kind !== 'name') return binder.unsupported(typeName ? 'PathInExpression' : 'PathAfterApply', step)
  if (record.declared) binder.context.rights.demandMember({ members: record.declared }, step.name)
  const found = memberOf(record, step.name)
  if (!found && typeName)
    return binder.refuse(say`Could not find a property named '${step.name}' on type '${typeName}'.`, step)
  if (!found)
    return binder.refuse(say`Could not find a property named '${step.name}' in the result of $apply.`, step)
  return 'members' in found ? found : { kind: 'value', value: found }
}

function rowsStep(
  binder: Binder,
  from: Extract<Bound, { kind: 'rows' }>,
  step: PathStep,
  scope: Scope,
): Bound {
  const { set, rows } = from
  switch (step.kind) {
    case 'filter': {
      const where = allOf([rows.where, onEach(binder, from, step.filter, scope)])
      return { ...from, rows: { ...rows, where } }
    }
    case 'aggregate':
      return { kind: 'value', value: bindAggregateFunction(binder, from, step.item, scope) }
    case 'count': {
      const where = allOf([
        rows.where,
        step.filter && onEach(binder, from, step.filter, scope),
        step.search && bindSearch(binder.context, set, rows.row, step.search, binder.target),
      ])
      const value: Value = { kind: 'count', rows: { ...rows, where }, type: 'Int64', nullable: false }
      return { kind: 'value', value }
    }
    case 'lambda': {
      if (!step.predicate || step.variable === undefined)
        return { kind: 'value', value: conditionValue({ kind: step.operator, rows }) }
      const variables = new Map(scope.variables)
      variables.set(step.variable, binder.instanceOf(set, rows.row))
      const predicate = binder.condition(step.predicate, { ...scope, variables })
      return { kind: 'value', value: conditionValue({ kind: step.operator, rows, predicate }) }
    }
    case 'cast':
      if (step.type.toLowerCase() === set.type.fullName.toLowerCase()) return from
      return binder.refuse(say`'${step.type}' is no type that '${set.type.fullName}' can be.`, step)
    case 'name':
      return binder.refuse(
        say`The property '${step.name}' can't be reached through a collection: use any, all or $count.`,
        step,
      )
    default:
      return otherStep(binder, step)
  }
}

/** Binds a step behind a list of values or objects. */
function itemsStep(binder: Binder, from: ListBound, step: PathStep, scope: Scope): Bound {
  const { rows } = from
  const inside = itemScope(from, scope)
  switch (step.kind) {
    case 'filter': {
      const where = allOf([rows.where, binder.condition(step.filter, inside)])
      return { ...from, rows: { ...rows, where } }
    }
    case 'count': {
      if (step.search) return binder.unsupported('SearchOfSet', step)
      const where = allOf([rows.where, step.filter && binder.condition(step.filter, inside)])
      return {
        kind: 'value',
        value: { kind: 'count', rows: { ...rows, where }, type: 'Int64', nullable: false },
      }
    }
    case 'lambda': {
      if (!step.predicate || step.variable === undefined)
        return { kind: 'value', value: conditionValue({ kind: step.operator, rows }) }
      const variables = new Map(scope.variables)
      variables.set(step.variable, inside.self)
      const predicate = binder.condition(step.predicate, { ...scope, variables })
      return { kind: 'value', value: conditionValue({ kind: step.operator, rows, predicate }) }
    }
    case 'cast':
      if (from.kind === 'objects' && step.type.toLowerCase() === from.object.typeName?.toLowerCase())
        return from
      return binder.unsupported('PathInExpression', step)
    default:
      return binder.unsupported('PathInExpression', step)
  }
}

function onEach(
  binder: Binder,
  { set, rows }: Extract<Bound, { kind: 'rows' }>,
  filter: Expression,
  scope: Scope,
): Condition {
  return binder.condition(filter, { ...scope, current: binder.instanceOf(set, rows.row) })
}
