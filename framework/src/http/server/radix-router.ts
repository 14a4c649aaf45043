import type express from 'express'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import findMyWay, { type HTTPMethod } from 'find-my-way'
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
  const tree = findMyWay({ ignoreTrailingSlash: true, caseSensitive: false, maxParamLength: 500 })
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
    const found = tree.find((request.method === 'HEAD' ? 'GET' : request.method) as HTTPMethod, path)
    if (!found) {
      next(whyNotFound(request.method, path))
      return
    }
    request.params = found.params as Record<string, string>
    take(found.store as Taken, request, response, next)
  }
  const take = (taken: Taken, request: Request, response: Response, next: NextFunction): void => {
    if (notesRoutes) routes.set(request, taken.route)
    runChain(taken.chain, request, response, next)
  }
  const register =
    (verb: string) =>
    (path: string, ...chain: RequestHandler[]) => {
      const taken = { chain, route: pathTemplate(path) }
      tree.on(verb as HTTPMethod, path || '/', () => undefined, taken)
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
    const allowed = verbs.filter((verb) => tree.find(verb === 'HEAD' ? 'GET' : verb, path))
    return allowed.length && method !== 'OPTIONS' ? new MethodNotAllowedError(method, allowed) : undefined
  }
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
