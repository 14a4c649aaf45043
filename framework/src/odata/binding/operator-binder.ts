import type { Condition, FunctionName, Value } from '../../data/query/expression.js'
import type { Scalar, ScalarName } from '../../data/query/scalars.js'
import {
  conditionValue,
  functionCall,
  isInteger,
  isNumeric,
  promotedType,
  truthOf,
} from '../model/value-types.js'
import { withLists } from '../syntax/equal-chains.js'
import { say } from '../syntax/odata-error.js'
import type { Binary, Expression } from '../syntax/syntax.js'
import type { Binder } from './binder.js'
import { bindComparison, bindEqualities, bindMembership } from './comparison-binder.js'
import type { Bound, Scope } from './expression-scope.js'
import { numberIn } from './literal-values.js'

/** `not` or a minus before an operand. */
export function bindUnary(
  binder: Binder,
  { operator, operand }: Extract<Expression, { kind: 'unary' }>,
  scope: Scope,
): Value {
  if (operator === 'not') {
    const value = binder.value(operand, scope, 'Boolean')
    if (value.type !== 'Boolean') return refuseOperand(binder, value.type, 'Not', operand)
    if (value.kind === 'null') return value
    return conditionValue({ kind: 'not', condition: truthOf(value) })
  }
  const value = binder.value(operand, scope)
  if (!isNumeric(value.type) && value.type !== 'Duration')
    return refuseOperand(binder, value.type, 'Negate', operand)
  return functionCall('neg', [value], value.type === 'Int16' ? 'Int32' : value.type)
}

function refuseOperand(
  binder: Binder,
  type: Scalar,
  operator: string,
  place: { readonly at: number },
): never {
  return binder.refuse(
    say`A unary operator with an incompatible type was detected. Found operand type '${binder.nameOf(type)}' for operator kind '${operator}'.`,
    place,
  )
}

export function bindBinary(binder: Binder, expression: Binary, scope: Scope): Value {
  const { operator, operands } = expression
  switch (operator) {
    case 'and':
    case 'or':
      return conditionValue({
        kind: operator,
        conditions: withLists(operator, operands).map((operand) =>
          'kind' in operand
            ? logical(binder, operand, scope, operator)
            : bindEqualities(binder, operator, operand, scope),
        ),
      })
    case 'in':
      return conditionValue(bindMembership(binder, operands, scope))
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return conditionValue(bindComparison(binder, operator, expression, scope))
    case 'has':
      return bindHas(binder, expression, scope)
    default:
      return bindArithmetic(binder, operator, expression, scope)
  }
}

function logical(binder: Binder, operand: Expression, scope: Scope, operator: string): Condition {
  const value = binder.value(operand, scope, 'Boolean')
  if (value.type !== 'Boolean')
    binder.mismatch(value.type, 'Boolean', operand, operator === 'and' ? 'And' : 'Or')
  return value.kind === 'null' ? { kind: 'truth', value } : truthOf(value)
}

function bindHas(binder: Binder, { operands: [l, r], at }: Binary, scope: Scope): Value {
  const left = binder.value(l as Expression, scope)
  if (typeof left.type === 'string' || left.type.stored === 'name')
    return binder.refuse('The operator has needs an enumeration that is stored as numbers.', { at })
  const right = binder.value(r as Expression, scope, left.type)
  if (right.type !== left.type) binder.mismatch(left.type, right.type, { at }, 'Has')
  return functionCall('has', [left, right], 'Boolean')
}

function bindArithmetic(
  binder: Binder,
  operator: Binary['operator'],
  { operands, at }: Binary,
  scope: Scope,
): Value {
  const [l, r] = operands as [Expression, Expression]
  const left = binder.bind(l, scope)
  const right = binder.bind(r, scope)
  const first = besideOther(binder, left, right, l)
  const b = besideOther(binder, right, left, r)
  const made = combine(operator, first, b)
  if (!made) binder.mismatch(first.type, b.type, { at }, arithmeticKinds[operator] ?? operator)
  return made
}

/** A text in quotes is a number beside a number, and a duration beside a time. */
function besideOther(binder: Binder, bound: Bound, other: Bound, place: Expression): Value {
  if (bound.kind !== 'literal' || bound.literal.type !== 'string') return binder.valueOf(bound, place)
  const isNumber =
    other.kind === 'value'
      ? isNumeric(other.value.type)
      : other.kind === 'literal' && isNumeric(binder.typeOf(other.literal))
  const number = isNumber ? numberIn(bound.literal) : undefined
  return number ? binder.literalValue(number) : binder.valueOf(bound, place, 'Duration')
}

const arithmeticKinds: Readonly<Record<string, string>> = {
  add: 'Add',
  sub: 'Subtract',
  mul: 'Multiply',
  div: 'Divide',
  divby: 'Divide',
  mod: 'Modulo',
}

const numberOperators = ['add', 'sub', 'mul', 'div', 'mod'] as const

/** Arithmetic with times: the function, and the type of its result. */
const timeOperations: Readonly<Record<string, readonly [FunctionName, ScalarName]>> = {
  'DateTimeOffset add Duration': ['add', 'DateTimeOffset'],
  'Duration add DateTimeOffset': ['add', 'DateTimeOffset'],
  'DateTimeOffset sub Duration': ['sub', 'DateTimeOffset'],
  'DateTimeOffset sub DateTimeOffset': ['sub', 'Duration'],
  'Date add Duration': ['add', 'Date'],
  'Duration add Date': ['add', 'Date'],
  'Date sub Duration': ['sub', 'Date'],
  'Date sub Date': ['dateDifference', 'Duration'],
  'Duration add Duration': ['add', 'Duration'],
  'Duration sub Duration': ['sub', 'Duration'],
  'Duration mul number': ['mul', 'Duration'],
  'number mul Duration': ['mul', 'Duration'],
  'Duration div number': ['div', 'Duration'],
  'Duration divby number': ['div', 'Duration'],
}

/** The result of an operation; undefined when there is none for the types of its operands. */
function combine(operator: Binary['operator'], a: Value, b: Value): Value | undefined {
  if (a.kind === 'null' || b.kind === 'null') {
    const type = a.kind === 'null' ? b.type : a.type
    return { kind: 'null', type, nullable: true }
  }
  if (isNumeric(a.type) && isNumeric(b.type)) {
    const type = promotedType(a.type, b.type)
    if (operator === 'divby') return functionCall('div', [a, b], isInteger(type) ? 'Decimal' : type)
    const name = numberOperators.find((one) => one === operator)
    return name && functionCall(name, [a, b], type)
  }
  const [left, right] = [a, b].map(({ type }) => (isNumeric(type) ? 'number' : type))
  const [name, type] = timeOperations[`${left} ${operator} ${right}`] ?? []
  return name && type && functionCall(name, [a, b], type)
}
