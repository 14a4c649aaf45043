import type { z } from 'zod'
import type { AnyAppService, ContractOperation } from './app-service.js'
import { isDto } from './dto.js'
import type { ParameterSource } from './routes.js'
import { wireKind } from './scalars.js'

/** The kinds of values that clients and hosts must agree about; `any` is not compared. */
export type ShapeKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'instant'
  | 'date'
  | 'decimal'
  | 'enum'
  | 'enumName'
  | 'file'
  | 'list'
  | 'map'
  | 'object'
  | 'any'

/** A value on the wire, as far as clients and hosts must agree about it. Lengths, patterns and ranges are left out. */
export interface ValueShape {
  readonly kind: ShapeKind
  /** It may be absent. */
  readonly optional?: true
  readonly nullable?: true
  /** Of an object, by name. */
  readonly members?: Readonly<Record<string, ValueShape>>
  /** Of a list or a map. */
  readonly element?: ValueShape
  /** Numbers of an enumeration by name. */
  readonly values?: Readonly<Record<string, number>>
  /** The object is the one that stands so many objects deep around it, counted from the outermost one. */
  readonly same?: number
}

/** An operation, as far as clients and hosts must agree about it. */
export interface OperationShape {
  readonly verb: string
  readonly path: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: ParameterSource
    readonly value: ValueShape
  }[]
  /** Null for operations without a result. */
  readonly result: ValueShape | null
}

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly innerType?: z.ZodType
  readonly getter?: () => z.ZodType
  readonly entries?: Readonly<Record<string, string | number>>
}

/** Describes what an operation takes and gives. */
export function operationShape({ route, parameters, result }: ContractOperation): OperationShape {
  return {
    verb: route.verb,
    path: route.path,
    parameters: parameters.map(({ name, schema }, index) => ({
      name,
      in: route.sources[index] as ParameterSource,
      value: shapeOf(schema, []),
    })),
    result: result ? shapeOf(isDto(result) ? result.schema : result, []) : null,
  }
}

const hashes = new WeakMap<ContractOperation, string>()

/** The hash of an operation's shape: the same in a client and a host that agree about the operation. Made once. */
export function operationHash(operation: ContractOperation): string {
  let hash = hashes.get(operation)
  if (hash === undefined) {
    hash = hashOf(JSON.stringify(operationShape(operation)))
    hashes.set(operation, hash)
  }
  return hash
}

/** The full name of a contract, e.g. `Hub.ShipmentAppService`. */
export function contractNameOf({ contract }: AnyAppService): string {
  return `${contract.service.name}.${contract.name}`
}

const plainKinds: Readonly<Record<string, ShapeKind>> = {
  string: 'text',
  enum: 'text',
  template_literal: 'text',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
}

function shapeOf(schema: z.ZodType, around: readonly z.ZodType[]): ValueShape {
  const known = wireKind(schema)
  const def = schema._zod.def as unknown as Definition
  if (def.innerType) {
    const inner = shapeOf(def.innerType, around)
    if (['optional', 'default', 'prefault'].includes(def.type)) return { ...inner, optional: true }
    return def.type === 'nullable' ? { ...inner, nullable: true } : inner
  }
  if (known && 'members' in known) return { kind: known.kind, values: sorted(known.members) }
  if (known) return { kind: known.kind }
  if (def.type === 'lazy' && def.getter) return shapeOf(def.getter(), around)
  if (def.type === 'array' && def.element) return { kind: 'list', element: shapeOf(def.element, around) }
  if (def.type === 'record' && def.valueType) return { kind: 'map', element: shapeOf(def.valueType, around) }
  if (def.type === 'object' && def.shape) return objectShape(schema, def.shape, around)
  return { kind: plainKinds[def.type] ?? 'any' }
}

function objectShape(
  schema: z.ZodType,
  shape: Readonly<Record<string, z.ZodType>>,
  around: readonly z.ZodType[],
): ValueShape {
  const same = around.indexOf(schema)
  if (same >= 0) return { kind: 'object', same }
  const inside = [...around, schema]
  const members = Object.entries(shape).map(([name, member]) => [name, shapeOf(member, inside)] as const)
  return { kind: 'object', members: sorted(Object.fromEntries(members)) }
}

/** The order of members means nothing on the wire. */
function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** 53 bits, 14 digits: enough to tell versions of an operation apart. It protects nothing. */
function hashOf(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}
