import type { Condition, FunctionName, Value } from '../../data/query/expression.js'
import { decided } from '../../data/query/parameter.js'
import type { Scalar } from '../../data/query/scalars.js'

/** Numbers, from those that give way to those that they are made into. */
const ranks: readonly Scalar[] = ['Int16', 'Int32', 'Int64', 'Decimal', 'Single', 'Double']

/** Says whether values of a type are numbers. */
export function isNumeric(type: Scalar): boolean {
  return ranks.includes(type)
}

/** Says whether values of a type are whole numbers. */
export function isInteger(type: Scalar): boolean {
  return type === 'Int16' || type === 'Int32' || type === 'Int64'
}

/** The type that two numbers are computed in: at least Int32. */
export function promotedType(left: Scalar, right: Scalar): Scalar {
  const rank = Math.max(ranks.indexOf(left), ranks.indexOf(right), 1)
  return ranks[rank] ?? 'Double'
}

/** Says whether values of two types can be compared without a conversion. */
export function areComparable(left: Scalar, right: Scalar): boolean {
  return left === right || (isNumeric(left) && isNumeric(right))
}

/** The name of a type as messages and annotations have it. */
export function typeName(type: Scalar | { readonly name: string }, namespace: string): string {
  return typeof type === 'string' ? `Edm.${type}` : `${namespace}.${type.name}`
}

/** A function of values: null when one of them is. */
export function functionCall(name: FunctionName, args: readonly Value[], type: Scalar): Value {
  return { kind: 'call', name, args, type, nullable: args.some(({ nullable }) => nullable) }
}

/** A condition as a value. */
export function conditionValue(condition: Condition): Value {
  return { kind: 'condition', condition, type: 'Boolean', nullable: mayBeNull(condition) }
}

/** A value as a condition. */
export function truthOf(value: Value): Condition {
  if (value.kind === 'condition') return value.condition
  if (value.kind === 'constant') return { kind: 'constant', value: decided(value.value) === true }
  return { kind: 'truth', value }
}

function mayBeNull(condition: Condition): boolean {
  switch (condition.kind) {
    case 'truth':
      return condition.value.nullable
    case 'not':
      return mayBeNull(condition.condition)
    case 'and':
    case 'or':
      return condition.conditions.some(mayBeNull)
    case 'search':
      return true
    default:
      return false
  }
}

/** All of the conditions; undefined for none. */
export function allOf(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length > 1 ? { kind: 'and', conditions: given } : given[0]
}
