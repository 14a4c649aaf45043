import {
  type AnyAppService,
  type AnyDto,
  dtoOf,
  ForbiddenError,
  fieldPermissionOf,
  fieldPermissionsIn,
  isDto,
  UnauthenticatedError,
  unwrap,
  type z,
} from '../contracts/index.js'
import { ambient } from './ambient.js'
import type { Interceptor, Step } from './interceptor.js'
import { jsonOf } from './json-text.js'
import { type Principal, usesPermission } from './principal.js'
import { recordRefusal } from './refusals.js'

/**
 * Refuses a caller who names a field without the permission that the field needs: everywhere in the same words.
 * @param field the name of the member of the DTO
 */
export function demandField(field: string, permission: string): void {
  const { principal } = ambient()
  if (usesPermission(principal, permission)) return
  if (principal.kind === 'anonymous') throw new UnauthenticatedError()
  recordRefusal(permission, principal)
  throw new ForbiddenError(
    `You are not allowed to see or to set the field ${field}: it needs the permission ${permission}.`,
    {
      code: 'Volo.Authorization:010002',
      data: { PolicyName: permission, Field: field },
      text: { key: 'FieldPermissionRequired', data: { field, permission } },
    },
  )
}

/** Those of some permissions that the caller at hand lacks. */
export function lackedBy(principal: Principal, permissions: Iterable<string>): readonly string[] {
  let lacked: string[] | undefined
  for (const permission of permissions)
    if (!usesPermission(principal, permission)) {
      lacked ??= []
      lacked.push(permission)
    }
  return lacked ?? none
}

const none: readonly string[] = []

/**
 * A value as a principal may see it: a copy without restricted members, at every level. For values that leave the process on another
 * way than as the answer of an operation, such as events that are delivered to a subscriber.
 */
export function withoutRestricted<T>(dto: AnyDto, value: T, principal: Principal): T {
  return shownTo(dto.schema, value, principal) as T
}

/** A value of a contract as a principal may see it: a copy without restricted members, or the same where nothing is restricted. */
export function shownTo(schema: z.ZodType, value: unknown, principal: Principal): unknown {
  const isWhole = lackedBy(principal, fieldPermissionsIn(schema)).length === 0
  if (isWhole) return value
  return mapMembers(schema, value, (declared, member) => {
    const permission = declared && fieldPermissionOf(declared)
    return permission !== undefined && !usesPermission(principal, permission) ? undefined : member
  })
}

/**
 * A copy of a value with other members, at every level of it. JSON that exists already stays as it is: a view wrote it for this caller.
 * @param mapped the member as it is in the copy, by its schema and its value; undefined leaves it out
 */
export function mapMembers(
  schema: z.ZodType,
  value: unknown,
  mapped: (declared: z.ZodType | undefined, member: unknown) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || jsonOf(value) !== undefined)
    return value
  const { shape, element, valueType } = partsOf(schema)
  if (Array.isArray(value)) return element ? value.map((item) => mapMembers(element, item, mapped)) : value
  if (!shape && !valueType) return value
  const entries = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const declared = shape ? shape[name] : valueType
    const kept = mapped(declared, member)
    if (kept === undefined) return []
    return [[name, declared ? mapMembers(declared, kept, mapped) : kept]]
  })
  return Object.fromEntries(entries)
}

interface Parts {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
}

const partsOf = (schema: z.ZodType): Parts => unwrap(schema)._zod.def as unknown as Parts

/**
 * Restricted members of a contract: refused in inputs, left out of answers. An input member needs the permission of the member that the
 * answers of the same contract have in its place, and its own where it declares one.
 */
export const fieldRights: Interceptor = {
  step: 'field rights',
  intercept({ contract, operation }): Step | undefined {
    const rulers = rulersOf(contract)
    const result = operation.result && (isDto(operation.result) ? operation.result.schema : operation.result)
    const schemas = [...rulers, ...operation.parameters.map(({ schema }) => schema)]
    const permissions = new Set(schemas.flatMap((schema) => [...fieldPermissionsIn(schema)]))
    if (permissions.size === 0) return undefined
    return async (args, next) => {
      // Inputs are searched for callers who lack a permission, and for those whose use of permissions is noted.
      const { principal } = ambient()
      if (principal.noteUse || lackedBy(principal, permissions).length)
        for (const [index, { schema }] of operation.parameters.entries())
          demandWritten(args[index], schema, rulers)
      const answer = await next(args)
      return result ? shownTo(result, answer, ambient().principal) : answer
    }
  },
}

const hasRestricted = (schema: z.ZodType): boolean => fieldPermissionsIn(schema).size > 0

/** The DTOs of a contract's answers that have restricted members: of a page, the DTO of its items. */
function rulersOf({ contract }: AnyAppService): z.ZodType[] {
  const found = new Set<z.ZodType>()
  for (const { result } of contract.operations.values()) {
    if (!isDto(result)) continue
    const items = result.shape.items && partsOf(result.shape.items as z.ZodType).element
    const schema = items && dtoOf(items) ? items : result.schema
    if (hasRestricted(schema)) found.add(schema)
  }
  return [...found]
}

function demandWritten(value: unknown, schema: z.ZodType, rulers: readonly z.ZodType[]): void {
  if (typeof value !== 'object' || value === null) return
  const own = partsOf(schema)
  const others = rulers.map(partsOf)
  if (Array.isArray(value)) {
    const elements = others.flatMap(({ element }) => element ?? [])
    for (const item of value) if (own.element) demandWritten(item, own.element, elements)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const declared = own.shape?.[name]
    if (!declared) continue
    const ruling = others.flatMap(({ shape }) => shape?.[name] ?? [])
    for (const one of [declared, ...ruling]) {
      const permission = fieldPermissionOf(one)
      if (permission !== undefined) demandField(name, permission)
    }
    demandWritten(member, declared, ruling)
  }
}
