import { type z } from 'zod'
import { filesOf, type Operation, type Parameter, type Verb } from './operation.js'
import type { RemoteService } from './remote-service.js'
import { unwrap } from './scalars.js'

/** Where a parameter travels. */
export type ParameterSource = 'path' | 'query' | 'body' | 'form'

/** How an operation is reached. */
export interface OperationRoute {
  readonly verb: Verb
  /** The whole path with `{name}` for parameters, e.g. `/api/hub/shipment/{id}`. */
  readonly path: string
  /** One entry per parameter, in order. */
  readonly sources: readonly ParameterSource[]
}

/**
 * ABP's prefixes; the verb's first match is stripped from the name.
 * @see abp-http-contract section 1.4;
 * interface document, conventions
 */
const prefixes: readonly (readonly [Verb, readonly string[]])[] = [
  ['GET', ['getList', 'getAll', 'get']],
  ['PUT', ['put', 'update']],
  ['DELETE', ['delete', 'remove']],
  ['POST', ['create', 'add', 'insert', 'post']],
  ['PATCH', ['patch']],
]

/**
 * The route of an operation by the interface document's conventions: verb by prefix, the rest of the name
 * kebab-cased as a segment, the first GUID parameter as a path segment, two simple GUID parameters both in
 * the query. An explicit verb or path wins; a path that starts with a slash is the whole route.
 */
export function routeOf(
  service: RemoteService,
  serviceName: string,
  method: string,
  operation: Operation,
): OperationRoute {
  const verb = operation.verb ?? verbOf(method)
  const root = `/api/${service.rootPath}/${kebab(featureOf(serviceName))}`
  const explicit = operation.path
  const key = explicit === undefined ? keyParameter(operation.parameters) : undefined
  const action = explicit === undefined ? kebab(actionOf(method, verb)) : explicit
  const path = explicit?.startsWith('/')
    ? explicit
    : [root, key && `{${key.name}}`, action].filter(Boolean).join('/')
  const sources = operation.parameters.map((parameter) => sourceOf(parameter, verb, path))
  if (operation.parameters.some((one, index) => filesOf(one).length && sources[index] !== 'form'))
    throw new Error(`${serviceName}.${method} takes a file: say .at('POST', …), for ${verb} has no body`)
  return { verb, path, sources }
}

/** The verb that a method's name stands for; POST when no prefix says otherwise. */
export function verbOf(method: string): Verb {
  return prefixes.find(([, names]) => names.some((prefix) => startsWith(method, prefix)))?.[0] ?? 'POST'
}

/**
 * True for operations that honour the header `Idempotency-Key`: creations whose input is a JSON body. A host
 * keeps their answers for a day.
 */
export function takesIdempotencyKey({
  name,
  route,
}: {
  readonly name: string
  readonly route: OperationRoute
}): boolean {
  return route.verb === 'POST' && startsWith(name, 'create') && route.sources.includes('body')
}

function actionOf(method: string, verb: Verb): string {
  const name = method.replace(/Async$/, '')
  const prefix = prefixes.find(([v]) => v === verb)?.[1].find((candidate) => startsWith(name, candidate))
  return prefix ? name.slice(prefix.length) : name
}

/** `getAllowed` does not start with `getAll`: unlike ABP a prefix ends where the next word begins. */
function startsWith(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && !/[a-z]/.test(name[prefix.length] ?? '')
}

/** ABP's kebab rule, exactly. @see abp-http-contract section 1.3 */
export function kebab(name: string): string {
  const lowered = name.charAt(0).toLowerCase() + name.slice(1)
  return lowered.replace(/[a-z][A-Z]/g, (pair) => `${pair[0]}-${pair[1]?.toLowerCase()}`)
}

/** The subject of a contract: `Shipment` for `ShipmentAppService`. */
export function featureOf(contractName: string): string {
  return contractName.replace(/(AppService|ApplicationService|Service)$/, '')
}

/** `getList` → `GetList`, `permission-management` → `PermissionManagement`, `unLocode` → `UnLocode`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function keyParameter(parameters: readonly Parameter[]): Parameter | undefined {
  const guids = parameters.filter(isGuid)
  return guids.length === 1 ? guids[0] : undefined
}

function isGuid(parameter: Parameter): boolean {
  const def = unwrap(parameter.schema)._zod.def as z.core.$ZodTypeDef & { format?: string }
  return def.format === 'guid' || def.format === 'uuid'
}

function sourceOf(parameter: Parameter, verb: Verb, path: string): ParameterSource {
  if (path.includes(`{${parameter.name}}`)) return 'path'
  if (parameter.isBody) return 'body'
  const isObject = unwrap(parameter.schema)._zod.def.type === 'object'
  const isArray = unwrap(parameter.schema)._zod.def.type === 'array'
  if ((!isObject && !isArray) || verb === 'GET' || verb === 'DELETE') return 'query'
  return filesOf(parameter).length ? 'form' : 'body'
}
