import { decodeJwt } from 'jose'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { routes } from '../requests/routes.js'
import type { Clients } from './clients.js'

type Next = () => Promise<void>

/**
 * Makes a request to sign out one that oidc-provider can answer. A hint that proves nothing is left out, and
 * where neither a hint nor `client_id` names a client, a client that has registered
 * `post_logout_redirect_uri` is named, as OpenIddict finds one: ABP's UI may send the address alone. The
 * person is asked in both cases.
 */
export function completeSignOut(
  provider: Provider,
  clients: Pick<Clients, 'returningTo'>,
): (ctx: KoaContextWithOIDC, next: Next) => Promise<void> {
  return async (ctx, next) => {
    if (ctx.path !== routes.end_session) return next()
    await dropUnusableHint(provider, ctx)
    const { id_token_hint: hint, client_id: named, post_logout_redirect_uri: address } = ctx.query
    if (hint || named || typeof address !== 'string' || !address) return next()
    const clientId = await clientReturningTo(provider, await clients.returningTo(address), { ctx, address })
    if (clientId !== undefined) ctx.query = { ...ctx.query, client_id: clientId }
    return next()
  }
}

/**
 * Of the clients that may have an address, one that has; first of all one that this browser is signed in to.
 */
async function clientReturningTo(
  provider: Provider,
  clientIds: readonly string[],
  { ctx, address }: { ctx: KoaContextWithOIDC; address: string },
): Promise<string | undefined> {
  if (clientIds.length === 0) return undefined
  const { authorizations = {} } = await provider.Session.get(ctx as never)
  const nearestFirst = [...clientIds].sort(
    (a, b) => Number(b in authorizations) - Number(a in authorizations),
  )
  for (const clientId of nearestFirst) {
    const client = await provider.Client.find(clientId)
    if (client?.postLogoutRedirectUriAllowed(address)) return clientId
  }
  return undefined
}

/**
 * Takes an `id_token_hint` that proves nothing out of a request to sign out: one that was tampered with,
 * whose key or client is gone, or that is no token. The person is asked then, as without a hint.
 * oidc-provider would answer with an error, and the session would stay.
 */
async function dropUnusableHint(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { id_token_hint: hint, ...others } = ctx.query
  if (typeof hint === 'string' && !(await isUsable(provider, hint))) ctx.query = others
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
