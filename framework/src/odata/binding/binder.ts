import { type Condition, type RowPath, RowVariable, type Value } from '../../data/query/expression.js'
import { expected, mapParameter } from '../../data/query/parameter.js'
import type { Scalar, ScalarName } from '../../data/query/scalars.js'
import type {
  EntityModel,
  EntitySet,
  ListProperty,
  Navigation,
  ObjectsProperty,
} from '../model/entity-model.js'
import { truthOf, typeName } from '../model/value-types.js'
import type { ODataLimits } from '../syntax/limits.js'
import { ODataError, type Sentence, say } from '../syntax/odata-error.js'
import type { Call, Expression, Literal, TypeName } from '../syntax/syntax.js'
import type { UnsupportedCode } from '../syntax/unsupported.js'
import type { CallerRights } from './caller-rights.js'
import type { Bound, EntityInstance, ListBound, Scope } from './expression-scope.js'
import { isLinked } from './links.js'
import { literalAs, naturalType, type TypedLiteral } from './literal-values.js'
import type { RequestInputs } from './request-inputs.js'

/** Data that the binders of one request share. */
export interface BinderContext {
  readonly rights: CallerRights
  readonly namespace: string
  readonly model: Pick<EntityModel, 'find' | 'sets' | 'enums'>
  readonly aliases: ReadonlyMap<string, Expression>
  readonly limits: Pick<ODataLimits, 'maxListItems'>
  readonly inputs: RequestInputs
}

type Constant = Extract<Value, { kind: 'constant' }>

/** A literal in a type, as an expression has it. */
export type BoundLiteral =
  | { readonly kind: 'value'; readonly value: Constant }
  /** Greater than the value, and less than the next value of the type. */
  | { readonly kind: 'between'; readonly value: Constant }
  | Extract<TypedLiteral, { kind: 'outside' }>

