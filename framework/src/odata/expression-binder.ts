import {
  type Condition,
  type RelatedRows,
  type RowPath,
  RowVariable,
  type Value,
} from '../data/query/expression.js'
import type { Scalar } from '../data/query/scalars.js'
import type { CallerRights } from './caller-rights.js'
import type { EntitySet, Navigation } from './entity-model.js'
import { bindCall } from './function-binder.js'
import { literalAs, naturalType, type TypedLiteral } from './literal-values.js'
import { ODataError } from './odata-error.js'
import { bindSearch } from './search-binder.js'
import type { Binary, Call, Expression, KeyValue, Literal, Path, PathStep, TypeName } from './syntax.js'
import {
  allOf,
  areComparable,
  call,
  conditionValue,
  isInteger,
  isNumeric,
  promoted,
  truthOf,
  typeName,
} from './value-types.js'

/** An entity that names can be looked up on. */
export interface EntityInstance {
  readonly kind: 'entity'
  readonly set: EntitySet
  readonly path: RowPath
  /** Names given by `$compute`. */
  readonly computed: ReadonlyMap<string, Value>
}

/** What is left of entities after `groupby` and `aggregate`: names, some of them with names inside. */
export interface RecordInstance {
  readonly kind: 'record'
  readonly members: ReadonlyMap<string, Value | RecordInstance>
}

/** What a path can start from. */
export type Instance = EntityInstance | RecordInstance

/** Where an expression stands. */
export interface Scope {
  /** `$it`. */
  readonly it: Instance
  /** What names without a prefix belong to. */
  readonly current: Instance
  readonly variables?: ReadonlyMap<string, EntityInstance> | undefined
}

/** What an expression turned out to be. */
export type Bound =
  | { readonly kind: 'value'; readonly value: Value }
  /** Its type may follow the other operand. */
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'entity'; readonly instance: EntityInstance }
  | { readonly kind: 'rows'; readonly set: EntitySet; readonly rows: RelatedRows }

/** What binders share during one request. */
export interface BinderContext {
  readonly rights: CallerRights
  readonly namespace: string
  readonly aliases: ReadonlyMap<string, Expression>
}

/** Gives expressions their meaning: names are looked up, types checked, literals typed. */
export class ExpressionBinder {
  private readonly open = new Set<string>()

  /** @param target the option that the expressions stand in, for messages */
  constructor(
    readonly context: BinderContext,
    readonly target: string,
  ) {}

  /** An expression that must be true or not. */
  condition(expression: Expression, scope: Scope): Condition {
    const value = this.value(expression, scope, 'Boolean')
    if (value.type !== 'Boolean')
      this.refuse(
        `The ${this.target} expression must evaluate to a single boolean value, not to ${this.nameOf(value.type)}.`,
        expression,
      )
    if (value.kind === 'null') return { kind: 'constant', value: false }
    return truthOf(value)
  }

  /** An expression that must have a value. @param expected the type that literals take where they can */
  value(expression: Expression, scope: Scope, expected?: Scalar): Value {
    return this.valueOf(this.bind(expression, scope), expression, expected)
  }

  bind(expression: Expression, scope: Scope): Bound {
    switch (expression.kind) {
      case 'literal':
        return { kind: 'literal', literal: expression }
      case 'alias':
        return this.alias(expression.name, expression, scope)
      case 'path':
        return this.path(expression, scope)
      case 'call':
        return { kind: 'value', value: bindCall(this, expression, scope) }
      case 'unary':
        return { kind: 'value', value: this.unary(expression, scope) }
      case 'binary':
        return { kind: 'value', value: this.binary(expression, scope) }
      case 'list':
        return this.refuse('A list can only stand after the operator in.', expression)
    }
  }

  /** What was bound as a value; literals in the type expected, else in their own. */
  valueOf(bound: Bound, place: { readonly at: number }, expected?: Scalar): Value {
    switch (bound.kind) {
      case 'value':
        return bound.value
      case 'literal':
        return this.literalValue(bound.literal, expected)
      case 'entity':
        return this.refuse('An entity has no value here: name one of its properties.', place)
      case 'rows':
        return this.refuse('A collection has no value here: use any, all or $count.', place)
    }
  }

