import type { Condition, Value } from '../../data/query/expression.js'
import { mapParameter, type Parameter } from '../../data/query/parameter.js'
import type { Scalar } from '../../data/query/scalars.js'
import { areComparable } from '../model/value-types.js'
import type { Equality } from '../syntax/equal-chains.js'
import { say } from '../syntax/odata-error.js'
import type { Binary, Expression, Literal, Path, PathStep } from '../syntax/syntax.js'
import type { Binder } from './binder.js'
import { type Bound, itemValue, type Scope } from './expression-scope.js'

/** `eq`, `lt` and so on: literals take the type of the other side. */
export function bindComparison(
  binder: Binder,
  comparison: Extract<Condition, { kind: 'compare' }>['comparison'],
  { operands, at }: Binary,
  scope: Scope,
): Condition {
  const [l, r] = operands as [Expression, Expression]
  const leftItems = itemsOf(binder, l)
  const rightItems = itemsOf(binder, r)
  if (leftItems && rightItems && (comparison === 'eq' || comparison === 'ne')) {
    const equal = equalItems(binder, leftItems, rightItems, scope)
    return comparison === 'eq' ? equal : { kind: 'not', condition: equal }
  }
  const left = binder.bind(l, scope)
  const right = binder.bind(r, scope)
  for (const bound of [left, right])
    if (bound.kind === 'literal' && bound.literal.type === 'json')
      return binder.unsupported('StructuredValues', bound.literal)
  if (isNull(left) || isNull(right)) return withNull(binder, comparison, isNull(left) ? right : left, { at })
  if (left.kind === 'literal' && right.kind !== 'literal')
    return withLiteral(binder, mirrored[comparison], binder.valueOf(right, r), left.literal, comparison)
  if (right.kind === 'literal' && left.kind !== 'literal')
    return withLiteral(binder, comparison, binder.valueOf(left, l), right.literal, comparison)
  const a = binder.valueOf(left, l)
  const b = right.kind === 'literal' ? besides(binder, right.literal, a.type) : binder.valueOf(right, r)
  if (!areComparable(a.type, b.type)) binder.mismatch(a.type, b.type, { at }, kindOf[comparison])
  return { kind: 'compare', comparison, left: a, right: b }
}

/** A literal beside another literal. */
function besides(binder: Binder, literal: Literal, type: Scalar): Value {
  const typed = binder.typed(literal, type)
  return typed?.kind === 'value' ? typed.value : binder.literalValue(literal)
}

function withNull(
  binder: Binder,
  comparison: string,
  other: Bound,
  place: { readonly at: number },
): Condition {
  const negate = (condition: Condition): Condition =>
    comparison === 'ne' ? { kind: 'not', condition } : condition
  if (comparison !== 'eq' && comparison !== 'ne') {
    binder.valueOf(other, place)
    return { kind: 'constant', value: false }
  }
  if (other.kind === 'literal') return { kind: 'constant', value: isNull(other) === (comparison === 'eq') }
  if (other.kind === 'entity') {
    const { path } = other.instance
    return negate(path.via.length ? { kind: 'missing', path } : { kind: 'constant', value: false })
  }
  const value = binder.valueOf(other, place)
  return negate(value.kind === 'null' ? { kind: 'constant', value: true } : { kind: 'isNull', value })
}

function withLiteral(
  binder: Binder,
  comparison: Extract<Condition, { kind: 'compare' }>['comparison'],
  value: Value,
  literal: Literal,
  written: Extract<Condition, { kind: 'compare' }>['comparison'],
): Condition {
  const typed = binder.typed(literal, value.type)
  if (!typed) return binder.mismatch(value.type, binder.typeOf(literal), literal, kindOf[written])
  if (typed.kind === 'value') return { kind: 'compare', comparison, left: value, right: typed.value }
  if (comparison === 'eq' || comparison === 'ne') return { kind: 'constant', value: comparison === 'ne' }
  if (typed.kind === 'between') {
    const below = comparison === 'lt' || comparison === 'le'
    return { kind: 'compare', comparison: below ? 'le' : 'gt', left: value, right: typed.value }
  }
  const isTrue = typed.side !== 0 && typed.side > 0 === (comparison === 'lt' || comparison === 'le')
  if (!isTrue) return { kind: 'constant', value: false }
  return value.nullable
    ? { kind: 'not', condition: { kind: 'isNull', value } }
    : { kind: 'constant', value: true }
}

export function bindMembership(binder: Binder, [l, r]: readonly Expression[], scope: Scope): Condition {
  if (!l || !r) throw new Error('in has two operands')
  const list = binder.resolveAlias(r)
  const items = list.kind === 'literal' && list.type === 'null' ? [] : itemsOf(binder, list)
  if (!items)
    return list.kind === 'path'
      ? memberOfRows(binder, l, list, scope)
      : binder.refuse('A list or a collection was expected.', r)
  const resolved = items.map((item) => binder.resolveAlias(item))
  const wanted = itemsOf(binder, l)
  if (wanted) {
    const conditions = resolved.map((item) => {
      const others = itemsOf(binder, item)
      return others
        ? equalItems(binder, wanted, others, scope)
        : binder.refuse('A list can only be among lists.', item)
    })
    return conditions.length ? { kind: 'or', conditions } : { kind: 'constant', value: false }
  }
  const literals = resolved.filter((item): item is Literal => item.kind === 'literal' && item.type !== 'json')
  if (literals.length < items.length) {
    const conditions = resolved.map((item) => {
      const equal: Binary = { kind: 'binary', at: item.at, operator: 'eq', operands: [l, item] }
      return bindComparison(binder, 'eq', equal, scope)
    })
    return { kind: 'or', conditions }
  }
  return amongLiterals(binder, binder.value(l, scope), literals)
}

