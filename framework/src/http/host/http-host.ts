import type http from 'node:http'
import { tmpdir } from 'node:os'
import express, {
  type ErrorRequestHandler,
  type Application as ExpressApp,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import {
  type ErrorEnvelope,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
  z,
} from '../../contracts/index.js'
import { ambient } from '../../modularity/ambient.js'
import { Application } from '../../modularity/application.js'
import { configurationSection } from '../../modularity/configuration.js'
import { Injectable } from '../../modularity/injectable.js'
import { StartupError } from '../../modularity/startup-error.js'
import { Telemetry } from '../../telemetry/telemetry.js'
import { hostedControllers } from '../operations/controllers.js'
import { UploadSpool } from '../operations/spooled-file.js'
import { createFastServer, tellPlainAddresses } from '../server/express-internals.js'
import { failedOperationOf } from '../server/failed-operation.js'
import { health, live } from '../server/health.js'
import {
  envelopeOf,
  logFailedRequest,
  MethodNotAllowedError,
  RangeNotSatisfiableError,
  RouteNotFoundError,
  statusOf,
} from '../server/http-errors.js'
import { FastInversifyServer } from '../server/inversify-server.js'
import { loggedUrl } from '../server/logged-url.js'
import { metricsEndpoint } from '../server/metrics-endpoint.js'
import { createPipeline } from '../server/pipeline.js'
import { problemOf, wantsProblem } from '../server/problem.js'
import { PublicAddress } from '../server/public-address.js'
import { radixRouter } from '../server/radix-router.js'
import { securityText } from '../server/security-text.js'
import { sendJson } from '../server/send-json.js'
import { ServerDrain } from '../server/server-drain.js'
import { cutSlowReaders } from '../server/slow-readers.js'
import { watchForUntrustedProxy } from '../server/untrusted-proxy.js'

/** The settings of a host that is spoken to over HTTP. */
export const App = configurationSection('App', {
  ...PublicAddress.schema.shape,
  /** The path of the health check, beside `/health/live` and `/health/ready`. */
  healthCheckUrl: z.string().startsWith('/').default('/health-status'),
  /** Comma list of origins that browsers may call from; `https://*.example.com` and `*` work. */
  corsOrigins: z.string().default(''),
  /**
   * How many proxies stand in front, each adding to `X-Forwarded-For`; the caller's address is read behind
   * them.
   */
  trustedProxies: z.int().min(0).default(0),
  /** Tell stack, inner errors and data of every error in its `details`. */
  sendExceptionDetails: z.boolean().default(true),
  /** Of callers who ask for no language that there are texts in. */
  defaultCulture: z.string().default('en'),
  /** The most bytes of a JSON body; larger ones are refused with 413. */
  maxJsonBodyBytes: z
    .int()
    .min(1024)
    .default(1024 * 1024),
  /** Of a body of an operation that everybody may call. */
  maxAnonymousBodyBytes: z
    .int()
    .min(1024)
    .default(64 * 1024),
  /** Objects, lists, members and items of a JSON body, at all levels. */
  maxJsonValues: z.int().min(100).default(10_000),
  /** Of one uploaded file. */
  maxFileBytes: z
    .int()
    .min(1024)
    .default(30 * 1024 * 1024),
  /**
   * How long the host, told to stop, still takes requests while it says that it is not ready. None in
   * Development, else 5 s.
   */
  drainDelayMs: z.int().min(0).optional(),
  /** How long requests in flight may take from then on. */
  drainTimeoutMs: z.int().min(0).default(20_000),
  /**
   * Compresses answers of 2 KiB and more with Brotli or gzip for callers that ask; `false` where a proxy does
   * it. Never compressed: sign-in pages, the token endpoint, answers with a secret in them.
   */
  compressAnswers: z.boolean().default(true),
  /** Clients that take less of what waits for them are cut off; 0 for none. */
  minResponseBytesPerSecond: z.int().min(0).default(1024),
  /**
   * Where uploads lie until their request is answered; the folder of the system for temporary files when not
   * given.
   */
  uploadsFolder: z.string().min(1).optional(),
})

/** Longer than a load balancer takes to hear of it. */
const usualDrainDelayMs = 5000

/** Interface document, "Limits": keep-alive and request headers. */
const twoMinutesMs = 120_000

/** The answer to an error. */
export interface ToldError {
  readonly status: number
  readonly envelope: ErrorEnvelope
  /** That go with the answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A part of the server with a protocol of its own: it answers everything below its path, and tells errors in
 * its own form.
 */
export interface HttpRoot {
  /** @param tell logs an error that does not end the whole request, and returns the answer to it */
  handle(request: Request, response: Response, tell: (error: unknown) => ToldError): Promise<void>
  writeError(response: Response, error: unknown, told: ToldError): void
}

/** The HTTP server of a host. Modules mount what is not an application service while they initialize. */
@Injectable()
export class HttpHost {
  private readonly mounted: { readonly path: string; readonly handler: RequestHandler }[] = []
  private readonly roots: { readonly path: string; readonly root: HttpRoot }[] = []
  private readonly settings
  private connections: ServerDrain | undefined
  private readonly spool: UploadSpool
  private draining = false

  constructor(private readonly application: Application) {
    this.settings = application.configuration.read(App)
    this.spool = new UploadSpool(this.settings.uploadsFolder ?? tmpdir())
    application.healthChecks.push({ name: 'Uploads', check: () => this.spool.state() })
  }

  /** Where the server listens, e.g. `http://localhost:4000`; the port is the real one. */
  address = ''

  /**
   * Adds a handler for everything below a path that is no operation of a service, in the order of the calls.
   * A request that it passes on (`next`) goes to the next handler.
   */
  mount(path: string, handler: RequestHandler): void {
    this.mounted.push({ path, handler })
  }

  /**
   * Gives everything below a path, in any case, to a part with a protocol of its own. Nothing else answers
   * there.
   */
  serve(path: string, root: HttpRoot): void {
    this.roots.push({ path: path.toLowerCase(), root })
  }

  /** Builds the application out of what modules mounted and the controllers of all contracts, and listens. */
  async listen(): Promise<void> {
    const controllers = hostedControllers(this.application, { ...this.settings, spool: this.spool })
    const app = express()
    app.disable('x-powered-by')
    app.disable('etag')
    app.set('query parser', false)
    app.set('trust proxy', this.settings.trustedProxies)
    tellPlainAddresses(app)
    const operations = radixRouter({ notesRoutes: this.application.find(Telemetry) !== undefined })
    new FastInversifyServer(this.application, controllers, { app, router: operations })
      .setErrorConfig((configured) => {
        this.afterOperations(configured)
        configured.use((request, _response, next) =>
          next(new RouteNotFoundError(request.method, request.path)),
        )
        configured.use(this.answerError)
      })
      .build()
    const server = createFastServer(app, this.operationsFirst(operations))
    server.keepAliveTimeout = twoMinutesMs
    server.headersTimeout = twoMinutesMs
    this.connections = new ServerDrain(server)
    const { minResponseBytesPerSecond } = this.settings
    if (minResponseBytesPerSecond) cutSlowReaders(server, minResponseBytesPerSecond)
    if (!this.settings.trustedProxies) watchForUntrustedProxy(server, this.application.logger)
    await this.bind(server)
    this.application.logger.info({ url: this.address }, 'listening')
  }

  /** Says that it is not ready, then takes no more requests, and waits for those in flight. */
  async drain(): Promise<void> {
    this.draining = true
    const { drainDelayMs, drainTimeoutMs } = this.settings
    const usual = this.application.configuration.isDevelopment ? 0 : usualDrainDelayMs
    await this.connections?.end({ delayMs: drainDelayMs ?? usual, timeoutMs: drainTimeoutMs })
  }

  /**
   * The pipeline, and then the operations: Express' own way through its layers costs as much as all of this,
   * so it gets what is left.
   */
  private operationsFirst(operations: RequestHandler): RequestHandler {
    const pipeline = createPipeline(this.application)
    const { compressAnswers } = this.settings
    return (request, response, next) => {
      if (!compressAnswers) delete request.headers['accept-encoding']
      const fail = (error: unknown): void =>
        void this.answerError(error, request, response, (fault) => request.socket.destroy(fault))
      const afterOperations: NextFunction = (error?: unknown) => (error ? fail(error) : next())
      pipeline(request, response, (error?: unknown) => {
        const root = error ? undefined : this.rootOf(request)
        if (error) fail(error)
        else if (root) root.handle(request, response, (fault) => this.tellError(fault, request)).catch(fail)
        else operations(request, response, afterOperations)
      })
    }
  }

  /** Rarely used routes come last: Express tries each of these in turn. */
  private afterOperations(app: ExpressApp): void {
    const answer = health(this.application, () => this.draining)
    app.get('/health/live', live)
    app.get('/health/ready', answer)
    app.get(this.settings.healthCheckUrl, answer)
    const metrics = metricsEndpoint(this.application)
    if (metrics) app.get('/metrics', metrics)
    const contact = securityText(this.application)
    if (contact) app.get('/.well-known/security.txt', contact)
    for (const { path, handler } of this.mounted) app.use(path, handler)
  }

  private rootOf({ originalUrl }: Request): HttpRoot | undefined {
    for (const { path, root } of this.roots) {
      const next = originalUrl[path.length]
      if (next !== undefined && next !== '/' && next !== '?') continue
      if (originalUrl.slice(0, path.length).toLowerCase() === path) return root
    }
    return undefined
  }

  /** The answer to an error, which is logged and audited. */
  private tellError(error: unknown, request: Request): ToldError {
    const status = statusOf(error)
    const { culture, audit } = ambient()
    // A request for something that is not implemented (501) is not a failure of this host.
    if (status >= 500 && status !== 501) {
      const { method, originalUrl } = request
      const operation = failedOperationOf(request)
      const values = { ...(operation && { operation }), method, url: loggedUrl(originalUrl), status }
      logFailedRequest(this.application.logger, error, values)
    }
    const envelope = envelopeOf(error, {
      culture,
      localization: this.application.localization,
      verbose: this.settings.sendExceptionDetails,
    })
    audit?.failed(envelope.error)
    return { status, envelope, headers: headersOf(error) }
  }

  private readonly answerError: ErrorRequestHandler = (error: unknown, request, response, next) => {
    const told = this.tellError(error, request)
    if (response.headersSent) return next(error)
    const { status, envelope, headers } = told
    // Of the answer that failed; the error chooses its own.
    response.removeHeader('content-encoding')
    for (const [name, value] of Object.entries(headers))
      if (name !== 'www-authenticate' || !response.hasHeader(name)) response.setHeader(name, value)
    const root = this.rootOf(request)
    if (root) return root.writeError(response, error, told)
    if (wantsProblem(request.headers.accept)) {
      const { correlationId } = ambient()
      const problem = problemOf(envelope, { status, instance: request.path, traceId: correlationId })
      return sendJson(response, status, JSON.stringify(problem), 'application/problem+json')
    }
    response.setHeader('_AbpErrorFormat', 'true')
    sendJson(response, status, JSON.stringify(envelope))
  }

  private async bind(server: http.Server): Promise<void> {
    const { selfUrl } = this.settings
    const configured = this.application.configuration.get('PORT')
    const port = Number(configured || new URL(selfUrl).port || 80)
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new StartupError(`PORT is ${configured}: set it to a number from 0 to 65535.`)
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const taken = error.code === 'EADDRINUSE'
        reject(
          taken
            ? new StartupError(
                `Port ${port} is in use. Stop what listens there, or set PORT (and App:SelfUrl) to another.`,
              )
            : error,
        )
      })
      server.listen(port, this.application.configuration.get('HOST'), () => {
        const bound = server.address()
        const realPort = typeof bound === 'object' && bound ? bound.port : port
        this.address =
          realPort === Number(new URL(selfUrl).port)
            ? new URL(selfUrl).origin
            : `http://localhost:${realPort}`
        resolve()
      })
    })
  }
}

/** The headers of an error's answer. */
function headersOf(error: unknown): Record<string, string> {
  return {
    'cache-control': 'no-store',
    ...(error instanceof UnauthenticatedError && { 'www-authenticate': 'Bearer' }),
    ...((error instanceof UnavailableError || error instanceof TooManyRequestsError) && {
      'retry-after': String(error.retryAfterSeconds),
    }),
    ...(error instanceof MethodNotAllowedError && { allow: error.allowed.join(', ') }),
    ...(error instanceof RangeNotSatisfiableError && { 'content-range': `bytes */${error.size}` }),
  }
}
