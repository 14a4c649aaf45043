import type { RequestOrigin } from '@keel/identity/contracts'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Context } from './context.js'

/** The address, browser and client that a request comes from, as far as trusted proxies tell. */
export function originOf(ctx: Context | KoaContextWithOIDC): RequestOrigin {
  // The request is that of Express, which knows how many proxies to believe.
  const { ip, socket } = ctx.req as typeof ctx.req & { ip?: string }
  return {
    clientId: (ctx as Partial<KoaContextWithOIDC>).oidc?.client?.clientId,
    ipAddress: ip ?? socket.remoteAddress,
    browser: ctx.req.headers['user-agent'],
  }
}
