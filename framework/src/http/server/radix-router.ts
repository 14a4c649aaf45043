import type express from 'express'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import findMyWay, { type HTTPMethod, type Instance } from 'find-my-way'
import { ValidationError } from '../../contracts/index.js'
import { MethodNotAllowedError } from './http-errors.js'

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

interface Taken {
  readonly chain: readonly RequestHandler[]
  /** As the OpenAPI document writes it. */
  readonly route: string
}

/** A path of Express as the OpenAPI document writes it: `/port/:id` is `/port/{id}`. */
export const pathTemplate = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

const routes = new WeakMap<object, string>()

/**
 * The route of an operation that a request was answered by, e.g. `/api/hub/port/{id}`; undefined where nobody
 * notes them.
 */
export function routeOf(request: object): string | undefined {
  return routes.get(request)
}

/**
 * A radix-tree router with the surface that InversifyExpressServer needs of its `customRouter`: finding a
 * route costs the same with five hundred operations as with five. A path without parameters, written as we
 * write it, is found without the tree.
 */
export function radixRouter({ notesRoutes = false } = {}): express.Router {
  const trees = new RouteTrees()
  const fixed = new Map<string, Taken>()
  const router = (request: Request, response: Response, next: NextFunction): void => {
    const { url } = request
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    const direct = fixed.get(`${request.method} ${path}`)
    if (direct) {
      request.params = {}
      take(direct, request, response, next)
      return
    }
    const found = trees.find(request.method, path)
    if (!found) {
      next(whyNotFound(request.method, path))
      return
    }
    request.params = found.params
    take(found.taken, request, response, next)
  }
  const take = (taken: Taken, request: Request, response: Response, next: NextFunction): void => {
    if (notesRoutes) routes.set(request, taken.route)
    runChain(taken.chain, request, response, next)
  }
  const register =
    (verb: string) =>
    (path: string, ...chain: RequestHandler[]) => {
      const taken = { chain, route: pathTemplate(path) }
      trees.add({ verb: verb as HTTPMethod, path: path || '/', taken })
      if (taken.route === path && !path.includes('*')) fixed.set(`${verb} ${path}`, taken)
      return router
    }
  const registers = Object.fromEntries(verbs.map((verb) => [verb.toLowerCase(), register(verb)]))
  const all = (path: string, ...chain: RequestHandler[]) => {
    for (const each of Object.values(registers)) each(path, ...chain)
    return router
  }
  return Object.assign(router, registers, { all }) as unknown as express.Router

  function whyNotFound(method: string, path: string): Error | undefined {
    if (!isDecodable(path))
      return new ValidationError([
        { message: 'The path has a broken percent-encoding.', members: [], text: { key: 'Http:BrokenPath' } },
      ])
    const allowed = verbs.filter((verb) => trees.find(verb, path))
    return allowed.length && method !== 'OPTIONS' ? new MethodNotAllowedError(method, allowed) : undefined
  }
}

interface Route {
  readonly verb: HTTPMethod
  readonly path: string
  readonly taken: Taken
}

/**
 * One tree for the paths that begin with the same three segments, as those of a service do, and one for all
 * others. Making a tree compiles a function for each of its nodes, so that each is made when the first request asks for it.
 */
class RouteTrees {
  private readonly groups = new Map<string, RouteTree>()
  private readonly others = new RouteTree()

  add(route: Route): void {
    const key = isPlain.test(route.path) ? startOf(route.path) : undefined
    const tree = key === undefined ? this.others : (this.groups.get(key) ?? new RouteTree())
    if (key !== undefined) this.groups.set(key, tree)
    tree.add(route)
  }

  /** As in one tree: a segment that is written out goes before a parameter at its place. */
  find(method: string, path: string): { taken: Taken; params: Record<string, string> } | undefined {
    const verb = (method === 'HEAD' ? 'GET' : method) as HTTPMethod
    const key = startOf(path)
    const found =
      (key !== undefined && this.groups.get(key)?.find(verb, path)) || this.others.find(verb, path)
    return found ? { taken: found.store as Taken, params: found.params as Record<string, string> } : undefined
  }
}

class RouteTree {
  private tree: Instance<never> | undefined
  private readonly waiting: Route[] = []

  add(route: Route): void {
    this.waiting.push(route)
    // What may be written wrongly is refused now, not by the first request.
    if (!isPlain.test(route.path)) this.made()
  }

  find(verb: HTTPMethod, path: string) {
    return this.made().find(verb, path)
  }

  private made(): Instance<never> {
    this.tree ??= findMyWay({
      ignoreTrailingSlash: true,
      caseSensitive: false,
      maxParamLength: 500,
    }) as Instance<never>
    for (const { verb, path, taken } of this.waiting.splice(0))
      this.tree.on(verb, path, () => undefined, taken)
    return this.tree
  }
}

/** Of segments that are names or parameters: such a path can't be wrong. */
const isPlain = /^(?:\/(?::\w+|[\w.~-]+))*\/?$/

/** The first three segments of a path in lower case; undefined when it has fewer, or a parameter among them. */
function startOf(path: string): string | undefined {
  const third = /^\/[^/:]+\/[^/:]+\/[^/:]+/.exec(path)?.[0].toLowerCase()
  return third?.includes('%') && isDecodable(third) ? decodeURIComponent(third) : third
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function runChain(
  chain: readonly RequestHandler[],
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  let index = 0
  const step: NextFunction = (error?: unknown) => {
    if (error) return next(error)
    const handler = chain[index++]
    if (!handler) return next()
    try {
      handler(request, response, step)
    } catch (thrown) {
      next(thrown)
    }
  }
  step()
}
