import type { PermissionClass } from '../contracts/index.js'
import type { Policy } from '../modularity/policy.js'
import { StartupError } from '../modularity/startup-error.js'

/** The rule that decides who may call an operation. */
export type Guard =
  | { readonly kind: 'permission'; readonly permission: string }
  /** A policy, and one of the permissions where some are named. */
  | { readonly kind: 'policy'; readonly policy: Policy; readonly anyOf: readonly string[] }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'anonymous' }

type Target = object
/** Stands on a class for all its operations, or on a method, which then decides alone. */
type GuardDecorator = (target: Target, member?: string) => void

const onMethods = new WeakMap<Target, Map<string, Guard>>()
const onClasses = new WeakMap<Target, Guard | PermissionClass>()
const actions: Readonly<Record<string, string>> = {
  get: 'View',
  getList: 'View',
  getLookup: 'View',
  getListAsExcelFile: 'View',
  getListAsCsvFile: 'View',
  create: 'Create',
  update: 'Edit',
  delete: 'Delete',
  deleteMany: 'Delete',
  import: 'Create',
  getImportTemplate: 'Create',
  getImports: 'View',
  getImport: 'View',
  getImportFaults: 'View',
  cancelImport: 'View',
  getDeleted: 'Restore',
  restore: 'Restore',
}
/** Need the permission Import where a class of permissions has one. */
const importing: ReadonlySet<string> = new Set(['import', 'getImportTemplate'])

/**
 * Demands a permission. With a class of permissions, made by `crudPermissions`, it guards the operations of
 * `crud()` and of the macros beside it: View for reads, Create, Edit, Delete
 * for delete and deleteMany, Restore for getDeleted and restore, Import, else Create, for imports (which
 * demand Create and Edit themselves), View for their reports.
 * @example @RequiresPermission(ShipmentPermissions.View) async getUpcomingShipments(…) { … }
 */
export function RequiresPermission(permission: string | PermissionClass): GuardDecorator {
  return mark(typeof permission === 'string' ? { kind: 'permission', permission } : permission)
}

/**
 * Demands what a policy says of the caller and, when permissions are named, one of these; the first is the
 * one that a refusal names.
 * @example @RequiresPolicy(apiKeyManagement, ApiKeyPermissions.Edit, ApiKeyPermissions.ManageAll) async update(…) { … }
 */
export function RequiresPolicy(policy: Policy, ...anyOf: readonly string[]): GuardDecorator {
  return mark({ kind: 'policy', policy, anyOf })
}

/** Lets everybody call, signed in or not. */
export function AllowAnonymous(): GuardDecorator {
  return mark({ kind: 'anonymous' })
}

/** Lets everybody call who is signed in. */
export function Authenticated(): GuardDecorator {
  return mark({ kind: 'authenticated' })
}

/** The guard of an operation: the method's, else the class's. Undefined for none: then nobody may call it. */
export function guardOf(service: { readonly prototype: object }, operation: string): Guard | undefined {
  for (
    let prototype = service.prototype;
    prototype && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype) as object
  ) {
    const own = onMethods.get(prototype)?.get(operation)
    if (own) return own
  }
  const general = onClasses.get(service)
  if (!general || !isPermissionClass(general)) return general
  const named = general as unknown as Record<string, string>
  const permission = (importing.has(operation) && named.Import) || named[actions[operation] ?? '']
  return permission ? { kind: 'permission', permission } : undefined
}

/** True when a class or one of its methods has a guard. */
export function isGuarded(service: { readonly prototype: object }): boolean {
  return onClasses.has(service) || onMethods.has(service.prototype)
}

function isPermissionClass(value: Guard | PermissionClass): value is PermissionClass {
  return typeof value === 'function'
}

function mark(guard: Guard | PermissionClass): GuardDecorator {
  return (target, member) => {
    if (typeof member === 'object')
      throw new StartupError(
        `A guard on ${String((member as { name: unknown }).name)} is compiled as a decorator of ECMAScript: set "experimentalDecorators" and "emitDecoratorMetadata" to true in tsconfig.json.`,
      )
    if (member === undefined) onClasses.set(target, guard)
    else if (!isPermissionClass(guard))
      onMethods.set(target, (onMethods.get(target) ?? new Map<string, Guard>()).set(member, guard))
    else
      throw new Error(
        `@RequiresPermission on ${member} takes the name of one permission; a class of permissions stands on the service`,
      )
  }
}
