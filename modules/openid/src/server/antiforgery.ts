import { randomBytes } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { KeyRing } from './key-ring.js'
import type { Context } from './pages.js'

const cookie = 'keel.antiforgery'

/** Makes sure that a form that is posted is one that this server showed in this browser. */
@Injectable()
export class Antiforgery {
  constructor(private readonly keys: KeyRing) {}

  /** The value of the form's hidden field. Sets the cookie that goes with it. */
  tokenFor(ctx: Context): string {
    const known = ctx.cookies.get(cookie, { signed: false })
    const value = known ?? randomBytes(24).toString('base64url')
    if (!known)
      ctx.cookies.set(cookie, value, { signed: false, httpOnly: true, sameSite: 'lax', secure: ctx.secure })
    return this.keys.seal(`antiforgery:${value}`)
  }

  isValid(ctx: Context, token: string | null): boolean {
    const value = ctx.cookies.get(cookie, { signed: false })
    return value !== undefined && token !== null && this.keys.isSealOf(`antiforgery:${value}`, token)
  }
}
