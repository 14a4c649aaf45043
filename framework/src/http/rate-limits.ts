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
import { StartupError } from '../modularity/startup-error.js'

const permits = z.int().min(1).optional()

/** How many requests a minute are answered, by this process or, with Redis, by all copies of the host; nothing is limited that is not set. */
export const RateLimits = configurationSection('RateLimits', {
  /** Of one user or client. */
  permitsPerMinute: permits,
  /** Of one address that sends no valid credentials. */
  anonymousPermitsPerMinute: permits,
  /** Of one caller to one operation, by service and operation: `Hub.Shipment.create`. */
  operations: z.record(z.string(), z.int().min(1)).default({}),
})

const windowSeconds = 60

/** Limits all requests of a caller; undefined when the configuration sets no limit. */
export function generalLimit(
  application: Application,
): ((request: Request) => Promise<undefined>) | undefined {
  const { permitsPerMinute, anonymousPermitsPerMinute } = application.configuration.read(RateLimits)
  const ofCallers = permitsPerMinute && limiter(application, 'callers', permitsPerMinute)
  const ofStrangers =
    anonymousPermitsPerMinute && limiter(application, 'strangers', anonymousPermitsPerMinute)
  if (!ofCallers && !ofStrangers) return undefined
  return async (request) => {
    const chosen = ambient().principal.kind === 'anonymous' ? ofStrangers : ofCallers
    // Load balancers ask for our health as often as they like.
    if (chosen && !request.path.startsWith('/health')) await consume(chosen, request)
    return undefined
  }
}

/** Limits the requests of a caller to single operations, by `Service.Contract.operation`; refuses to start with a name that is none. */
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

async function consume(chosen: RateLimiterAbstract, request: Request): Promise<void> {
  try {
    await chosen.consume(callerOf(request))
  } catch (refused) {
    if (refused instanceof Error) throw refused
    throw new TooManyRequestsError(Math.max(1, Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000)))
  }
}

function callerOf(request: Request): string {
  return callerKey() || `address ${request.ip}`
}