  /** A literal as a constant. */
  literalValue(literal: Literal, expected?: Scalar): Value {
    if (literal.type === 'null') return { kind: 'null', type: expected ?? 'String', nullable: true }
    if (literal.type === 'json')
      return this.refuse('A JSON value can only stand after the operator in.', literal)
    const typed = this.typed(literal, expected ?? this.naturalType(literal))
    if (typed?.kind === 'value') return typed.value
    if (typed) {
      const own = this.typed(literal, this.naturalType(literal))
      if (own?.kind === 'value') return own.value
      return this.refuse(`The number or time '${literal.text.slice(0, 50)}' is out of range.`, literal)
    }
    return this.mismatch(this.naturalType(literal), expected ?? 'String', literal)
  }

  typed(literal: Literal, type: Scalar): TypedLiteral | undefined {
    try {
      return literalAs(literal, type, (name) => `${this.context.namespace}.${name}`)
    } catch (error) {
      if (!(error instanceof ODataError)) throw error
      throw new ODataError(error.httpStatus, error.message, { ...error.place, target: this.target })
    }
  }

  nameOf(type: Scalar): string {
    return typeName(type, this.context.namespace)
  }

  refuse(message: string, { at }: { readonly at: number }): never {
    throw ODataError.invalid(message, { target: this.target, at })
  }

  unsupported(feature: string, { at }: { readonly at: number }): never {
    throw ODataError.unsupported(feature, { target: this.target, at })
  }

  /** The keys of an entity, as a condition on it. */
  keyCondition(
    set: EntitySet,
    path: RowPath,
    keys: readonly KeyValue[],
    place: { readonly at: number },
  ): Condition {
    const wanted = set.type.keys
    if (keys.length !== wanted.length || (keys.length > 1 && keys.some(({ name }) => name === undefined)))
      this.refuse(
        `The key of '${set.type.fullName}' has ${wanted.length} values, each named if there are several.`,
        place,
      )
    const conditions = wanted.map((property): Condition => {
      const key =
        keys.length === 1 && keys[0]?.name === undefined
          ? keys[0]
          : keys.find(({ name }) => name?.toLowerCase() === property.name.toLowerCase())
      if (!key) this.refuse(`The key of '${set.type.fullName}' needs a value for '${property.name}'.`, place)
      const bound = this.resolveAlias(key.value)
      if (bound.kind !== 'literal' || bound.type === 'null') this.refuse('A key must be a literal.', key)
      const typed = this.typed(bound, property.type)
      if (!typed) this.mismatch(this.naturalType(bound), property.type, key)
      if (typed.kind !== 'value') return { kind: 'constant', value: false }
      const left: Value = {
        kind: 'column',
        path,
        column: property.column,
        type: property.type,
        nullable: false,
      }
      return { kind: 'compare', comparison: 'eq', left, right: typed.value }
    })
    return allOf(conditions) as Condition
  }

  /** Follows a navigation property that the caller may follow. */
  follow(instance: EntityInstance, navigation: Navigation): Bound {
    this.context.rights.demand(navigation.target)
    const { target, own, theirs } = navigation
    const relation = { own: own.column, target: target.meta, theirs: theirs.column }
    if (navigation.collection) {
      const row = new RowVariable(target.meta)
      return { kind: 'rows', set: target, rows: { from: instance.path, relation, row } }
    }
    const path: RowPath = { row: instance.path.row, via: [...instance.path.via, relation] }
    return { kind: 'entity', instance: { kind: 'entity', set: target, path, computed: new Map() } }
  }

  /** The instance that stands for each of some rows. */
  instanceOf(set: EntitySet, row: RowVariable): EntityInstance {
    return { kind: 'entity', set, path: { row, via: [] }, computed: new Map() }
  }

  mismatch(left: Scalar, right: Scalar, place: { readonly at: number }, operator = 'Equal'): never {
    return this.refuse(
      `A binary operator with incompatible types was detected. Found operand types '${this.nameOf(left)}' and '${this.nameOf(right)}' for operator kind '${operator}'.`,
      place,
    )
  }

