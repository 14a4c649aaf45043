import type { Condition, Value } from '../../data/query/expression.js'
import { decided, expected } from '../../data/query/parameter.js'
import { firstInstant, lastInstant, type Scalar, type ScalarName } from '../../data/query/scalars.js'
import { type ArgumentKind, argumentTypes, type Signature, signatures } from '../model/function-signatures.js'
import {
  allOf,
  areComparable,
  conditionValue,
  functionCall,
  isInteger,
  isNumeric,
  promotedType,
} from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { Call, Expression } from '../syntax/syntax.js'
import type { Binder } from './binder.js'
import { bindCast, bindIsOf } from './cast-binder.js'
import { itemsOf } from './comparison-binder.js'
import { itemValue, type Scope } from './expression-scope.js'
import { numberIn, offsetMinutes, withoutOffset } from './literal-values.js'

const mostPatternLength = 200
/** Different values of a list that another is asked for: each is looked for on its own. */
const mostInSubset = 50

/** A call of a function as a value. */
export function bindCall(binder: Binder, place: Call, scope: Scope): Value {
  const name = place.name.toLowerCase()
  switch (name) {
    case 'now':
      expectCount(binder, place, 0)
      return { kind: 'now', type: 'DateTimeOffset', nullable: false }
    case 'mindatetime':
      return constant('DateTimeOffset', firstInstant)
    case 'maxdatetime':
      return constant('DateTimeOffset', lastInstant)
    case 'case':
      return bindCase(binder, place, scope)
    case 'cast':
      return bindCast(binder, place, scope)
    case 'isof':
      return bindIsOf(binder, place, scope)
  }
  const signature = Object.hasOwn(signatures, name) ? signatures[name] : undefined
  if (!signature) {
    if (name === 'hassubset') return bindHasSubset(binder, place, scope)
    if (name === 'hassubsequence') return binder.unsupported('CollectionFunctions', place, place.name)
    if (name.startsWith('geo.')) return binder.unsupported('Geography', place, place.name)
    if (name === 'isdefined') return binder.unsupported('IsDefined', place)
    return binder.refuse(
      say`An unknown function with name '${place.name}' was found. This may also be a function import or a key lookup on a navigation property, which is not allowed.`,
      place,
    )
  }
  return bindSignature(binder, place, scope, signature)
}

/** `hassubset(Tags,['a','b'])`: a property has all values of a list, each as often as the list has it. */
function bindHasSubset(binder: Binder, place: Call, scope: Scope): Value {
  expectCount(binder, place, 2)
  const [whole, part] = place.args
  const bound = whole?.kind === 'path' ? binder.bind(whole, scope) : undefined
  const wanted = part && part.kind !== 'type' ? itemsOf(binder, part) : undefined
  if (bound?.kind !== 'items' || !wanted) return binder.unsupported('CollectionFunctions', place, place.name)
  const item = itemValue(bound)
  const times = new Map<string, { readonly value: Value; count: number }>()
  for (const one of wanted) {
    const value = binder.value(one, scope, item.type)
    if (value.kind !== 'constant') return binder.unsupported('CollectionFunctions', one, place.name)
    if (!areComparable(item.type, value.type)) binder.mismatch(item.type, value.type, one)
    const text = String(decided(value.value))
    const known = times.get(text)
    if (known) known.count++
    else times.set(text, { value, count: 1 })
  }
  if (times.size > mostInSubset)
    binder.refuse(say`'${place.name}' takes at most ${mostInSubset} different values.`, place)
  const conditions = [...times.values()].map(({ value, count }): Condition => {
    // A row variable stands for one place in the statement.
    const again = binder.bind(whole as Expression, scope) as typeof bound
    const equal: Condition = { kind: 'compare', comparison: 'eq', left: itemValue(again), right: value }
    if (count === 1) return { kind: 'any', rows: again.rows, predicate: equal }
    const where = allOf([again.rows.where, equal])
    const left: Value = { kind: 'count', rows: { ...again.rows, where }, type: 'Int64', nullable: false }
    return { kind: 'compare', comparison: 'ge', left, right: constant('Int64', String(count)) }
  })
  return conditionValue(allOf(conditions) ?? { kind: 'constant', value: true })
}

