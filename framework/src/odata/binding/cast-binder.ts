import type { Value } from '../../data/query/expression.js'
import { type EnumScalar, type Scalar, type ScalarName, scalarNamed } from '../../data/query/scalars.js'
import { conditionValue, functionCall, isNumeric } from '../model/value-types.js'
import { say } from '../syntax/odata-error.js'
import type { Call, Expression, Literal, TypeName } from '../syntax/syntax.js'
import type { Binder } from './binder.js'
import type { Scope } from './expression-scope.js'

/** Types of the standard that no value here has. */
const absent = new Set(
  `primitivetype complextype entitytype byte sbyte stream untyped annotationpath propertypath navigationpropertypath
  anypropertypath modelelementpath`.split(/\s+/),
)

/** The meaning of a type's name. */
type NamedType =
  | { readonly kind: 'value'; readonly type: Scalar }
  | { readonly kind: 'entity'; readonly fullName: string }
  /** Known to the standard, or of many values: nothing here has it. */
  | { readonly kind: 'absent' }

/** Finds a type by its name, in any case; a name that is none is refused. */
function namedType(binder: Binder, argument: Expression | TypeName | undefined, place: Call): NamedType {
  const written = binder.typeArgument(argument, place)
  const one = /^Collection\((.*)\)$/i.exec(written)?.[1]
  const name = (one ?? written).toLowerCase()
  const { model, namespace } = binder.context
  const found = typeNamed()
  if (!found) return binder.refuse(say`There is no type '${written.slice(0, 100)}'.`, argument ?? place)
  return one === undefined ? found : { kind: 'absent' }

  function typeNamed(): NamedType | undefined {
    if (name.startsWith('edm.')) {
      const bare = name.slice('edm.'.length)
      const scalar = scalarNamed(bare)
      if (scalar) return { kind: 'value', type: scalar }
      return absent.has(bare) ||
        /^geo(graphy|metry)(point|linestring|polygon|multipoint|multilinestring|multipolygon|collection)?$/.test(
          bare,
        )
        ? { kind: 'absent' }
        : undefined
    }
    const enumeration = [...model.enums.values()].find(
      (one) => `${namespace}.${one.name}`.toLowerCase() === name,
    )
    if (enumeration) return { kind: 'value', type: enumeration }
    const set = [...model.sets.values()].find(({ type }) => type.fullName.toLowerCase() === name)
    return set && { kind: 'entity', fullName: set.type.fullName }
  }
}

/** `cast(x,Edm.T)`: null where a value of one type is none of the other. */
export function bindCast(binder: Binder, place: Call, scope: Scope): Value {
  const [what, to] = place.args
  if (place.args.length < 1 || place.args.length > 2)
    return binder.refuse(
      say`The function '${place.name}' takes 2 arguments, not ${place.args.length}.`,
      place,
    )
  const target = namedType(binder, to ?? what, place)
  if (!to || !what || what.kind === 'type') return binder.unsupported('CastOfInstance', place)
  if (target.kind !== 'value') return binder.unsupported('CastOfInstance', to)
  const bound = binder.bind(what, scope)
  if (bound.kind === 'literal' && bound.literal.type === 'string' && target.type !== 'String')
    return literalCast(binder, bound.literal, target.type)
  return castTo(binder.valueOf(bound, what), target.type)
}

function literalCast(binder: Binder, literal: Literal, type: Scalar): Value {
  const typed = binder.typedIfAny(literal, type)
  return typed?.kind === 'value' ? typed.value : { kind: 'null', type, nullable: true }
}

function castTo(value: Value, type: Scalar): Value {
  if (value.type === type) return value
  if (value.kind === 'null') return { ...value, type }
  if (typeof type !== 'string') return value.type === 'String' ? memberNamed(value, type) : noValue(type)
  if (!isCastable(value.type, type)) return noValue(type)
  return { ...functionCall('cast', [value], type), nullable: true }
}

function noValue(type: Scalar): Value {
  return { kind: 'null', type, nullable: true }
}

/** The member of an enumeration that a text names. */
function memberNamed(value: Value, type: EnumScalar): Value {
  const branches = [...type.members].map(([name, number]) => ({
    when: {
      kind: 'compare' as const,
      comparison: 'eq' as const,
      left: value,
      right: { kind: 'constant' as const, value: name, type: 'String' as const, nullable: false },
    },
    value: {
      kind: 'constant' as const,
      value: type.stored === 'name' ? name : String(number),
      type,
      nullable: false,
    },
  }))
  return { kind: 'case', branches, type, nullable: true }
}

function isCastable(from: Scalar, to: ScalarName): boolean {
  if (to === 'String' || from === 'String') return true
  if (typeof from !== 'string') return from.stored === 'number' && isNumeric(to)
  if (isNumeric(from)) return isNumeric(to)
  if (from === 'DateTimeOffset') return to === 'Date' || to === 'TimeOfDay'
  return from === 'Date' && to === 'DateTimeOffset'
}

/** `isof(x,Edm.T)`, `isof(Core.T)`. */
export function bindIsOf(binder: Binder, place: Call, scope: Scope): Value {
  const { args } = place
  if (args.length < 1 || args.length > 2)
    return binder.refuse(say`The function '${place.name}' takes 1 or 2 arguments, not ${args.length}.`, place)
  const wanted = namedType(binder, args.at(-1), place)
  const [what] = args
  const bound = args.length === 2 && what && what.kind !== 'type' ? binder.bind(what, scope) : undefined
  if (bound && bound.kind !== 'entity' && bound.kind !== 'rows') {
    const value = binder.valueOf(bound, place)
    if (wanted.kind !== 'value' || wanted.type !== value.type)
      return conditionValue({ kind: 'constant', value: false })
    return conditionValue({ kind: 'not', condition: { kind: 'isNull', value } })
  }
  if (bound?.kind === 'rows') return conditionValue({ kind: 'constant', value: false })
  const instance = bound?.kind === 'entity' ? bound.instance : scope.current
  const fits =
    instance.kind === 'entity' && wanted.kind === 'entity' && instance.set.type.fullName === wanted.fullName
  if (!fits || bound?.kind !== 'entity' || !bound.instance.path.via.length)
    return conditionValue({ kind: 'constant', value: fits })
  // Nothing has no type.
  return conditionValue({ kind: 'not', condition: { kind: 'missing', path: bound.instance.path } })
}
