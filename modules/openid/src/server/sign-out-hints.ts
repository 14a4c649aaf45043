import { decodeJwt } from 'jose'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { routes } from './routes.js'

type Next = () => Promise<void>

/**
 * Takes an `id_token_hint` that proves nothing out of a request to sign out: one that was tampered with, whose key or client is gone, or that
 * is no token. The person is asked then, as without a hint. oidc-provider would answer with an error, and the session would stay.
 */
export function dropUnusableHints(
  provider: Provider,
): (ctx: KoaContextWithOIDC, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const { id_token_hint: hint, ...others } = ctx.path === routes.end_session ? ctx.query : {}
    if (typeof hint === 'string' && !(await isUsable(provider, hint))) ctx.query = others
    return next()
  }
}

async function isUsable(provider: Provider, hint: string): Promise<boolean> {
  const clientId = audienceOf(hint)
  const client = clientId === undefined ? undefined : await provider.Client.find(clientId)
  if (!client) return false
  try {
    await provider.IdToken.validate(hint, client)
    return true
  } catch {
    return false
  }
}

/** The client that a hint says it is for, unverified. */
function audienceOf(hint: string): string | undefined {
  try {
    const { aud } = decodeJwt(hint)
    return typeof aud === 'string' && !aud.includes('\0') ? aud : undefined
  } catch {
    return undefined
  }
}
