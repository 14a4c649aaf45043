import { unwrap, wireKind, type z } from '../../contracts/index.js'
import { pascalCase } from '../../contracts/routes.js'
import type { ColumnMeta, EntityMeta } from '../../data/entities/entity.js'
import { typeKey } from '../../data/entities/text-columns.js'
import {
  type EnumScalar,
  itemScalarOf,
  type Scalar,
  type ScalarSize,
  scalarOf,
} from '../../data/query/scalars.js'
import { isSecretMember } from '../../modularity/secret-member.js'

/** A member of the objects in a JSON array. Nothing keeps it from being absent there. */
export interface ObjectMember extends ScalarSize {
  readonly kind: 'member'
  /** PascalCase. */
  readonly name: string
  /** Its name in the JSON. */
  readonly key: string
  readonly type: Scalar
  readonly nullable: true
}

/** The enumerations of the product by their names: columns and JSON share them. */
export type NamedEnums = Map<string, EnumScalar>

/** The enumerations of the columns of some entities. */
export function enumsOfColumns(entities: readonly EntityMeta[]): NamedEnums {
  const types = entities.flatMap(({ columns }) =>
    [...columns.values()].map((column) => scalarOf(column) ?? itemScalarOf(column)),
  )
  return new Map(types.flatMap((type) => (typeof type === 'object' ? [[type.name, type] as const] : [])))
}

/**
 * The type of the objects in a `jsonb` column, by its schema; undefined for other columns, and for schemas of
 * anything but an array of objects.
 */
export function objectsIn(column: ColumnMeta, schema: z.ZodType | undefined): z.ZodObject | undefined {
  if (typeKey(column) !== 'JSONB' || !schema) return undefined
  const list = unwrap(schema)._zod.def as { readonly type: string; readonly element?: z.ZodType }
  const element = list.type === 'array' && list.element ? unwrap(list.element) : undefined
  return element?._zod.def.type === 'object' ? (element as z.ZodObject) : undefined
}

/** The members of such objects that have a plain type, without secrets. */
export function objectMembers({ shape }: z.ZodObject, enums: NamedEnums): ObjectMember[] {
  return Object.entries(shape as Record<string, z.ZodType>).flatMap(([key, schema]): ObjectMember[] => {
    const type = isSecretMember(key, schema) ? undefined : scalarOfSchema(schema, enums)
    const { maxLength } = unwrap(schema) as { readonly maxLength?: number | null }
    const size = type === 'String' && typeof maxLength === 'number' ? { maxLength } : {}
    return type ? [{ kind: 'member', name: pascalCase(key), key, type, nullable: true, ...size }] : []
  })
}

const formats: Readonly<Record<string, Scalar>> = {
  safeint: 'Int64',
  uint32: 'Int64',
  int32: 'Int32',
  guid: 'Guid',
  uuid: 'Guid',
}

/** The type of what a schema describes; undefined where queries know none. */
function scalarOfSchema(schema: z.ZodType, enums: NamedEnums): Scalar | undefined {
  const wire = wireKind(schema)
  switch (wire?.kind) {
    case 'instant':
      return 'DateTimeOffset'
    case 'date':
      return 'Date'
    case 'decimal':
      return 'Decimal'
    case 'enum':
    case 'enumName':
      return enumNamed(wire.name, wire.members, enums)
    case 'file':
      return undefined
  }
  const inner = unwrap(schema) as z.ZodType & { readonly format?: string | null }
  const known = formats[inner.format ?? '']
  switch (inner._zod.def.type) {
    case 'string':
      return known ?? 'String'
    case 'enum':
      return 'String'
    case 'number':
      return known ?? 'Double'
    case 'boolean':
      return 'Boolean'
    default:
      return undefined
  }
}

function enumNamed(name: string, members: Readonly<Record<string, number>>, enums: NamedEnums): EnumScalar {
  const known = enums.get(name)
  if (known && sameMembers(known.members, members)) return known
  const made: EnumScalar = {
    ...{ kind: 'enum', name, members: new Map(Object.entries(members)) },
    ...{ stored: 'number', flags: false },
  }
  enums.set(name, made)
  return made
}

function sameMembers(known: ReadonlyMap<string, number>, members: Readonly<Record<string, number>>): boolean {
  return (
    known.size === Object.keys(members).length && [...known].every(([name, value]) => members[name] === value)
  )
}
