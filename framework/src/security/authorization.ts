import {
  type ContractOperation,
  ForbiddenError,
  fieldPermissions,
  fieldPermissionsIn,
  isDto,
  UnauthenticatedError,
  type z,
} from '../contracts/index.js'
import { ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import type { Constructor } from '../modularity/class.js'
import { contractOf } from '../modularity/injectable.js'
import type { Interceptor, Step } from '../modularity/interceptor.js'
import type { LoadedModule } from '../modularity/loaded-module.js'
import type { Policy } from '../modularity/policy.js'
import { type Principal, usesPermission } from '../modularity/principal.js'
import { recordRefusal } from '../modularity/refusals.js'
import { atPlaceOf, placeOf } from '../modularity/source-place.js'
import { StartupError } from '../modularity/startup-error.js'
import { type Guard, guardOf, isGuarded } from './guards.js'

/** Lets an operation run only for those its guard allows, called over HTTP or in this process. */
export const authorization: Interceptor = {
  step: 'guard',
  isAskedByRoute: true,
  intercept({ service, operation }): Step | undefined {
    const admit = admission(service, operation.name)
    if (!admit) return undefined
    return (args, next) => {
      admit()
      return next(args)
    }
  },
}

/**
 * The check of an operation: it throws for callers without permission, and notes the permission that admits the others as used. Undefined
 * for operations that everybody may call.
 */
export function admission(service: Constructor, operation: string): (() => void) | undefined {
  const guard = guardOf(service, operation)
  if (guard?.kind === 'anonymous') return undefined
  return () => {
    const { principal } = ambient()
    const permission = demand(principal, guard)
    if (permission !== undefined) principal.noteUse?.(permission)
  }
}

/** True when the caller holds a permission. Counts as a use of the permission. */
export function hasPermission(permission: string): boolean {
  return usesPermission(ambient().principal, permission)
}

/** Refuses callers who don't hold a permission: for what only the input of an operation decides. */
export function demandPermission(permission: string): void {
  const { principal } = ambient()
  demand(principal, { kind: 'permission', permission })
  principal.noteUse?.(permission)
}

/** Refuses callers whom a policy does not admit: for what only the input of an operation decides. */
export function demandPolicy(policy: Policy): void {
  demand(ambient().principal, { kind: 'policy', policy, anyOf: [] })
}

function demand(principal: Principal, guard: Guard | undefined): string | undefined {
  if (principal.kind === 'anonymous') throw new UnauthenticatedError()
  if (guard?.kind === 'authenticated') return undefined
  if (guard?.kind === 'policy' && !guard.policy.admits(principal)) {
    const policy = guard.policy.name
    recordRefusal(policy, principal)
    throw new ForbiddenError(`You are not allowed to do this: the policy ${policy} does not admit you.`, {
      code: 'Volo.Authorization:010002',
      data: { PolicyName: policy },
      text: { key: 'PolicyRequired', data: { policy } },
    })
  }
  const wanted = permissionsOf(guard)
  const held = wanted.find((permission) => principal.permissions.has(permission))
  if (held !== undefined || (guard?.kind === 'policy' && wanted.length === 0)) return held
  const permission = wanted[0] ?? '(none)'
  recordRefusal(permission, principal)
  throw new ForbiddenError(`You are not allowed to do this: it needs the permission ${permission}.`, {
    code: 'Volo.Authorization:010002',
    data: { PolicyName: permission },
    text: { key: 'PermissionRequired', data: { permission } },
  })
}

/** The permissions of which a guard demands one. */
function permissionsOf(guard: Guard | undefined): readonly string[] {
  if (guard?.kind === 'permission') return [guard.permission]
  return guard?.kind === 'policy' ? guard.anyOf : []
}

/** A method that callers reach: of a service or a controller. */
export interface ReachedMethod {
  readonly service: Constructor
  readonly name: string
  readonly module: LoadedModule
}

/** The operations of all contracts that are served. */
function operationsOf({ localServices }: Application): ReachedMethod[] {
  return localServices.flatMap(({ contract, service, module }) =>
    [...contract.contract.operations.keys()].map((name) => ({ service, name, module })),
  )
}

/**
 * Refuses to start a host that would serve an operation to everybody although nobody said that everybody may call it: a host without
 * `SecurityModule` checks nothing.
 * @param others methods of controllers
 */
export function refuseUnchecked(application: Application, others: readonly ReachedMethod[]): void {
  if (application.interceptors.includes(authorization)) return
  for (const { service, name, module } of [...operationsOf(application), ...others]) {
    if (guardOf(service, name)?.kind === 'anonymous') continue
    throw new StartupError(
      `${service.name}.${name} (${module.name}) is not for everybody, and this host checks nobody: add SecurityModule to it, leave ${module.name} out, or say @AllowAnonymous`,
    )
  }
}

/** Refuses to start with an operation that nobody said who may call, or one that asks for what no module defines. */
export function checkGuards(application: Application): void {
  const faults = application.services.flatMap(({ service, module: { type } }) =>
    isGuarded(service) && !contractOf(service)
      ? [
          `${service.name} says who may call it, but nobody can: write @AutoApiController(<its contract>) above the class.${atPlaceOf(service, undefined, type)}`,
        ]
      : [],
  )
  refuseFaults([
    ...faults,
    ...guardFaults(application, operationsOf(application)),
    ...unknownFieldPermissions(application),
  ])
}

/** The same for methods of controllers. */
export function checkGuardsOf(application: Application, methods: readonly ReachedMethod[]): void {
  refuseFaults(guardFaults(application, methods))
}

function refuseFaults(faults: readonly string[]): void {
  if (faults.length) throw new StartupError(faults.join('\n'))
}

/** What an operation takes and answers. */
function schemasOf({ parameters, result }: ContractOperation): z.ZodType[] {
  const answer = result && (isDto(result) ? result.schema : result)
  return [...parameters.map(({ schema }) => schema), ...(answer ? [answer] : [])]
}

/** Members of DTOs that ask for a permission which no module defines. */
function unknownFieldPermissions({ localServices, permissions }: Application): string[] {
  // To look through all members takes a while: only where there is a permission to look for.
  if ([...fieldPermissions].every((permission) => permissions.has(permission))) return []
  return localServices.flatMap(({ contract: { contract } }) =>
    [...contract.operations.values()].flatMap((operation) => {
      const asked = new Set(schemasOf(operation).flatMap((schema) => [...fieldPermissionsIn(schema)]))
      return [...asked]
        .filter((permission) => !permissions.has(permission))
        .map(
          (permission) =>
            `A member of ${contract.name}.${operation.name} asks for the permission ${permission}, which no module of this host lists in permissions`,
        )
    }),
  )
}

function guardFaults({ permissions, policies }: Application, methods: readonly ReachedMethod[]): string[] {
  return methods.flatMap(({ service, name, module }) => {
    const guard = guardOf(service, name)
    const unknown = permissionsOf(guard).filter((wanted) => !permissions.has(wanted))
    const faults = [
      ...(guard ? [] : ['has no permission: add @RequiresPermission, @Authenticated or @AllowAnonymous']),
      ...unknown.map(
        (permission) =>
          `asks for the permission ${permission}, which no module of this host lists in permissions`,
      ),
      ...(guard?.kind === 'policy' && policies.get(guard.policy.name) !== guard.policy
        ? [`asks for the policy ${guard.policy.name}, which no module of this host lists in policies`]
        : []),
    ]
    return faults.map(
      (fault) =>
        `${service.name}.${name} ${fault}\n  at ${placeOf(service, name, module.type) ?? 'an unknown place'}`,
    )
  })
}
