import { randomBytes } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { protectedName } from './cookie-names.js'
import { KeyRing } from './key-ring.js'
import type { Context } from './pages.js'

/** Makes sure that a form that is posted is one that this server showed in this browser. */
@Injectable()
export class Antiforgery {
  /** What was made for a request: a page may have several forms. */
  private readonly made = new WeakMap<Context, string>()

  constructor(private readonly keys: KeyRing) {}

  /** The value of the form's hidden field `token`. Sets the cookie that goes with it. */
  tokenFor(ctx: Context): string {
    const name = cookieName(ctx)
    const known = this.made.get(ctx) ?? ctx.cookies.get(name, { signed: false })
    const value = known ?? randomBytes(24).toString('base64url')
    this.made.set(ctx, value)
    if (!known)
      ctx.cookies.set(name, value, { signed: false, httpOnly: true, sameSite: 'lax', secure: ctx.secure })
    return this.keys.seal(`antiforgery:${value}`)
  }

  isValid(ctx: Context, token: string | null): boolean {
    const value = ctx.cookies.get(cookieName(ctx), { signed: false })
    return (
      !isFromElsewhere(ctx) &&
      value !== undefined &&
      token !== null &&
      this.keys.isSealOf(`antiforgery:${value}`, token)
    )
  }
}

function cookieName({ secure }: Context): string {
  return protectedName('keel.antiforgery', { secure })
}

/** Browsers say which site a form is posted from; older ones say nothing. */
function isFromElsewhere(ctx: Context): boolean {
  return ['cross-site', 'same-site'].includes(ctx.get('sec-fetch-site'))
}