  private naturalType(literal: Literal): Scalar {
    return naturalType(literal)
  }

  private resolveAlias(expression: Expression, seen = new Set<string>()): Expression {
    if (expression.kind !== 'alias') return expression
    if (seen.has(expression.name))
      this.refuse(`The alias '@${expression.name}' refers to itself.`, expression)
    seen.add(expression.name)
    const found = this.context.aliases.get(expression.name)
    return found ? this.resolveAlias(found, seen) : nullLiteral(expression)
  }

  private alias(name: string, place: { readonly at: number }, scope: Scope): Bound {
    const found = this.context.aliases.get(name)
    if (!found) return { kind: 'literal', literal: nullLiteral(place) }
    if (this.open.has(name)) this.refuse(`The alias '@${name}' refers to itself.`, place)
    this.open.add(name)
    try {
      return this.bind(found, scope)
    } finally {
      this.open.delete(name)
    }
  }

  private path({ root, steps, at }: Path, scope: Scope): Bound {
    if (root === '$root') return this.unsupported('$root', { at })
    const [first] = steps
    const variable = !root && first?.kind === 'name' ? scope.variables?.get(first.name) : undefined
    let rest = steps
    let current: Instance = root === '$it' ? scope.it : scope.current
    if (variable) {
      current = variable
      rest = steps.slice(1)
    }
    let bound: Bound | RecordInstance = startOf(current)
    for (const step of rest) bound = this.step(bound, step, scope)
    if (bound.kind === 'record') return this.refuse('A group of properties has no value.', { at })
    return bound
  }

  private step(from: Bound | RecordInstance, step: PathStep, scope: Scope): Bound | RecordInstance {
    if (from.kind === 'record') return this.recordStep(from, step)
    if (from.kind === 'rows') return this.rowsStep(from, step, scope)
    if (from.kind !== 'entity') return this.refuse('A value has no properties.', step)
    const { instance } = from
    switch (step.kind) {
      case 'name':
        return this.member(instance, step.name, step)
      case 'cast':
        if (step.type.toLowerCase() !== instance.set.type.fullName.toLowerCase()) {
          // The parser can't tell a qualified name from the path of one.
          this.refuse(`'${step.type}' is no type that '${instance.set.type.fullName}' can be.`, step)
        }
        return from
      default:
        return this.unsupported(`A path with ${step.kind} behind a single entity`, step)
    }
  }

  private member(instance: EntityInstance, name: string, place: { readonly at: number }): Bound {
    const { set, path } = instance
    const computed = instance.computed.get(name)
    if (computed) return { kind: 'value', value: computed }
    const property = this.context.rights.property(set.type, name)
    if (property) {
      const { column, type, nullable } = property
      // A row that nothing leads to has no values.
      const value: Value = { kind: 'column', path, column, type, nullable: nullable || path.via.length > 0 }
      return { kind: 'value', value }
    }
    const navigation = this.context.rights.navigation(set.type, name)
    if (navigation) return this.follow(instance, navigation)
    return this.refuse(`Could not find a property named '${name}' on type '${set.type.fullName}'.`, place)
  }

  private recordStep(record: RecordInstance, step: PathStep): Bound | RecordInstance {
    if (step.kind !== 'name') return this.unsupported('This path after $apply', step)
    const found = memberOf(record, step.name)
    if (!found)
      return this.refuse(`Could not find a property named '${step.name}' in the result of $apply.`, step)
    return 'members' in found ? found : { kind: 'value', value: found }
  }

