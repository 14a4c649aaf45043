import type { z } from 'zod'
import { walkSchema } from './schema-walk.js'

const mark = 'x-permission'
const demanded = new Set<string>()

/** The permissions that members of any DTO need which this process has loaded. */
export const fieldPermissions: ReadonlySet<string> = demanded

/**
 * A member that needs a permission of its own. Callers without it do not get the member in answers, lists, OData, facets and files; to
 * name it, or to write it, is 403. It is declared once, on the DTO that answers have: inputs of the same service follow it by name.
 * OpenAPI shows the permission as `x-permission`. The schema must allow that the member is absent.
 * @example goodsValue: restrictedTo(ShipmentPermissions.ViewGoodsValue, decimal(18, 2).nullish())
 */
export function restrictedTo<S extends z.ZodType>(permission: string, schema: S): S {
  if (!schema.safeParse(undefined).success)
    throw new Error(`A member that needs ${permission} is absent for other callers: add .nullish() to it.`)
  demanded.add(permission)
  return schema.meta({ ...schema.meta(), [mark]: permission })
}

/** The permission that a member needs; undefined for members that all callers see. */
export function fieldPermissionOf(schema: z.ZodType): string | undefined {
  const permission = schema.meta()?.[mark]
  if (typeof permission === 'string') return permission
  const { innerType } = schema._zod.def as { readonly innerType?: z.ZodType }
  return innerType && fieldPermissionOf(innerType)
}

const known = new WeakMap<z.ZodType, ReadonlySet<string>>()

/** All permissions that members of a schema need, at every level. */
export function fieldPermissionsIn(schema: z.ZodType): ReadonlySet<string> {
  let found = known.get(schema)
  if (!found) {
    found = collect(schema)
    known.set(schema, found)
  }
  return found
}

function collect(schema: z.ZodType): ReadonlySet<string> {
  const permissions = new Set<string>()
  const visit = (inner: z.ZodType): void => {
    const { shape = {} } = inner._zod.def as { readonly shape?: Readonly<Record<string, z.ZodType>> }
    for (const member of Object.values(shape)) {
      const permission = fieldPermissionOf(member)
      if (permission !== undefined) permissions.add(permission)
    }
  }
  walkSchema(schema, visit)
  return permissions
}