/** A chain that compares one property with several constants, as a list. */
export function bindEqualities(
  binder: Binder,
  chain: 'and' | 'or',
  equalities: readonly Equality[],
  scope: Scope,
): Condition {
  const [first] = equalities
  if (!first) throw new Error('A list has items')
  const bound = binder.bind(first.path, scope)
  const literals = equalities.map(({ literal }) => literal)
  if (bound.kind === 'value') {
    const among = amongLiterals(binder, bound.value, literals)
    return chain === 'or' ? among : { kind: 'not', condition: among }
  }
  // An entity that is there or not.
  const conditions = equalities.map(({ path, literal }) => {
    const operator = chain === 'or' ? 'eq' : 'ne'
    const operands = [path, literal]
    return bindComparison(binder, operator, { kind: 'binary', at: path.at, operator, operands }, scope)
  })
  return { kind: chain, conditions }
}

function amongLiterals(binder: Binder, value: Value, literals: readonly Literal[]): Condition {
  const values: (string | Parameter<string>)[] = []
  let orNull = false
  for (const literal of literals) {
    if (literal.type === 'null') orNull = true
    else {
      const typed = binder.typed(literal, value.type)
      if (!typed) binder.mismatch(value.type, binder.typeOf(literal), literal)
      if (typed.kind === 'value') values.push(mapParameter(typed.value.value, String))
    }
  }
  return { kind: 'in', value, values, orNull: orNull && value.nullable }
}

/** `x in Documents/Title`: a value is that of a property of one of many rows. */
function memberOfRows(binder: Binder, l: Expression, path: Path, scope: Scope): Condition {
  const last = path.steps.at(-1)
  const rows = last && binder.bind({ ...path, steps: path.steps.slice(0, -1) }, scope)
  if (rows?.kind !== 'rows' && rows?.kind !== 'objects') return memberOfItems(binder, l, path, scope)
  const current = rows.kind === 'objects' ? rows.object : binder.instanceOf(rows.set, rows.rows.row)
  const right = binder.value({ kind: 'path', at: path.at, steps: [last as PathStep] }, { ...scope, current })
  const left = binder.value(l, scope, right.type)
  if (!areComparable(left.type, right.type)) binder.mismatch(left.type, right.type, path)
  const predicate: Condition = { kind: 'compare', comparison: 'eq', left, right }
  return { kind: 'any', rows: rows.rows, predicate }
}

/** `'a' in Tags`: a value is one of a list. */
function memberOfItems(binder: Binder, l: Expression, path: Path, scope: Scope): Condition {
  const items = binder.bind(path, scope)
  if (items.kind !== 'items') return binder.refuse('A list or a collection was expected.', path)
  const right = itemValue(items)
  const left = binder.value(l, scope, right.type)
  if (!areComparable(left.type, right.type)) binder.mismatch(left.type, right.type, path)
  const predicate: Condition = { kind: 'compare', comparison: 'eq', left, right }
  return { kind: 'any', rows: items.rows, predicate }
}

/** Two lists have as many items, and these are equal in pairs. */
function equalItems(
  binder: Binder,
  left: readonly Expression[],
  right: readonly Expression[],
  scope: Scope,
): Condition {
  if (left.length !== right.length) return { kind: 'constant', value: false }
  if (left.length === 0) return { kind: 'constant', value: true }
  const conditions = left.map((item, index) => {
    const operands = [item, right[index] as Expression]
    return bindComparison(binder, 'eq', { kind: 'binary', at: item.at, operator: 'eq', operands }, scope)
  })
  return { kind: 'and', conditions }
}

/** The items of a list or a JSON array; undefined for any other expression. */
export function itemsOf(binder: Binder, expression: Expression): readonly Expression[] | undefined {
  const list = binder.resolveAlias(expression)
  if (list.kind === 'list') return list.items
  return list.kind === 'literal' && list.type === 'json' ? jsonItems(binder, list) : undefined
}

/** A JSON array as the literals that stand for its items; undefined for an object. */
function jsonItems(binder: Binder, literal: Literal): readonly Literal[] | undefined {
  const items: unknown = JSON.parse(literal.text)
  if (!Array.isArray(items)) return undefined
  const { maxListItems } = binder.context.limits
  if (items.length > maxListItems)
    binder.refuse(say`The limit of '${maxListItems}' values of a list has been exceeded.`, literal)
  return items.map((item: unknown): Literal => {
    const place = { kind: 'literal', at: literal.at } as const
    if (item === null) return { ...place, type: 'null', text: 'null' }
    if (typeof item === 'string') return { ...place, type: 'string', text: item }
    if (typeof item === 'boolean') return { ...place, type: 'boolean', text: String(item) }
    if (typeof item === 'number')
      return {
        ...place,
        type: Number.isInteger(item) && Math.abs(item) < 1e21 ? 'integer' : 'number',
        text: String(item),
      }
    return { ...place, type: 'json', text: JSON.stringify(item) }
  })
}

function isNull(bound: Bound): boolean {
  return (
    (bound.kind === 'literal' && bound.literal.type === 'null') ||
    (bound.kind === 'value' && bound.value.kind === 'null')
  )
}

const mirrored = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' } as const
const kindOf: Readonly<Record<string, string>> = {
  eq: 'Equal',
  ne: 'NotEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
}