  private rowsStep(from: Extract<Bound, { kind: 'rows' }>, step: PathStep, scope: Scope): Bound {
    const { set, rows } = from
    switch (step.kind) {
      case 'filter': {
        const where = allOf([rows.where, this.onEach(from, step.filter, scope)])
        return { ...from, rows: { ...rows, where } }
      }
      case 'count': {
        const where = allOf([
          rows.where,
          step.filter && this.onEach(from, step.filter, scope),
          step.search && bindSearch(set, rows.row, step.search, this.target),
        ])
        const value: Value = { kind: 'count', rows: { ...rows, where }, type: 'Int64', nullable: false }
        return { kind: 'value', value }
      }
      case 'lambda': {
        if (!step.predicate || step.variable === undefined)
          return { kind: 'value', value: conditionValue({ kind: step.operator, rows }) }
        const variables = new Map(scope.variables)
        variables.set(step.variable, this.instanceOf(set, rows.row))
        const predicate = this.condition(step.predicate, { ...scope, variables })
        return { kind: 'value', value: conditionValue({ kind: step.operator, rows, predicate }) }
      }
      case 'cast':
        if (step.type.toLowerCase() === set.type.fullName.toLowerCase()) return from
        return this.refuse(`'${step.type}' is no type that '${set.type.fullName}' can be.`, step)
      case 'name':
        return this.refuse(
          `The property '${step.name}' can't be reached through a collection: use any, all or $count.`,
          step,
        )
      default:
        return this.unsupported('This path in an expression', step)
    }
  }

  private onEach(
    { set, rows }: Extract<Bound, { kind: 'rows' }>,
    filter: Expression,
    scope: Scope,
  ): Condition {
    return this.condition(filter, { ...scope, current: this.instanceOf(set, rows.row) })
  }

  private unary({ operator, operand }: Extract<Expression, { kind: 'unary' }>, scope: Scope): Value {
    if (operator === 'not') {
      const value = this.value(operand, scope, 'Boolean')
      if (value.type !== 'Boolean') return this.unaryMismatch(value.type, 'Not', operand)
      if (value.kind === 'null') return value
      return conditionValue({ kind: 'not', condition: truthOf(value) })
    }
    const value = this.value(operand, scope)
    if (!isNumeric(value.type) && value.type !== 'Duration')
      return this.unaryMismatch(value.type, 'Negate', operand)
    return call('neg', [value], value.type === 'Int16' ? 'Int32' : value.type)
  }

  private unaryMismatch(type: Scalar, operator: string, place: { readonly at: number }): never {
    return this.refuse(
      `A unary operator with an incompatible type was detected. Found operand type '${this.nameOf(type)}' for operator kind '${operator}'.`,
      place,
    )
  }

  private binary(expression: Binary, scope: Scope): Value {
    const { operator, operands } = expression
    switch (operator) {
      case 'and':
      case 'or':
        return conditionValue({
          kind: operator,
          conditions: operands.map((operand) => this.logical(operand, scope, operator)),
        })
      case 'in':
        return conditionValue(this.membership(operands, scope))
      case 'eq':
      case 'ne':
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        return conditionValue(this.comparison(operator, expression, scope))
      case 'has':
        return this.has(expression, scope)
      default:
        return this.arithmetic(operator, expression, scope)
    }
  }

  private logical(operand: Expression, scope: Scope, operator: string): Condition {
    const value = this.value(operand, scope, 'Boolean')
    if (value.type !== 'Boolean')
      this.mismatch(value.type, 'Boolean', operand, operator === 'and' ? 'And' : 'Or')
    return value.kind === 'null' ? { kind: 'truth', value } : truthOf(value)
  }

  private comparison(
    comparison: Extract<Condition, { kind: 'compare' }>['comparison'],
    { operands, at }: Binary,
    scope: Scope,
  ): Condition {
    const [l, r] = operands as [Expression, Expression]
    const left = this.bind(l, scope)
    const right = this.bind(r, scope)
    if (isNull(left) || isNull(right)) return this.withNull(comparison, isNull(left) ? right : left, { at })
    if (left.kind === 'literal' && right.kind !== 'literal')
      return this.withLiteral(mirrored[comparison], this.valueOf(right, r), left.literal, comparison)
    if (right.kind === 'literal' && left.kind !== 'literal')
      return this.withLiteral(comparison, this.valueOf(left, l), right.literal, comparison)
    const a = this.valueOf(left, l)
    const b = right.kind === 'literal' ? this.besides(right.literal, a.type) : this.valueOf(right, r)
    if (!areComparable(a.type, b.type)) this.mismatch(a.type, b.type, { at }, kindOf[comparison])
    return { kind: 'compare', comparison, left: a, right: b }
  }

  /** A literal beside another literal. */
  private besides(literal: Literal, type: Scalar): Value {
    const typed = this.typed(literal, type)
    return typed?.kind === 'value' ? typed.value : this.literalValue(literal)
  }

