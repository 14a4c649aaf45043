import type {
  Application as ExpressApp,
  NextFunction,
  Request,
  RequestHandler,
  Response,
  Router,
} from 'express'
import type { Container } from 'inversify'
import {
  BaseMiddleware,
  getControllerMetadata,
  getControllerMethodMetadata,
  getControllerParameterMetadata,
  type HttpContext,
  HttpResponseMessage,
  InversifyExpressServer,
  instanceOfIhttpActionResult,
  type interfaces,
  JsonContent,
  PARAMETER_TYPE,
  TYPE,
} from 'inversify-express-utils'
import { ambient } from '../../modularity/ambient.js'
import type { Application } from '../../modularity/application.js'
import type { Constructor } from '../../modularity/class.js'
import { StartupError } from '../../modularity/startup-error.js'
import { StatusError } from './status-error.js'

// The code that touches private members of inversify-express-utils. The test beside this file fails when an
// upgrade moves one.

/**
 * The private members of InversifyExpressServer that this file calls or replaces; ordinary methods at run
 * time.
 */
interface ServerInternals {
  _app: ExpressApp
  _router: Router
  _errorConfigFn?: (app: ExpressApp) => void
  mergePaths(...paths: string[]): string
  extractParameters(
    ...given: [Request, Response, NextFunction, readonly interfaces.ParameterMetadata[]]
  ): unknown[]
  handleHttpResponseMessage(message: HttpResponseMessage, response: Response): Promise<void>
}
const Base = InversifyExpressServer as unknown as new (...args: unknown[]) => ServerInternals

/** A route as the decorators of inversify-express-utils wrote it. */
export interface ControllerRoute {
  /** In lower case; `all` for every one. */
  readonly verb: string
  /** With `:name` for parameters. */
  readonly path: string
  readonly method: string
  readonly middleware: readonly interfaces.Middleware[]
  readonly parameters: readonly interfaces.ParameterMetadata[]
}

/** A controller that the server gets the routes of. */
export interface HostedController {
  readonly type: Constructor
  /** The handlers that run before the middleware of a route: guard, body. */
  before(route: ControllerRoute): readonly RequestHandler[]
  /**
   * Of a generated controller: its methods answer by themselves. The container makes those that are written
   * by hand.
   */
  readonly instance?: object
  /** Sends what a method of a controller that is written by hand returns. */
  write(request: Request, response: Response, value: unknown): void
}

/** The routes of a controller. Throws when the class has no `@controller`. */
export function routesOf(type: Constructor): ControllerRoute[] {
  const about = getControllerMetadata(type) as interfaces.ControllerMetadata | undefined
  if (!about)
    throw new StartupError(
      `${type.name} is listed in controllers and is none: write @controller(path) of inversify-express-utils above the class`,
    )
  const parameters = getControllerParameterMetadata(type) as
    | interfaces.ControllerParameterMetadata
    | undefined
  const methods =
    (getControllerMethodMetadata(type) as interfaces.ControllerMethodMetadata[] | undefined) ?? []
  return methods.map(({ key, method, path, middleware }) => ({
    verb: method,
    path: joinPaths(about.path, path),
    method: key,
    middleware: [...about.middleware, ...middleware],
    parameters: parameters?.[key] ?? [],
  }))
}

const joinPaths = (...paths: string[]): string =>
  (InversifyExpressServer.prototype as unknown as ServerInternals).mergePaths(...paths) || '/'

/**
 * The server of inversify-express-utils without its cost per request: no child container, no metadata on the
 * request, no planning. It reads parameters and sends results as ever. A controller is made once, or once for
 * every request when it asks for something of each request, as `BaseHttpController` does. It replaces the
 * registration, which makes every controller at the start with an empty `HttpContext` and knows no guards.
 */
export class FastInversifyServer extends Base {
  constructor(
    private readonly application: Application,
    private readonly controllers: readonly HostedController[],
    { app, router }: { readonly app: ExpressApp; readonly router: Router },
  ) {
    super(application.container, router, { rootPath: '/' }, app, null, false)
  }

  setErrorConfig(configure: (app: ExpressApp) => void): this {
    this._errorConfigFn = configure
    return this
  }

  build(): ExpressApp {
    for (const controller of this.controllers)
      for (const route of routesOf(controller.type)) this.register(controller, route)
    this._app.use('/', this._router)
    this._errorConfigFn?.(this._app)
    return this._app
  }

