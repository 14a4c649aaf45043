import { randomFillSync } from 'node:crypto'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { percentEncoded } from '../../contracts/content-disposition.js'
import { seenHeader } from '../../contracts/seen-header.js'
import { warningHeader } from '../../contracts/warning-header.js'
import { Databases } from '../../data/connections/databases.js'
import { SeenWrites } from '../../data/connections/seen-writes.js'
import { type Ambient, withAmbient } from '../../modularity/ambient.js'
import type { Application } from '../../modularity/application.js'
import { cultureCookie, cultureInQuery, cultureOf } from '../../modularity/culture.js'
import { strictTransport } from '../../modularity/local-address.js'
import { type Logger, loggedContext } from '../../modularity/logging.js'
import { anonymous } from '../../modularity/principal.js'
import { type StepName, stepsAt } from '../../modularity/request-steps.js'
import { type Authentication, Authenticator } from '../../security/authenticator.js'
import { generalLimit } from '../../security/rate-limits.js'
import { Telemetry } from '../../telemetry/telemetry.js'
import { createCors } from './cors.js'
import { loggedUrl } from './logged-url.js'
import { PublicAddress } from './public-address.js'
import { requestAuditing } from './request-auditing.js'
import { requestTelemetry } from './request-telemetry.js'

/** A request on its way to its handler. */
interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly ambient: Ambient
}

/** `'answered'` ends the way. */
type StepResult = undefined | 'answered'
/** Makes a step once; undefined when the host has no use for it. */
type Maker = (
  application: Application,
) => ((exchange: Exchange) => StepResult | Promise<StepResult>) | undefined

/**
 * Of an answer that is no page of ours browsers load, run and frame nothing, whatever somebody made us say in
 * it. A page sets its own. The directive for scripts stands there by itself because oidc-provider adds the
 * hash of its one script to it.
 */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

const wellFormedCorrelationId = /^[\w.-]{1,64}$/

/** The factories of the steps before the route of a request is known; `requestSteps` is their order. */
const makers: Readonly<Record<StepName<'request'>, Maker>> = {
  'correlation id': () => (exchange) => {
    exchange.response.setHeader('x-correlation-id', exchange.ambient.correlationId)
    return undefined
  },
  log: ({ configuration, logger }) =>
    configuration.get('Log:Requests')?.toLowerCase() === 'true'
      ? (exchange) => logRequest(exchange, logger)
      : undefined,
  trace: (application) => {
    const telemetry = application.find(Telemetry)
    return telemetry && requestTelemetry(application, telemetry)
  },
  'security headers': ({ configuration }) => {
    const { selfUrl, hstsMaxAgeSeconds } = configuration.read(PublicAddress)
    const strict = strictTransport(selfUrl, hstsMaxAgeSeconds)
    return ({ response }) => {
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('x-frame-options', 'DENY')
      response.setHeader('referrer-policy', 'no-referrer')
      response.setHeader('content-security-policy', contentSecurityPolicy)
      if (strict) response.setHeader('strict-transport-security', strict)
      return undefined
    }
  },
  CORS: (application) => {
    const cors = createCors(application.configuration)
    return ({ request, response }) => (cors.handle(request, response) ? 'answered' : undefined)
  },
  culture: (application) => {
    const { cultures, defaultCulture } = application.localization
    const offered = new Set(cultures)
    return ({ request: { url, headers }, response, ambient }) => {
      ambient.culture = cultureOf(
        { url, cookie: headers.cookie, acceptLanguage: headers['accept-language'] },
        offered,
        defaultCulture,
      )
      response.setHeader('content-language', ambient.culture)
      // As ABP does it, so that the pages behind a redirect speak the language that the first was asked for
      // in.
      const asked = cultureInQuery(url, offered)
      if (asked) response.appendHeader('set-cookie', cultureCookie(asked))
      return undefined
    }
  },
  'warnings of operations': ({ localization }) => {
    return ({ request, response, ambient }) => {
      if (request.method === 'GET' || request.method === 'HEAD') return undefined
      ambient.warn = (code, data) => {
        const text = localization.find(code, ambient.culture, data) ?? code
        if (!response.headersSent)
          response.appendHeader(warningHeader, `${code}; message*=UTF-8''${percentEncoded(text)}`)
      }
      return undefined
    }
  },
  'earlier writes of the caller': (application) => {
    const databases = application.find(Databases)
    return databases && seenWrites(new SeenWrites(databases))
  },
  'authentication and dynamic claims': (application) => {
    const authenticator = application.find(Authenticator)
    if (!authenticator) return undefined
    return (exchange) => {
      const found = authenticator.authenticate(exchange.request, exchange.response)
      return found instanceof Promise ? found.then((late) => accept(exchange, late)) : accept(exchange, found)
    }
  },
  'rate limits': (application) => {
    const limit = generalLimit(application)
    return limit && (({ request }) => limit(request))
  },
  'audit scope': requestAuditing,
}

