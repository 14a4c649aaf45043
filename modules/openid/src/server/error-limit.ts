import { Configuration, configurationSection, Injectable, Logger } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { networkOf } from '@keel/framework/http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { originOf } from './requests.js'
import { routes } from './routes.js'

/** How many refused requests a minute one address, or one network of IPv6, may make at the endpoints that secrets are tried at. Each copy of the server counts its own. */
export const ErrorLimits = configurationSection('AuthServer', {
  errorsPerMinute: z.int().min(1).default(300),
})

const guarded: readonly string[] = [routes.token, routes.introspection, routes.revocation]

/** Stops who tries codes, refresh tokens and secrets of clients until one is right. */
@Injectable()
export class ErrorLimit {
  private readonly limiter

  constructor(
    configuration: Configuration,
    private readonly logger: Logger,
  ) {
    const { errorsPerMinute: points } = configuration.read(ErrorLimits)
    this.limiter = new RateLimiterMemory({ points, duration: 60 })
  }

  readonly handle = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!guarded.includes(ctx.path)) return next()
    const address = networkOf(originOf(ctx).ipAddress ?? '')
    const made = await this.limiter.get(address)
    if (made && made.remainingPoints <= 0) return refuse(ctx, made)
    await next()
    // A password that is not right is counted with the other ones of its name and address.
    const isGuess = (ctx.status === 400 || ctx.status === 401) && ctx.oidc?.params?.grant_type !== 'password'
    if (!isGuess) return
    const counted = await this.limiter.consume(address).catch((refused: RateLimiterRes) => refused)
    if (counted.remainingPoints === 0)
      this.logger.warn({ address }, 'an address makes too many requests that are refused')
  }
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
