import { AddressLimits } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { TooManyRequestsError } from '@keel/framework/contracts'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { Notices } from '../pages/notices.js'
import { originOf } from '../requests/request-origin.js'
import { routes } from '../requests/routes.js'

/**
 * Stops an address that tries user codes of devices until one is right (RFC 8628, section 5.1), over all
 * copies of the server.
 */
@Injectable()
export class DeviceCodeLimit {
  constructor(
    private readonly limits: AddressLimits,
    private readonly notices: Notices,
  ) {}

  readonly handle = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.method !== 'POST' || ctx.path !== routes.code_verification) return next()
    const { ipAddress } = originOf(ctx)
    try {
      await this.limits.spend('device-code', ipAddress)
    } catch (error) {
      if (!(error instanceof TooManyRequestsError)) throw error
      return this.refuse(ctx, error)
    }
    await next()
    if (!isGuess(ctx)) await this.limits.giveBack('device-code', ipAddress)
  }

  private refuse(ctx: KoaContextWithOIDC, { retryAfterSeconds }: TooManyRequestsError): void {
    const minutes = Math.ceil(retryAfterSeconds / 60)
    const texts = [{ key: 'SignIn:TooManyAttempts', data: { minutes } }]
    const actions = [{ label: 'Device:Title', address: routes.code_verification }]
    ctx.set('retry-after', String(retryAfterSeconds))
    this.notices.show(ctx, { title: 'Device:Title', texts, actions }, 429)
  }
}

/** Remembers that a code of this request was none that waits: there is no such code, or it is over. */
export function noteGuess(ctx: KoaContextWithOIDC, { name }: Error): void {
  if (['NotFoundError', 'ExpiredError', 'AlreadyUsedError'].includes(name))
    ctx.state.hasGuessedUserCode = true
}

function isGuess(ctx: KoaContextWithOIDC): boolean {
  return ctx.state.hasGuessedUserCode === true
}
