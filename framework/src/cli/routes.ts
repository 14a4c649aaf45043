import { routesOf } from '../http/server/inversify-server.js'
import { pathTemplate } from '../http/server/radix-router.js'
import type { Application } from '../modularity/application.js'
import { contractOf } from '../modularity/injectable.js'
import { guardOf } from '../security/guards.js'
import { columns } from './columns.js'

/** Every route of a host with its operation and who may call it, by path. */
export function routeTable({ modules, services }: Application): string {
  const operations = services.flatMap(({ service }) =>
    [...(contractOf(service)?.contract.operations.values() ?? [])].map(({ name, route }) => [
      route.verb,
      route.path,
      `${service.name}.${name}`,
      callers(guardOf(service, name)),
    ]),
  )
  const byHand = modules.flatMap(({ options }) =>
    (options.controllers ?? []).flatMap((type) =>
      routesOf(type).map(({ verb, path, method }) => [
        verb.toUpperCase(),
        pathTemplate(path),
        `${type.name}.${method}`,
        callers(guardOf(type, method)),
      ]),
    ),
  )
  return columns([...operations, ...byHand].sort(([, a = ''], [, b = '']) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** The callers that a guard admits, in words. */
export function callers(guard: ReturnType<typeof guardOf>): string {
  if (!guard) return 'nobody: add @RequiresPermission, @Authenticated or @AllowAnonymous'
  if (guard.kind === 'permission') return guard.permission
  if (guard.kind === 'policy') return [guard.policy.name, ...guard.anyOf.slice(0, 1)].join(', ')
  return guard.kind === 'anonymous' ? 'everybody' : 'who is signed in'
}
