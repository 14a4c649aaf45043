import { ForbiddenError, UnauthenticatedError } from '../contracts/index.js'
import { ambient } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import { type Interceptor, interceptorOrder, type Step } from '../modularity/interceptor.js'
import type { Constructor } from '../modularity/module.js'
import type { Principal } from '../modularity/principal.js'
import { placeOf } from '../modularity/source-place.js'
import { StartupError } from '../modularity/startup-error.js'
import { type Guard, guardOf } from './guards.js'
import { recordRefusal } from './refusals.js'

/** Lets an operation run only for those its guard allows, called over HTTP or in this process. */
export const authorization: Interceptor = {
  order: interceptorOrder.authorization,
  intercept({ service, operation }): Step | undefined {
    const admit = admission(service, operation.name)
    if (!admit) return undefined
    return (args, next) => {
      admit()
      return next(args)
    }
  },
}

/** What throws unless the caller may call an operation; undefined where everybody may. */
export function admission(service: Constructor, operation: string): (() => void) | undefined {
  const guard = guardOf(service, operation)
  return guard?.kind === 'anonymous' ? undefined : () => demand(ambient().principal, guard)
}

/** Whether the caller holds a permission. */
export function hasPermission(permission: string): boolean {
  return ambient().principal.permissions.has(permission)
}

/** Refuses callers who don't hold a permission: for what only the input of an operation decides. */
export function demandPermission(permission: string): void {
  demand(ambient().principal, { kind: 'permission', permission })
}

function demand(principal: Principal, guard: Guard | undefined): void {
  if (principal.kind === 'anonymous') throw new UnauthenticatedError()
  if (guard?.kind === 'authenticated') return
  const permission = guard?.kind === 'permission' ? guard.permission : '(none)'
  if (guard?.kind === 'permission' && principal.permissions.has(permission)) return
  recordRefusal(permission, principal)
  throw new ForbiddenError(`You are not allowed to do this: it needs the permission ${permission}.`, {
    code: 'Volo.Authorization:010002',
    data: { PolicyName: permission },
    text: { key: 'PermissionRequired', data: { permission } },
  })
}

/** Refuses to start with an operation that nobody said who may call, or one that asks for a permission nobody defined. */
export function checkGuards({ localServices, permissions }: Application): void {
  const faults: string[] = []
  for (const { contract, service } of localServices) {
    for (const name of contract.contract.operations.keys()) {
      const guard = guardOf(service, name)
      const operation = `${service.name}.${name}`
      const tell = (fault: string): void => {
        faults.push(`${operation} ${fault}\n  at ${placeOf(service, name) ?? 'an unknown place'}`)
      }
      if (!guard) tell('has no permission: add @RequiresPermission, @Authenticated or @AllowAnonymous')
      else if (guard.kind === 'permission' && !permissions.has(guard.permission))
        tell(`asks for the permission ${guard.permission}, which no module of this host lists in permissions`)
    }
  }
  if (faults.length) throw new StartupError(faults.join('\n'))
}
