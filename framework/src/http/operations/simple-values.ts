import type { z } from 'zod'
import { unwrap } from '../../contracts/index.js'

type Take = (value: unknown) => unknown

const same: Take = (value) => value

/**
 * For the values of a query or a form: where the schema wants a simple value and several were given, the
 * first counts, as in ASP.NET Core's `SimpleTypeModelBinder`. Lists, maps and members that the schema does
 * not know stay as they came.
 */
export function takeFirstOfSimple(schema: z.ZodType): Take {
  const { type, shape, valueType } = unwrap(schema)._zod.def as SchemaDefinition
  if (type === 'object' && shape) return ofMembers(shape)
  if (type === 'record' && valueType) return ofEveryMember(takeFirstOfSimple(valueType))
  return composite.has(type) ? same : (value) => (Array.isArray(value) ? value[0] : value)
}

interface SchemaDefinition {
  readonly type: string
  readonly shape?: Record<string, z.ZodType>
  readonly valueType?: z.ZodType
}

/** Schemas whose values may be lists. */
const composite: ReadonlySet<string> = new Set([
  'any',
  'array',
  'custom',
  'lazy',
  'set',
  'tuple',
  'union',
  'unknown',
])

function ofMembers(shape: Record<string, z.ZodType>): Take {
  const members = new Map(
    Object.entries(shape).map(([name, schema]) => [name.toLowerCase(), takeFirstOfSimple(schema)] as const),
  )
  return ofObject((name, value) => (members.get(name.toLowerCase()) ?? same)(value))
}

function ofEveryMember(take: Take): Take {
  return take === same ? same : ofObject((_name, value) => take(value))
}

/** Most queries hold texts alone: those are not copied. */
function ofObject(takeMember: (name: string, value: unknown) => unknown): Take {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const entries = Object.entries(value)
    if (!entries.some(([, member]) => typeof member === 'object')) return value
    return Object.fromEntries(entries.map(([name, member]) => [name, takeMember(name, member)]))
  }
}
