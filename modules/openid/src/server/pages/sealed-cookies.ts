import { Injectable } from '@keel/framework'
import { DataProtection } from '@keel/framework/security'
import type { Context } from '../requests/context.js'
import { protectedName } from '../requests/cookie-names.js'
import { Antiforgery } from './antiforgery.js'

/** The name, path and life of a cookie. */
export interface SealedCookie {
  readonly name: string
  /** The only path that it is sent to. */
  readonly path: string
  readonly seconds: number
}

/**
 * Cookies that only the auth server can read or make, and that count in the browser that got them alone: other hosts of the domain can plant
 * cookies of one path in a browser, which would sign its user in to the account of an attacker. They carry state of a browser from one
 * step to the next, to any copy of the server.
 */
@Injectable()
export class SealedCookies {
  constructor(
    private readonly protection: DataProtection,
    private readonly antiforgery: Antiforgery,
  ) {}

  set(ctx: Context, { name, path, seconds }: SealedCookie, content: object): void {
    const ends = new Date(Date.now() + seconds * 1000)
    const value = this.protectorOf(ctx, name).protect(JSON.stringify(content), ends)
    ctx.cookies.set(protectedName(name, { secure: ctx.secure, path }), value, {
      signed: false,
      httpOnly: true,
      sameSite: 'lax',
      secure: ctx.secure,
      overwrite: true,
      path,
      maxAge: seconds * 1000,
    })
  }

  /** The content of the cookie; undefined when there is no cookie, it is not ours or it has ended. */
  read<T>(ctx: Context, { name, path }: Pick<SealedCookie, 'name' | 'path'>): T | undefined {
    const value = ctx.cookies.get(protectedName(name, { secure: ctx.secure, path }), { signed: false })
    const text = value && this.protectorOf(ctx, name).unprotect(value)
    return text ? (JSON.parse(text) as T) : undefined
  }

  clear(ctx: Context, { name, path }: Pick<SealedCookie, 'name' | 'path'>): void {
    const { secure } = ctx
    ctx.cookies.set(protectedName(name, { secure, path }), null, {
      signed: false,
      httpOnly: true,
      sameSite: 'lax',
      secure,
      path,
    })
  }

  /** Seals for the secret of the browser, whose cookie no other host can plant where there is TLS (`__Host-`). */
  private protectorOf(ctx: Context, name: string) {
    return this.protection.protector('OpenId', 'Cookies', name, this.antiforgery.browserOf(ctx))
  }
}
