import type { Context } from '../requests/context.js'
import { protectedName } from '../requests/cookie-names.js'
import { pagePaths } from '../requests/page-paths.js'

const days = 24 * 3600 * 1000
/** As long as the token in it counts. */
const lifeMs = 14 * days

/** The token by which this browser is asked for no code of an account. */
export function browserTokenOf(ctx: Context, userId: string): string | undefined {
  return ctx.cookies.get(nameFor(ctx, userId), { signed: false })
}

/** Lets this browser be remembered for an account. */
export function keepBrowserToken(ctx: Context, userId: string, token: string): void {
  const expires = new Date(Date.now() + lifeMs)
  ctx.cookies.set(nameFor(ctx, userId), token, {
    signed: false,
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    path: pagePaths.login,
    expires,
  })
}

/** A cookie for each account: several people may share a browser. */
function nameFor({ secure }: Context, userId: string): string {
  return protectedName(`keel.browser.${userId.slice(-12)}`, { secure, path: pagePaths.login })
}