  private withNull(comparison: string, other: Bound, place: { readonly at: number }): Condition {
    const negate = (condition: Condition): Condition =>
      comparison === 'ne' ? { kind: 'not', condition } : condition
    if (comparison !== 'eq' && comparison !== 'ne') {
      this.valueOf(other, place)
      return { kind: 'constant', value: false }
    }
    if (other.kind === 'literal') return { kind: 'constant', value: isNull(other) === (comparison === 'eq') }
    if (other.kind === 'entity') {
      const { path } = other.instance
      return negate(path.via.length ? { kind: 'missing', path } : { kind: 'constant', value: false })
    }
    const value = this.valueOf(other, place)
    return negate(value.kind === 'null' ? { kind: 'constant', value: true } : { kind: 'isNull', value })
  }

  private withLiteral(
    comparison: Extract<Condition, { kind: 'compare' }>['comparison'],
    value: Value,
    literal: Literal,
    written: Extract<Condition, { kind: 'compare' }>['comparison'],
  ): Condition {
    const typed = literal.type === 'json' ? undefined : this.typed(literal, value.type)
    if (!typed) return this.mismatch(value.type, this.naturalType(literal), literal, kindOf[written])
    if (typed.kind === 'value') return { kind: 'compare', comparison, left: value, right: typed.value }
    if (comparison === 'eq' || comparison === 'ne') return { kind: 'constant', value: comparison === 'ne' }
    if (typed.kind === 'between') {
      const below = comparison === 'lt' || comparison === 'le'
      return { kind: 'compare', comparison: below ? 'le' : 'gt', left: value, right: typed.floor }
    }
    const isTrue = typed.side !== 0 && typed.side > 0 === (comparison === 'lt' || comparison === 'le')
    if (!isTrue) return { kind: 'constant', value: false }
    return value.nullable
      ? { kind: 'not', condition: { kind: 'isNull', value } }
      : { kind: 'constant', value: true }
  }

  private membership([l, r]: readonly Expression[], scope: Scope): Condition {
    if (!l || !r) throw new Error('in has two operands')
    const list = this.resolveAlias(r)
    const items =
      list.kind === 'list' ? list.items : list.kind === 'literal' ? this.jsonItems(list) : undefined
    if (!items) return this.unsupported('The operator in with anything but a list of literals', r)
    const bound = this.bind(l, scope)
    const literals = items.map((item) => {
      const literal = this.resolveAlias(item)
      return literal.kind === 'literal' ? literal : this.unsupported('An expression in a list', item)
    })
    const value = this.valueOf(bound, l)
    const values: string[] = []
    let orNull = false
    for (const literal of literals) {
      if (literal.type === 'null') orNull = true
      else {
        const typed = this.typed(literal, value.type)
        if (!typed) this.mismatch(value.type, this.naturalType(literal), literal)
        if (typed.kind === 'value' && typed.value.kind === 'constant') values.push(String(typed.value.value))
      }
    }
    return { kind: 'in', value, values, orNull: orNull && value.nullable }
  }

