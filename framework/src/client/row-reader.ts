import { unwrap, wireKind, type z } from '../contracts/index.js'
import { pascalCase } from '../contracts/routes.js'
import type { ContractDifference } from './shape-differences.js'

/** Called with a value that is not what the DTO says. Throws. */
export type OnMismatch = (difference: ContractDifference) => never

/**
 * A row in the types of the DTO: instants as `Date`, enumerations as numbers, decimals as exact text. Members of enumerations that the DTO does not
 * know stay as their names. @param path of the row in the answer, empty or with a dot at its end
 */
export function readRow(
  schema: z.ZodObject,
  row: Readonly<Record<string, unknown>>,
  refuse: OnMismatch,
  path = '',
): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (name.includes('@')) continue
    const key = name.charAt(0).toLowerCase() + name.slice(1)
    const member = Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined
    read[key] = member ? readValue(member, value, refuse, `${path}${key}`) : value
  }
  return read
}

/** A value in the type of its schema. */
export function readValue(schema: z.ZodType, value: unknown, refuse: OnMismatch, path: string): unknown {
  if (value === null || value === undefined) return value
  const wrong = (expected: string): never =>
    refuse({ field: path, what: `is no ${expected}: ${shortened(value)}`, when: 'always' })
  const kind = wireKind(schema)
  if (kind?.kind === 'instant') {
    const instant = new Date(String(value))
    return Number.isNaN(instant.getTime()) ? wrong('instant') : instant
  }
  if (kind?.kind === 'enum') {
    if (typeof value !== 'string' && typeof value !== 'number') return wrong('member of an enumeration')
    return Object.hasOwn(kind.members, value) ? kind.members[value] : value
  }
  if (kind?.kind === 'decimal') return Number.isNaN(Number(value)) ? wrong('decimal') : String(value)
  const bare = unwrap(schema)
  const { type, element } = bare._zod.def as { type: string; element?: z.ZodType }
  if (type === 'number') return numberOf(value) ?? wrong('number')
  if (type === 'string') return typeof value === 'string' ? value : wrong('text')
  if (type === 'boolean') return typeof value === 'boolean' ? value : wrong('boolean')
  if (type === 'array' && element)
    return Array.isArray(value)
      ? value.map((item) => readValue(element, item, refuse, `${path}[]`))
      : wrong('list')
  if (type !== 'object') return value
  return typeof value === 'object' && !Array.isArray(value)
    ? readRow(bare as z.ZodObject, value as Record<string, unknown>, refuse, `${path}.`)
    : wrong('object')
}

/** As `IEEE754Compatible` writes them, and those that JSON has no numbers for. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return undefined
  if (value === 'NaN') return Number.NaN
  const number = Number(value.replace('INF', 'Infinity'))
  return Number.isNaN(number) ? undefined : number
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/**
 * What a set lacks of the members that were asked for, by the CSDL JSON of its host; nothing when the set cannot be found in it.
 * @param keys selected or expanded members of the DTO
 */
export function missingMembers(csdl: unknown, set: string, keys: readonly string[]): ContractDifference[] {
  const document = csdl as Record<string, unknown>
  const [namespace = '', container = ''] = String(document.$EntityContainer ?? '').split(/\.(?=[^.]+$)/)
  const types = document[namespace] as Record<string, Record<string, { $Type?: string }>> | undefined
  const typeName = types?.[container]?.[set]?.$Type?.split('.').at(-1)
  const type = typeName === undefined ? undefined : types?.[typeName]
  if (!type) return types ? [{ field: set, what: 'is no set of the host', when: 'always' }] : []
  return keys
    .filter((key) => !Object.hasOwn(type, pascalCase(key)))
    .map((key) => ({ field: key, what: 'is gone', when: 'always' }))
}