/**
 * A caller that sends back the token of its last write sees that write, whichever copy of the host is asked.
 */
function seenWrites(writes: SeenWrites) {
  return ({ request, response, ambient }: Exchange): undefined | Promise<undefined> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const databases = new Set<string>()
      ambient.written = (database) => {
        databases.add(database)
        if (!response.headersSent) response.setHeader(seenHeader, writes.issue(databases))
      }
    }
    const token = request.headers[seenHeader]
    return typeof token === 'string' ? writes.catchUp(token)?.then(() => undefined) : undefined
  }
}

function logRequest({ request, response, ambient }: Exchange, logger: Logger): undefined {
  const before = performance.now()
  response.once('finish', () => {
    const line = {
      ...loggedContext(ambient),
      method: request.method,
      url: loggedUrl(request.originalUrl),
      status: response.statusCode,
      ms: Math.round(performance.now() - before),
    }
    logger.info(line, 'request')
  })
}

function accept(exchange: Exchange, { principal, challenge, apiKey }: Authentication): undefined {
  exchange.ambient.principal = principal
  const { authorization } = exchange.request.headers
  if (apiKey !== undefined) exchange.ambient.apiKey = apiKey
  else if (authorization !== undefined) exchange.ambient.authorization = authorization
  if (challenge) exchange.response.setHeader('www-authenticate', challenge)
}

/** The steps as one Express handler, which runs everything after it inside the ambient request. */
export function createPipeline(application: Application): RequestHandler {
  const steps = stepsAt('request')
    .map((name) => makers[name](application))
    .filter((run) => run !== undefined)
  return (request, response, next) => {
    const given = request.headers['x-correlation-id']
    const correlationId =
      typeof given === 'string' && wellFormedCorrelationId.test(given) ? given : newCorrelationId()
    const ambient = { correlationId, request, principal: anonymous, culture: 'en' }
    const exchange = { request, response, ambient }
    withAmbient(ambient, () => advance(exchange, 0, next))
  }

  function advance(exchange: Exchange, from: number, next: NextFunction): void {
    for (let index = from; index < steps.length; index++) {
      const result = steps[index]?.(exchange)
      if (result === 'answered') return
      if (result instanceof Promise) {
        result
          .then((late) => (late === 'answered' ? undefined : advance(exchange, index + 1, next)))
          .catch(next)
        return
      }
    }
    next()
  }
}

const correlationIdBytes = 16
const randomBytes = Buffer.alloc(256 * correlationIdBytes)
let usedBytes = randomBytes.length

/** 32 hexadecimal digits; random bytes are made for many at once. */
function newCorrelationId(): string {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes)
    usedBytes = 0
  }
  usedBytes += correlationIdBytes
  return randomBytes.toString('hex', usedBytes - correlationIdBytes, usedBytes)
}