  /** A JSON array as the literals that stand for its items. */
  private jsonItems(literal: Literal): readonly Literal[] | undefined {
    if (literal.type === 'null') return []
    if (literal.type !== 'json') return undefined
    const items: unknown = JSON.parse(literal.text)
    if (!Array.isArray(items)) return this.refuse('A list was expected.', literal)
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
      return this.refuse('A list of simple values was expected.', literal)
    })
  }

  private has({ operands: [l, r], at }: Binary, scope: Scope): Value {
    const left = this.value(l as Expression, scope)
    if (typeof left.type === 'string' || left.type.stored === 'name')
      return this.refuse('The operator has needs an enumeration that is stored as numbers.', { at })
    const right = this.value(r as Expression, scope, left.type)
    if (right.type !== left.type) this.mismatch(left.type, right.type, { at }, 'Has')
    return call('has', [left, right], 'Boolean')
  }

  private arithmetic(operator: Binary['operator'], { operands, at }: Binary, scope: Scope): Value {
    const [l, r] = operands as [Expression, Expression]
    const left = this.bind(l, scope)
    const right = this.bind(r, scope)
    const isText = (bound: Bound) => bound.kind === 'literal' && bound.literal.type === 'string'
    // A text in quotes beside a time is a duration.
    const first = this.valueOf(left, l, isText(left) ? 'Duration' : undefined)
    const b = this.valueOf(right, r, isText(right) ? 'Duration' : undefined)
    const made = combine(operator, first, b)
    if (!made) this.mismatch(first.type, b.type, { at }, arithmeticKinds[operator] ?? operator)
    return made
  }

  /** An argument that stands for a type: `Edm.String`. */
  typeArgument(argument: Expression | TypeName | undefined, place: Call): string {
    if (argument?.kind === 'type') return argument.name
    if (argument?.kind === 'path') {
      const name = argument.steps
        .map((step) => (step.kind === 'name' ? step.name : step.kind === 'cast' ? step.type : ''))
        .join('.')
      if (name.includes('.')) return name
    }
    return this.refuse(`The function '${place.name}' needs the name of a type.`, place)
  }
}

function startOf(instance: Instance): Bound | RecordInstance {
  return instance.kind === 'entity' ? { kind: 'entity', instance } : instance
}

/** The member of this name, in any case when none is written exactly so. */
export function memberOf(record: RecordInstance, name: string): Value | RecordInstance | undefined {
  const exact = record.members.get(name)
  if (exact) return exact
  const lower = name.toLowerCase()
  return [...record.members].find(([known]) => known.toLowerCase() === lower)?.[1]
}

function isNull(bound: Bound): boolean {
  return (
    (bound.kind === 'literal' && bound.literal.type === 'null') ||
    (bound.kind === 'value' && bound.value.kind === 'null')
  )
}

function nullLiteral({ at }: { readonly at: number }): Literal {
  return { kind: 'literal', at, type: 'null', text: 'null' }
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
const arithmeticKinds: Readonly<Record<string, string>> = {
  add: 'Add',
  sub: 'Subtract',
  mul: 'Multiply',
  div: 'Divide',
  divby: 'Divide',
  mod: 'Modulo',
}

function combine(operator: Binary['operator'], a: Value, b: Value): Value | undefined {
  if (a.kind === 'null' || b.kind === 'null') {
    const type = a.kind === 'null' ? b.type : a.type
    return { kind: 'null', type, nullable: true }
  }
  if (isNumeric(a.type) && isNumeric(b.type)) {
    const type = promoted(a.type, b.type)
    if (operator === 'divby') return call('div', [a, b], isInteger(type) ? 'Decimal' : type)
    return operator === 'add' ||
      operator === 'sub' ||
      operator === 'mul' ||
      operator === 'div' ||
      operator === 'mod'
      ? call(operator, [a, b], type)
      : undefined
  }
  const isTime = (type: Scalar) => type === 'DateTimeOffset' || type === 'Date'
  if (operator === 'add' && isTime(a.type) && b.type === 'Duration') return call('add', [a, b], a.type)
  if (operator === 'add' && a.type === 'Duration' && isTime(b.type)) return call('add', [a, b], b.type)
  if (operator === 'sub' && isTime(a.type) && b.type === 'Duration') return call('sub', [a, b], a.type)
  if (operator === 'sub' && a.type === 'DateTimeOffset' && b.type === 'DateTimeOffset')
    return call('sub', [a, b], 'Duration')
  if (operator === 'sub' && a.type === 'Date' && b.type === 'Date')
    return call('dateDifference', [a, b], 'Duration')
  if ((operator === 'add' || operator === 'sub') && a.type === 'Duration' && b.type === 'Duration')
    return call(operator, [a, b], 'Duration')
  if (operator === 'mul' && a.type === 'Duration' && isNumeric(b.type)) return call('mul', [a, b], 'Duration')
  if (operator === 'mul' && isNumeric(a.type) && b.type === 'Duration') return call('mul', [a, b], 'Duration')
  if ((operator === 'div' || operator === 'divby') && a.type === 'Duration' && isNumeric(b.type))
    return call('div', [a, b], 'Duration')
  return undefined
}
