import type { z } from 'zod'
import { plainNumber, wireKind } from './scalars.js'

/** Turns a value of one form into another; gives back what it does not understand. */
export type Converter = (value: unknown) => unknown

interface Definition {
  readonly type: string
  readonly shape?: Record<string, z.ZodType>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly innerType?: z.ZodType
}

const same: Converter = (value) => value

/**
 * Compiles the conversion of an input before its validation, by ABP's JSON rules: member names in any case,
 * unknown members dropped, numbers and booleans accepted as strings, and, in a query string, a single value
 * for a list.
 * @see abp-http-contract section 0.1
 */
export function compileNormalizer(schema: z.ZodType): Converter {
  return memoized(normalizers, schema, () => {
    const def = schema._zod.def as unknown as Definition
    if (def.innerType) return nullable(compileNormalizer(def.innerType))
    if (def.type === 'object' && def.shape) return objectNormalizer(def.shape)
    if (def.type === 'array' && def.element) return arrayNormalizer(compileNormalizer(def.element))
    if (def.type === 'record' && def.valueType) return recordNormalizer(compileNormalizer(def.valueType))
    if (def.type === 'number') return (value) => (isNumberText(value) ? Number(value) : value)
    if (def.type === 'boolean') return toBoolean
    return same
  })
}

/**
 * Compiles the conversion of a JSON answer into the types of its schema: instants into `Date`, decimals into
 * exact text. Unknown members stay.
 */
export function compileReader(schema: z.ZodType): Converter {
  return memoized(readers, schema, () => {
    const kind = wireKind(schema)?.kind
    if (kind === 'instant') return (value) => (typeof value === 'string' ? new Date(value) : value)
    if (kind === 'decimal') return (value) => (typeof value === 'number' ? plainNumber(value) : value)
    const def = schema._zod.def as unknown as Definition
    if (def.innerType) return nullable(compileReader(def.innerType))
    if (def.type === 'array' && def.element) return listReader(compileReader(def.element))
    if (def.type === 'object' && def.shape) return objectReader(def.shape)
    return same
  })
}

const normalizers = new WeakMap<z.ZodType, Converter>()
const readers = new WeakMap<z.ZodType, Converter>()

function memoized(
  known: WeakMap<z.ZodType, Converter>,
  schema: z.ZodType,
  compile: () => Converter,
): Converter {
  const found = known.get(schema)
  if (found) return found
  // A schema may contain itself: what is inside asks for this entry while it is being made.
  let made: Converter = same
  known.set(schema, (value) => made(value))
  made = compile()
  known.set(schema, made)
  return made
}

function nullable(inner: Converter): Converter {
  return inner === same ? same : (value) => (value === null || value === undefined ? value : inner(value))
}

function objectNormalizer(shape: Record<string, z.ZodType>): Converter {
  const members = new Map<string, readonly [string, Converter]>()
  for (const [key, schema] of Object.entries(shape)) {
    members.set(key, [key, compileNormalizer(schema)])
    if (!members.has(key.toLowerCase())) members.set(key.toLowerCase(), [key, compileNormalizer(schema)])
  }
  return (value) => {
    if (!isPlainObject(value)) return value
    const result: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const exact = members.get(key)
      const member = exact ?? members.get(key.toLowerCase())
      if (!member || (!exact && member[0] in result)) continue
      result[member[0]] = member[1](value[key])
    }
    return result
  }
}

function arrayNormalizer(element: Converter): Converter {
  return (value) => {
    if (Array.isArray(value)) return element === same ? value : value.map(element)
    return value === null || value === undefined || isPlainObject(value) ? value : [element(value)]
  }
}

function recordNormalizer(element: Converter): Converter {
  return (value) =>
    isPlainObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, v]) => [key, element(v)]))
      : value
}

function listReader(element: Converter): Converter {
  return element === same ? same : (value) => (Array.isArray(value) ? value.map(element) : value)
}

function objectReader(shape: Record<string, z.ZodType>): Converter {
  const converted = Object.entries(shape)
    .map(([key, schema]) => [key, compileReader(schema)] as const)
    .filter(([, reader]) => reader !== same)
  if (!converted.length) return same
  return (value) => {
    if (!isPlainObject(value)) return value
    for (const [key, reader] of converted) if (key in value) value[key] = reader(value[key])
    return value
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function isNumberText(value: unknown): boolean {
  return typeof value === 'string' && value.length < 400 && /^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(value)
}

function toBoolean(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : value
}
