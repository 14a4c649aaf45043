import http from 'node:http'
import express, {
  type Application as ExpressApp,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Container } from 'inversify'
import { InversifyExpressServer, TYPE } from 'inversify-express-utils'
import { ValidationError } from '../../contracts/index.js'
import { MethodNotAllowedError } from './http-errors.js'

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

interface Taken {
  readonly chain: readonly RequestHandler[]
  /** As the OpenAPI document writes it. */
  readonly route: string
}

const routes = new WeakMap<object, string>()

/** The route of an operation that a request was answered by, e.g. `/api/hub/port/{id}`; undefined where nobody notes them. */
export function routeOf(request: object): string | undefined {
  return routes.get(request)
}

/**
 * A radix-tree router with the surface that InversifyExpressServer needs of its `customRouter`: finding a route costs the same with five
 * hundred operations as with five. A path without parameters, written as we write it, is found without the tree.
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
      const taken = { chain, route: path.replace(/:(\w+)/g, '{$1}') }
      tree.on(verb as HTTPMethod, path || '/', () => undefined, taken)
      if (taken.route === path && !path.includes('*')) fixed.set(`${verb} ${path}`, taken)
      return router
    }
  return Object.assign(
    router,
    Object.fromEntries(verbs.map((verb) => [verb.toLowerCase(), register(verb)])),
  ) as unknown as express.Router

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

type ControllerMethods = Record<string, (...args: unknown[]) => unknown>

/** The private members of InversifyExpressServer that this file replaces; ordinary methods at run time. */
interface ServerInternals {
  _app: ExpressApp
  _errorConfigFn?: (app: ExpressApp) => void
  registerControllers(): void
}
const Base = InversifyExpressServer as unknown as new (...args: unknown[]) => ServerInternals

/**
 * inversify-express-utils without its cost per request (no child container, no metadata on the request, no planning): our controllers are
 * stateless singletons, so each is resolved once, and they write their answers themselves.
 */
export class FastInversifyServer extends Base {
  private readonly controllers: Container

  /** @param router a {@link radixRouter}, which gets the routes of all controllers */
  constructor(container: Container, app: ExpressApp, router: express.Router) {
    super(container, router, { rootPath: '/' }, app, null, false)
    this.controllers = container
  }

  setErrorConfig(configure: (app: ExpressApp) => void): this {
    this._errorConfigFn = configure
    return this
  }

  build(): ExpressApp {
    this.registerControllers()
    this._errorConfigFn?.(this._app)
    return this._app
  }

  /** Called by the base for every route. */
  handlerFactory(controllerName: string, key: string): RequestHandler {
    const controller = this.controllers.getNamed<ControllerMethods>(TYPE.Controller, controllerName)
    const method = controller[key] as (...args: Parameters<RequestHandler>) => Promise<void> | undefined
    return (request, response, next) => {
      method.call(controller, request, response, next)?.catch(next)
    }
  }
}

/** Of the first line and all headers together: room for the longest URL that is answered, and to refuse longer ones in our own words. */
const maxHeaderSize = 64 * 1024

/**
 * A server whose requests and responses are those of an Express application. Express gives every one of them another prototype, which drops
 * both out of V8's fast paths; made with the right prototype from the start they stay there: about twice the requests a second. Derived
 * classes, because for these V8 counts the members of all constructors above and makes room for them at once.
 */
export function createFastServer(app: ExpressApp, answer: RequestHandler): http.Server {
  const prototypes = app as unknown as { request: object; response: object }
  class FastRequest extends http.IncomingMessage {}
  class FastResponse extends http.ServerResponse {}
  Object.setPrototypeOf(FastRequest.prototype, prototypes.request)
  Object.setPrototypeOf(FastResponse.prototype, prototypes.response)
  return http.createServer(
    {
      IncomingMessage: FastRequest,
      ServerResponse: FastResponse as unknown as typeof http.ServerResponse,
      maxHeaderSize,
    },
    (given, made) => {
      const [request, response] = [given as Request, made as unknown as Response]
      // What Express does to every request, as far as anybody needs it.
      request.res = response
      request.originalUrl = request.url
      answer(request, response, () => app(request, response))
    },
  )
}
