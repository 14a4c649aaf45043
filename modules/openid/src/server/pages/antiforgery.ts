import { randomBytes } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { KeyRing } from '../keys/key-ring.js'
import type { Context } from '../requests/context.js'
import { protectedName } from '../requests/cookie-names.js'

/** Makes sure that a form that is posted is one that this server showed in this browser. */
@Injectable()
export class Antiforgery {
  /** The cookie's new value by request: a page may have several forms. */
  private readonly made = new WeakMap<Context, string>()
  /** The session that the forms of a request belong to. */
  private readonly sessions = new WeakMap<Context, string>()

  constructor(private readonly keys: KeyRing) {}

  /**
   * Makes the forms of a request count in one session alone: an attacker who plants a cookie in a browser has
   * no token for the session of its owner.
   */
  bind(ctx: Context, session: string): void {
    this.sessions.set(ctx, session)
  }

  /** The value of the form's hidden field `token`. Sets the cookie that goes with it. */
  tokenFor(ctx: Context): string {
    return this.keys.seal(this.purposeOf(ctx, this.browserOf(ctx)))
  }

  /** A secret that this browser has, from its cookie. Sets the cookie when there is none. */
  browserOf(ctx: Context): string {
    const name = cookieName(ctx)
    const known = this.made.get(ctx) ?? ctx.cookies.get(name, { signed: false })
    const value = known ?? randomBytes(24).toString('base64url')
    this.made.set(ctx, value)
    if (!known)
      ctx.cookies.set(name, value, { signed: false, httpOnly: true, sameSite: 'lax', secure: ctx.secure })
    return value
  }

  isValid(ctx: Context, token: string | null): boolean {
    const value = ctx.cookies.get(cookieName(ctx), { signed: false })
    return (
      !isFromElsewhere(ctx) &&
      value !== undefined &&
      token !== null &&
      this.keys.isSealOf(this.purposeOf(ctx, value), token)
    )
  }

  private purposeOf(ctx: Context, value: string): string {
    const session = this.sessions.get(ctx)
    return session === undefined ? `antiforgery:${value}` : `antiforgery:${value}:${session}`
  }
}

function cookieName({ secure }: Context): string {
  return protectedName('keel.antiforgery', { secure })
}

/** Browsers say which site a form is posted from; older ones say nothing. */
function isFromElsewhere(ctx: Context): boolean {
  return ['cross-site', 'same-site'].includes(ctx.get('sec-fetch-site'))
}
