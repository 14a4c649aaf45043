import type { AnyAppService, Verb } from '../contracts/index.js'
import type { Constructor } from './class.js'

interface StatedRoute {
  readonly verb: Verb
  readonly path: string | undefined
}

type MethodDecorator = (prototype: object, method: string) => void

const stated = new WeakMap<object, Map<string, StatedRoute>>()

/**
 * Says on a service's method by which verb, and with a path at which route below the service's, it is called. It is the contract that decides,
 * with `.at(verb, path)`, because clients know nothing else: a statement that differs from it stops the start.
 * @example
 * merge: op(id, MergeInput).at('POST', 'merge')     // in the contract
 * @HttpPost('merge') async merge(id: string, input: MergeInput) { … }
 */
export const HttpPost = statement('POST')
/** A method that is called by GET; see {@link HttpPost}. */
export const HttpGet = statement('GET')
/** A method that is called by PUT; see {@link HttpPost}. */
export const HttpPut = statement('PUT')
/** A method that is called by DELETE; see {@link HttpPost}. */
export const HttpDelete = statement('DELETE')
/** A method that is called by PATCH; see {@link HttpPost}. */
export const HttpPatch = statement('PATCH')

function statement(verb: Verb): (path?: string) => MethodDecorator {
  return (path) => (prototype, method) => {
    const methods = stated.get(prototype) ?? new Map<string, StatedRoute>()
    stated.set(prototype, methods.set(method, { verb, path }))
  }
}

/**
 * Faults of methods whose decorators name routes that the contract lacks: one sentence each, with the remedy.
 */
export function divergingRoutes(service: Constructor, contract: AnyAppService): string[] {
  const { operations } = contract.contract
  return [...statementsOf(service)].flatMap(([method, { verb, path }]) => {
    const operation = operations.get(method)
    const decorator = `@Http${verb.charAt(0)}${verb.slice(1).toLowerCase()}(${path === undefined ? '' : `'${path}'`})`
    const said = `${service.name}.${method} has ${decorator}`
    if (!operation)
      return [`${said}, but ${contract.name} has no such operation: add it there, or remove the decorator`]
    if (operation.route.verb === verb && (path === undefined || path === operation.path)) return []
    const remedy = path === undefined ? `.at('${verb}')` : `.at('${verb}', '${path}')`
    return [
      `${said}, but clients call it by ${operation.route.verb} ${operation.route.path}: write ${remedy} at ${contract.name}.${method}, or remove the decorator`,
    ]
  })
}

/** The statements of a class and of those it inherits from; its own win. */
function statementsOf(service: Constructor): Map<string, StatedRoute> {
  const found = new Map<string, StatedRoute>()
  for (
    let prototype = service.prototype as object | null;
    prototype && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  )
    for (const [method, route] of stated.get(prototype) ?? [])
      if (!found.has(method)) found.set(method, route)
  return found
}
