import { Configuration, configurationSection, Injectable, Logger } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { networkOf } from '@keel/framework/http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { originOf } from './request-origin.js'
import { routes } from './routes.js'

/**
 * How many refused requests a minute one address, or one network of IPv6, may make at the endpoints that
 * secrets are tried at. Each copy of the server counts its own. Those of a client that gave its right secret
 * are counted by client, and only told to the log.
 */
export const ErrorLimits = configurationSection('AuthServer', {
  /** Refused requests a minute of one address, or one network of IPv6 (/64). */
  errorsPerMinute: z.int().min(1).default(300),
})

const guarded: readonly string[] = [
  routes.token,
  routes.introspection,
  routes.revocation,
  routes.device_authorization,
]

/** Answers that a device gets until a user admits it (RFC 8628, section 3.5). */
const waiting: readonly unknown[] = ['authorization_pending', 'slow_down']

/** Stops clients that try codes, refresh tokens and secrets until one is right. */
@Injectable()
export class ErrorLimit {
  private readonly limiter
  private readonly ofClients

  constructor(
    configuration: Configuration,
    private readonly logger: Logger,
  ) {
    const { errorsPerMinute: points } = configuration.read(ErrorLimits)
    this.limiter = new RateLimiterMemory({ points, duration: 60 })
    this.ofClients = new RateLimiterMemory({ points, duration: 60 })
  }

  readonly handle = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!guarded.includes(ctx.path)) return next()
    const address = networkOf(originOf(ctx).ipAddress ?? '')
    const made = await this.limiter.get(address)
    if (made && made.remainingPoints <= 0) return refuse(ctx, made)
    await next()
    if (!isGuess(ctx)) return
    const clientId = authenticatedClient(ctx)
    if (clientId === undefined) {
      const counted = await this.limiter.consume(address).catch((refused: RateLimiterRes) => refused)
      if (counted.remainingPoints === 0)
        this.logger.warn({ address }, 'an address makes too many requests that are refused')
      return
    }
    // Visitors of a site send it codes that are none, and it passes them on from its one address. To refuse
    // the site for that would let any visitor stop its sign-in, and a client that has its secret has none to
    // guess.
    const counted = await this.ofClients.consume(clientId).catch((refused: RateLimiterRes) => refused)
    if (counted.consumedPoints === this.ofClients.points + 1)
      this.logger.warn({ clientId }, 'a client makes many requests that are refused')
  }
}

/** A password that is not right is counted with the other ones of its name and address. */
function isGuess({ status, body, oidc }: KoaContextWithOIDC): boolean {
  if (status !== 400 && status !== 401) return false
  return oidc?.params?.grant_type !== 'password' && !waiting.includes(errorIn(body))
}

/** The client that authenticated in a refused request; undefined for public clients. */
function authenticatedClient({ oidc, body }: KoaContextWithOIDC): string | undefined {
  const { client } = oidc ?? {}
  const isProven = client && client.clientAuthMethod !== 'none' && errorIn(body) !== 'invalid_client'
  return isProven ? client.clientId : undefined
}

function errorIn(body: unknown): unknown {
  return (body as { error?: unknown } | undefined)?.error
}

function refuse(ctx: KoaContextWithOIDC, { msBeforeNext }: RateLimiterRes): void {
  ctx.status = 429
  ctx.set('retry-after', String(Math.max(1, Math.ceil(msBeforeNext / 1000))))
  ctx.set('cache-control', 'no-store')
  ctx.body = {
    error: 'temporarily_unavailable',
    error_description: 'Too many requests were refused. Wait a minute.',
  }
}
