import * as oidc from 'openid-client'
import { type AuthHost, issuer } from './auth-host.js'

/** A client of the auth server, as the certified library `openid-client` is one. */
export function relyingParty(
  auth: AuthHost,
  clientId: string,
  secret?: string,
  clientAuth = secret === undefined ? oidc.None() : oidc.ClientSecretPost(secret),
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, secret, clientAuth, {
    execute: [oidc.allowInsecureRequests],
    [oidc.customFetch]: auth.fetch as oidc.CustomFetch,
  })
}