function bindSignature(binder: Binder, place: Call, scope: Scope, signature: Signature): Value {
  const { args, optional = 0, name, result } = signature
  const given = place.args
  if (given.length > args.length || given.length < args.length - optional)
    expectCount(binder, place, args.length)
  const values = given.map((argument, index) => {
    const kind = args[index] ?? 'text'
    const value = valueArgument(binder, place, argument, scope, kind === 'text' ? 'String' : undefined, kind)
    if (value.kind !== 'null' && !argumentTypes[kind].includes(value.type))
      refuseArgument(binder, place, value, index)
    return value.kind === 'null' ? { ...value, type: argumentTypes[kind][0] ?? 'String' } : value
  })
  const [first, second, third] = values
  const type = result === 'same' ? (first?.type ?? 'Int32') : result
  if (values.some(({ kind }) => kind === 'null')) return { kind: 'null', type, nullable: true }
  if (result === 'same' && first && isInteger(first.type)) return first
  const isNegative = (value: unknown) => String(value).startsWith('-')
  if (name === 'substring' && third?.kind === 'constant' && expected(third.value, isNegative))
    binder.refuse(say`The length of '${place.name}' must not be negative.`, place)
  if (name === 'substring') return functionCall(name, values.map(asInt32), type)
  if (name === 'totalOffsetMinutes' && given[0]?.kind === 'literal' && given[0].type === 'dateTimeOffset') {
    const value = binder.context.inputs.derive(given[0], (literal) => String(offsetMinutes(literal)))
    return { kind: 'constant', value, type, nullable: false }
  }
  if (name === 'matches') checkPattern(binder, place, second)
  return functionCall(name, values, type)
}

function asInt32(value: Value): Value {
  return value.type === 'Int64' || value.type === 'Int16' ? functionCall('cast', [value], 'Int32') : value
}

function valueArgument(
  binder: Binder,
  place: Call,
  argument: Call['args'][number],
  scope: Scope,
  expected: Scalar | undefined,
  kind: ArgumentKind,
): Value {
  if (argument.kind === 'type') return binder.refuse(say`'${place.name}' takes no type here.`, argument)
  const isText = argument.kind === 'literal' && argument.type === 'string'
  // Parts of a literal are those that were written, whatever they are in UTC.
  if (argument.kind === 'literal' && argument.type === 'dateTimeOffset')
    return binder.value(binder.context.inputs.view(argument, withoutOffset), scope)
  if (!isText || kind === 'text')
    return binder.value(argument, scope, argument.kind === 'literal' && !isText ? undefined : expected)
  // `year('2024-01-01')`, `totalseconds('PT1H')`, `floor('1.5')`: texts in the place of times and numbers.
  const [first = 'String'] = argumentTypes[kind]
  return isNumeric(first)
    ? binder.value(numberIn(argument) ?? argument, scope)
    : binder.value(argument, scope, first)
}

function expectCount(binder: Binder, place: Call, count: number): void {
  if (place.args.length !== count)
    binder.refuse(
      count === 1
        ? say`The function '${place.name}' takes 1 argument, not ${place.args.length}.`
        : say`The function '${place.name}' takes ${count} arguments, not ${place.args.length}.`,
      place,
    )
}

function refuseArgument(binder: Binder, place: Call, value: Value, index: number): never {
  return binder.refuse(
    say`No function signature for the function with name '${place.name}' matches the specified arguments: argument ${index + 1} is of type '${binder.nameOf(value.type)}'.`,
    place,
  )
}

function constant(type: ScalarName, value: string): Value {
  return { kind: 'constant', value, type, nullable: false }
}

/** Patterns are checked by JavaScript's reader, whose language PostgreSQL's contains but for details. */
function checkPattern(binder: Binder, place: Call, pattern: Value | undefined): void {
  if (pattern?.kind !== 'constant') binder.unsupported('VariablePattern', place)
  const text = String(decided(pattern.value))
  try {
    new RegExp(text, 'u')
  } catch {
    binder.refuse('The pattern is not a regular expression.', place)
  }
  if (text.length > mostPatternLength || /\\[1-9k]/.test(text) || text.startsWith('***'))
    binder.refuse(say`A pattern has at most ${mostPatternLength} characters and no references back.`, place)
}

function bindCase(binder: Binder, place: Call, scope: Scope): Value {
  const branches = (place.branches ?? []).map((branch) => ({
    when: binder.condition(branch.when, scope),
    value: binder.value(branch.then, scope),
    place: branch.then,
  }))
  const typed = branches.filter(({ value }) => value.kind !== 'null')
  const [first] = typed
  if (!first) return { kind: 'null', type: 'String', nullable: true }
  let { type } = first.value
  for (const { value, place: at } of typed) {
    if (value.type === type) continue
    if (!isNumeric(value.type) || !isNumeric(type)) binder.mismatch(type, value.type, at)
    type = promotedType(type, value.type)
  }
  const cast = (value: Value): Value =>
    value.kind === 'null' || value.type === type ? { ...value, type } : functionCall('cast', [value], type)
  return {
    kind: 'case',
    branches: branches.map(({ when, value }) => ({ when, value: cast(value) })),
    type,
    nullable: true,
  }
}
