import type { Account } from '@keel/identity/contracts'
import type { KoaContextWithOIDC, Account as OidcAccount } from 'oidc-provider'
import { impersonatorOf, isRemembered } from '../grants/grants.js'
import { claimsOf, identityClaimsOf, withBooleans } from './claims.js'

/** An account as oidc-provider wants it, with what access tokens say of it. */
export interface SignedInAccount extends OidcAccount {
  claims(use: string): { sub: string; [claim: string]: unknown }
}

/** An account for oidc-provider: it asks for claims by what they are used for. */
export function accountOf(account: Account): SignedInAccount {
  return {
    accountId: account.id,
    claims: (use) => ({
      sub: account.id,
      ...claimsFor(use, account),
    }),
  }
}

/** Userinfo tells what was verified as OpenID Connect wants it, the access token as ABP does. */
function claimsFor(use: string, account: Account): Record<string, unknown> {
  if (use === 'id_token') return identityClaimsOf(account)
  return use === 'userinfo' ? withBooleans(claimsOf(account)) : claimsOf(account)
}

/**
 * The claims of an access token beside the protocol's own: all claims of the user, the id of the grant, which
 * is that of the session too, and the impersonator with the session that they act from.
 */
export function accessTokenClaims(ctx: KoaContextWithOIDC | undefined): Record<string, unknown> | undefined {
  const { Account: account, Grant: grant } = ctx?.oidc.entities ?? {}
  if (!account || !grant) return undefined
  const { sub: _protocol, ...claims } = (account as SignedInAccount).claims('access_token')
  const impersonator = impersonatorOf(grant)
  return {
    ...claims,
    oi_au_id: grant.jti,
    session_id: grant.jti,
    ...(isRemembered(grant) && { remember_me: 'True' }),
    ...(impersonator && {
      impersonator_userid: impersonator.userId,
      impersonator_username: impersonator.userName,
      impersonator_session_id: impersonator.sessionId,
    }),
  }
}
