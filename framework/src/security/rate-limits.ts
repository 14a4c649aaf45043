import type { Request, RequestHandler } from 'express'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible'
import { Redis } from '../caching/redis.js'
import { TooManyRequestsError, z } from '../contracts/index.js'
import { ambient, callerKey } from '../modularity/ambient.js'
import type { Application } from '../modularity/application.js'
import { configurationSection } from '../modularity/configuration.js'
import { networkOf } from '../modularity/network.js'
import { StartupError } from '../modularity/startup-error.js'

/**
 * How many requests a minute are answered, by this process or, with Redis, by all copies of the host; nothing
 * is limited that is not set, but strangers are.
 */
export const RateLimits = configurationSection('RateLimits', {
  /** Of one user or client. */
  permitsPerMinute: z.int().min(1).optional(),
  /**
   * Of one address, or one network of IPv6 (/64), that sends no valid credentials; 0 for no limit. An office
   * of a thousand behind one address signs in with about 800 requests a minute when all come within ten
   * minutes.
   */
  anonymousPermitsPerMinute: z.int().min(0).default(1200),
  /** Of one caller to one operation, by service and operation: `Hub.Shipment.create`. */
  operations: z.record(z.string(), z.int().min(1)).default({}),
})

const windowSeconds = 60

/**
 * Paths without a limit, for load balancers and services: health, and OpenID Connect's discovery documents.
 */
const unlimited = /^\/(health(-status|\/)|\.well-known\/)/

/** Limits all requests of a caller; undefined when the configuration sets no limit. */
export function generalLimit(
  application: Application,
): ((request: Request) => Promise<undefined> | undefined) | undefined {
  const { permitsPerMinute, anonymousPermitsPerMinute } = application.configuration.read(RateLimits)
  const ofCallers = permitsPerMinute ? limiter(application, 'callers', permitsPerMinute) : undefined
  const ofStrangers = anonymousPermitsPerMinute
    ? limiter(application, 'strangers', anonymousPermitsPerMinute)
    : undefined
  if (!ofCallers && !ofStrangers) return undefined
  const healthPath = application.configuration.get('App:HealthCheckUrl')
  return (request) => {
    const isStranger = ambient().principal.kind === 'anonymous'
    const chosen = isStranger ? ofStrangers : ofCallers
    if (!chosen || unlimited.test(request.url) || request.url === healthPath) return undefined
    return consume(chosen, request, isStranger ? warn : undefined)
  }

  function warn({ ip: address }: Request): void {
    application.logger.warn(
      { address },
      'an address without credentials sends more than RateLimits:AnonymousPermitsPerMinute; when it is a proxy of yours, set App:TrustedProxies',
    )
  }
}

/** Limits a caller's requests per operation (`Service.Contract.operation`). Unknown names stop the start. */
export function operationLimits(
  application: Application,
  names: readonly string[],
): ReadonlyMap<string, RequestHandler> {
  const { operations } = application.configuration.read(RateLimits)
  const byLowerName = new Map(names.map((name) => [name.toLowerCase(), name]))
  return new Map(
    Object.entries(operations).map(([name, permitsPerMinute]) => {
      const known = byLowerName.get(name.toLowerCase())
      if (!known) {
        throw new StartupError(
          `RateLimits:Operations:${name} limits an operation that this host does not have. Its operations: ${names.join(', ')}`,
        )
      }
      return [known, limit(limiter(application, known, permitsPerMinute))]
    }),
  )
}

function limit(chosen: RateLimiterAbstract): RequestHandler {
  return (request, _response, next) => {
    consume(chosen, request).then(() => next(), next)
  }
}

/** Counts in Redis, for all copies of a host together; in this process without it, and while it is away. */
function limiter(application: Application, name: string, points: number): RateLimiterAbstract {
  const own = new RateLimiterMemory({ points, duration: windowSeconds })
  const { client, keyPrefix } = application.get(Redis)
  if (!client) return own
  return new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    insuranceLimiter: own,
    keyPrefix: `${keyPrefix}${application.name}:limit:${name}`,
    points,
    duration: windowSeconds,
  })
}

/** @param refuseFirst called for the first refusal of a minute */
async function consume(
  chosen: RateLimiterAbstract,
  request: Request,
  refuseFirst?: (request: Request) => void,
): Promise<undefined> {
  try {
    await chosen.consume(callerOf(request))
    return undefined
  } catch (refused) {
    if (refused instanceof Error) throw refused
    const { consumedPoints, msBeforeNext } = refused as RateLimiterRes
    if (consumedPoints === chosen.points + 1) refuseFirst?.(request)
    throw new TooManyRequestsError(Math.max(1, Math.ceil(msBeforeNext / 1000)))
  }
}

function callerOf(request: Request): string {
  return callerKey() || `address ${networkOf(request.ip ?? '')}`
}