/** The base of all binders of expressions: it looks up names, checks types and converts literals. */
export abstract class Binder {
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
        say`The ${this.target} expression must evaluate to a single boolean value, not to ${this.nameOf(value.type)}.`,
        expression,
      )
    if (value.kind === 'null') return { kind: 'constant', value: false }
    return truthOf(value)
  }

  /** An expression that must have a value. @param expected the type that literals take where they can */
  value(expression: Expression, scope: Scope, expected?: Scalar): Value {
    return this.valueOf(this.bind(expression, scope), expression, expected)
  }

  /** Binds an expression to a value, to rows, or to a literal that takes the type wanted of it. */
  abstract bind(expression: Expression, scope: Scope): Bound

  /** A bound expression as a value. Literals take the expected type, else their own. */
  valueOf(bound: Bound, place: { readonly at: number }, expected?: Scalar): Value {
    switch (bound.kind) {
      case 'value':
        return bound.value
      case 'literal':
        return this.literalValue(bound.literal, expected)
      case 'entity':
        return this.refuse('An entity has no value here: name one of its properties.', place)
      case 'rows':
      case 'items':
      case 'objects':
        return this.refuse('A collection has no value here: use any, all or $count.', place)
    }
  }

  /** A literal as a constant. */
  literalValue(literal: Literal, wanted?: Scalar): Value {
    if (literal.type === 'null') return { kind: 'null', type: wanted ?? 'String', nullable: true }
    if (literal.type === 'json') return this.unsupported('StructuredValues', literal)
    const typed = this.typed(literal, wanted ?? this.typeOf(literal))
    if (typed?.kind === 'value') return typed.value
    if (typed) {
      const own = this.typed(literal, this.typeOf(literal))
      if (own?.kind === 'value') return own.value
      return this.refuse(say`The number or time '${literal.text.slice(0, 50)}' is out of range.`, literal)
    }
    return this.mismatch(this.typeOf(literal), wanted ?? 'String', literal)
  }

  /** The type that a literal has by itself. */
  typeOf(literal: Literal): ScalarName {
    return expected(this.context.inputs.derive(literal, naturalType), (type) => type)
  }

  /**
   * A literal in a type; undefined when the type has no such literals. Throws when the literal looks like a
   * value of the type but is none.
   */
  typed(literal: Literal, type: Scalar): BoundLiteral | undefined {
    return this.converted(literal, type, (error) => {
      throw new ODataError(error.httpStatus, error, { ...error.place, target: this.target })
    })
  }

  /** A literal in a type; undefined when it can have none. */
  typedIfAny(literal: Literal, type: Scalar): BoundLiteral | undefined {
    return this.converted(literal, type, () => undefined)
  }

  /** How a literal is converted holds for the whole plan; the value that comes of it is a parameter. */
  private converted(
    literal: Literal,
    type: Scalar,
    refused: (error: ODataError) => undefined,
  ): BoundLiteral | undefined {
    const nameOf = (name: string) => `${this.context.namespace}.${name}`
    const outcome = this.context.inputs.derive(literal, (one) => {
      try {
        return literalAs(one, type, nameOf)
      } catch (error) {
        if (error instanceof ODataError) return refused(error)
        throw error
      }
    })
    const kind = expected(outcome, (typed) => typed?.kind)
    if (!kind) return undefined
    if (kind === 'outside')
      return { kind, side: expected(outcome, (typed) => (typed?.kind === 'outside' ? typed.side : 0)) }
    const value = mapParameter(outcome, (typed) => (typed && 'value' in typed ? typed.value : ''))
    return { kind, value: { kind: 'constant', value, type, nullable: false } }
  }

  nameOf(type: Scalar): string {
    return typeName(type, this.context.namespace)
  }

  refuse(message: string | Sentence, { at }: { readonly at: number }): never {
    throw ODataError.invalid(message, { target: this.target, at })
  }

  /** Ends with 501. @param found what was written, where the code alone does not say it */
  unsupported(code: UnsupportedCode, { at }: { readonly at: number }, found?: string): never {
    throw ODataError.unsupported(code, { target: this.target, at }, found)
  }

  /** Follows a navigation property that the caller may follow. */
  follow(instance: EntityInstance, navigation: Navigation): Bound {
    this.context.rights.demand(navigation.target)
    const { target, own, theirs, links } = navigation
    if (links) {
      const row = new RowVariable(target.meta)
      const where = isLinked(navigation, links, instance.path, row)
      return { kind: 'rows', set: target, rows: { from: instance.path, relation: undefined, row, where } }
    }
    const relation = { own: own.column, target: target.meta, theirs: theirs.column }
    if (navigation.collection) {
      const row = new RowVariable(target.meta)
      return { kind: 'rows', set: target, rows: { from: instance.path, relation, row } }
    }
    const path: RowPath = { row: instance.path.row, via: [...instance.path.via, relation] }
    return { kind: 'entity', instance: { kind: 'entity', set: target, path, computed: new Map() } }
  }

  /** The values or objects of a list of an entity. */
  itemsOf({ path }: EntityInstance, list: ListProperty | ObjectsProperty): ListBound {
    const row = new RowVariable(undefined)
    const rows = { from: path, relation: undefined, items: list.column, row }
    if (list.kind === 'list') return { kind: 'items', type: list.type, rows }
    const members = list.members.map(
      ({ name, type, nullable }, field) =>
        [name, { kind: 'field', row, field, type, nullable } as const] as const,
    )
    const object = { kind: 'record', members: new Map(members), typeName: list.type.fullName } as const
    return { kind: 'objects', object, rows: { ...rows, fields: list.members } }
  }

  /** The instance that stands for each of some rows. */
  instanceOf(set: EntitySet, row: RowVariable): EntityInstance {
    return { kind: 'entity', set, path: { row, via: [] }, computed: new Map() }
  }

  mismatch(left: Scalar, right: Scalar, place: { readonly at: number }, operator = 'Equal'): never {
    return this.refuse(
      say`A binary operator with incompatible types was detected. Found operand types '${this.nameOf(left)}' and '${this.nameOf(right)}' for operator kind '${operator}'.`,
      place,
    )
  }

  /** The expression that an alias stands for, through any number of aliases. */
  resolveAlias(expression: Expression, seen = new Set<string>()): Expression {
    if (expression.kind !== 'alias') return expression
    if (seen.has(expression.name))
      this.refuse(say`The alias '@${expression.name}' refers to itself.`, expression)
    seen.add(expression.name)
    const found = this.context.aliases.get(expression.name)
    return found ? this.resolveAlias(found, seen) : nullLiteral(expression)
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
    return this.refuse(say`The function '${place.name}' needs the name of a type.`, place)
  }
}

/** The literal that stands for an alias without a value. */
export function nullLiteral({ at }: { readonly at: number }): Literal {
  return { kind: 'literal', at, type: 'null', text: 'null' }
}
