import { ForbiddenError, UnauthenticatedError } from '../contracts/index.js'
import { ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import type { Constructor } from '../modularity/class.js'
import { contractOf } from '../modularity/injectable.js'
import { type Interceptor, interceptorOrder, type Step } from '../modularity/interceptor.js'
import type { Policy } from '../modularity/policy.js'
import { type Principal, usesPermission } from '../modularity/principal.js'
import { atPlaceOf, placeOf } from '../modularity/source-place.js'
import { StartupError } from '../modularity/startup-error.js'
import { type Guard, guardOf, isGuarded } from './guards.js'
import { recordRefusal } from './refusals.js'

/** Lets an operation run only for those its guard allows, called over HTTP or in this process. */
export const authorization: Interceptor = {
  order: interceptorOrder.authorization,
  intercept({ service, operation }): Step | undefined {
    const admit = admission(service, operation.name)
    if (!admit) return undefined
    return (args, next) => {
      const permission = admit()
      if (permission !== undefined) ambient().principal.noteUse?.(permission)
      return next(args)
    }
  },
}

/**
 * The check of an operation: it throws for callers without permission and returns the permission that admits
 * the others. Undefined for operations without a guard.
 */
export function admission(service: Constructor, operation: string): (() => string | undefined) | undefined {
  const guard = guardOf(service, operation)
  return guard?.kind === 'anonymous' ? undefined : () => demand(ambient().principal, guard)
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

/**
 * Refuses to start a host that would serve an operation to everybody although nobody said that everybody may
 * call it: a host without `SecurityModule` checks nothing.
 */
export function refuseUnchecked({ localServices, interceptors }: Application): void {
  if (interceptors.includes(authorization)) return
  for (const { contract, service, module } of localServices) {
    for (const name of contract.contract.operations.keys()) {
      const guard = guardOf(service, name)
      if (guard?.kind === 'anonymous') continue
      throw new StartupError(
        `${service.name}.${name} (${module.name}) is not for everybody, and this host checks nobody: add SecurityModule to it, leave ${module.name} out, or say @AllowAnonymous`,
      )
    }
  }
}

/** Refuses to start with an operation without a guard, or with a permission that no module defines. */
export function checkGuards({ modules, localServices, permissions, policies }: Application): void {
  const faults: string[] = []
  for (const { options, type } of modules)
    for (const service of options.services ?? [])
      if (isGuarded(service) && !contractOf(service))
        faults.push(
          `${service.name} says who may call it, but nobody can: write @AutoApiController(<its contract>) above the class.${atPlaceOf(service, undefined, type)}`,
        )
  for (const { contract, service } of localServices) {
    for (const name of contract.contract.operations.keys()) {
      const guard = guardOf(service, name)
      const operation = `${service.name}.${name}`
      const tell = (fault: string): void => {
        faults.push(`${operation} ${fault}\n  at ${placeOf(service, name) ?? 'an unknown place'}`)
      }
      if (!guard) tell('has no permission: add @RequiresPermission, @Authenticated or @AllowAnonymous')
      for (const permission of permissionsOf(guard).filter((wanted) => !permissions.has(wanted)))
        tell(`asks for the permission ${permission}, which no module of this host lists in permissions`)
      if (guard?.kind === 'policy' && policies.get(guard.policy.name) !== guard.policy)
        tell(`asks for the policy ${guard.policy.name}, which no module of this host lists in policies`)
    }
  }
  if (faults.length) throw new StartupError(faults.join('\n'))
}