  private register(controller: HostedController, route: ControllerRoute): void {
    const add = (
      this._router as unknown as Record<string, (path: string, ...chain: RequestHandler[]) => void>
    )[route.verb]
    if (!add)
      throw new StartupError(
        `${controller.type.name}.${route.method} answers ${route.verb}, which this server does not read`,
      )
    add(
      route.path,
      ...controller.before(route),
      ...route.middleware.map((item) => this.middlewareOf(controller, item)),
      controller.instance ? answerOf(controller.instance, route) : this.answerByHand(controller, route),
    )
  }

  /** Middleware is a function, a class that a module lists, or what a token is bound to. */
  private middlewareOf({ type }: HostedController, item: interfaces.Middleware): RequestHandler {
    const { container, requestScope } = this.application
    const isClass = typeof item === 'function' && item.prototype instanceof BaseMiddleware
    if (isClass && !container.isBound(item))
      throw new StartupError(
        `${type.name} has the middleware ${item.name}, which no module lists: add it to services of its module`,
      )
    if (!container.isBound(item)) return caught(item as RequestHandler)
    if (!isClass) return caught(container.get<RequestHandler>(item))
    // The library writes the context of a request into it.
    if (!requestScope.has(item)) requestScope.add(item as unknown as Constructor)
    return caught((request, response, next) => {
      const middleware = container.get<BaseMiddleware>(item)
      Object.assign(middleware, { httpContext: container.get(TYPE.HttpContext) })
      return middleware.handler(request, response, next)
    })
  }

  private answerByHand({ type, write }: HostedController, route: ControllerRoute): RequestHandler {
    const { container } = this.application
    const { length: taken = 0 } =
      (type.prototype as Record<string, { length: number } | undefined>)[route.method] ?? {}
    // Without decorators a method gets request, response and next.
    const answersItself =
      (route.parameters.length === 0 && taken > 1) ||
      route.parameters.some((one) => [PARAMETER_TYPE.RESPONSE, PARAMETER_TYPE.NEXT].includes(one.type))
    return caught(async (request, response, next) => {
      const given = this.extractParameters(request, response, next, route.parameters)
      const controller = container.get<Record<string, (...given: unknown[]) => unknown>>(type)
      const value = await controller[route.method]?.(...given)
      const message = instanceOfIhttpActionResult(value) ? await value.executeAsync() : value
      if (message instanceof HttpResponseMessage) {
        await refuseFailure(message)
        await this.handleHttpResponseMessage(message, response)
      } else if (typeof value === 'function') value()
      else if (!response.headersSent && !(value === undefined && answersItself))
        write(request, response, value)
    })
  }

  /** Called by the base for `@principal()`. */
  _getHttpContext(): HttpContext {
    return this.application.container.get(TYPE.HttpContext)
  }
}

/** A result that tells a failure without content of its own is answered as every error is. */
async function refuseFailure({ statusCode, content }: HttpResponseMessage): Promise<void> {
  if (statusCode < 400 || content instanceof JsonContent) return
  const text = content === undefined ? undefined : String(await content.readAsync())
  if (statusCode >= 500) throw new Error(text)
  throw new RefusedByController(statusCode, text)
}

/** A status that a method of a controller answers with: `this.notFound()`, `this.badRequest('Too many.')`. */
class RefusedByController extends StatusError {
  override readonly name = 'RefusedByController'

  constructor(
    readonly httpStatus: number,
    text: string | undefined,
  ) {
    super(text || `The answer is ${httpStatus}.`)
  }
}

function answerOf(instance: object, { method }: ControllerRoute): RequestHandler {
  const answer = (instance as Record<string, RequestHandler>)[method] as RequestHandler
  return (request, response, next) => {
    const answered: unknown = answer.call(instance, request, response, next)
    if (answered instanceof Promise) answered.catch(next)
  }
}

/** A handler whose promise may be rejected: Express would not hear of it, and the process would end. */
function caught(handler: (...given: Parameters<RequestHandler>) => unknown): RequestHandler {
  return (request, response, next) => {
    const done = handler(request, response, next)
    if (done instanceof Promise) done.catch(next)
  }
}

/**
 * The request that a controller answers. Throws outside of requests: in jobs, and in calls within the
 * process.
 */
export function createHttpContext(container: Container): HttpContext {
  const { request, principal } = ambient()
  const { res: response } = (request ?? {}) as Request
  if (!response) throw new Error('HttpContext is for requests over HTTP, and none is at hand.')
  return {
    container,
    request: request as Request,
    response,
    user: {
      details: principal,
      isAuthenticated: async () => principal.kind !== 'anonymous',
      isInRole: async (role) => principal.roles.includes(role),
      isResourceOwner: async () => false,
    },
  }
}
