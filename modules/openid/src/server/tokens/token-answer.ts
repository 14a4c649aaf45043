import type { Account } from '@keel/identity/contracts'
import type { Client, Grant, KoaContextWithOIDC, RefreshToken } from 'oidc-provider'
import { apiResource, areForApi, resourceServerFor } from '../clients/scopes.js'
import { authTimeOf } from '../grants/grants.js'
import { accountOf, type SignedInAccount } from './accounts.js'

/** The user that tokens are for, and the way they proved who they are. */
export interface TokenHolder {
  readonly account: Account
  readonly grant: Grant
  readonly amr: readonly string[]
  /** The grant type that the tokens come from. */
  readonly gty: string
}

/** The answer of a grant type of ours: tokens for the scopes that the request asks for. */
export async function issueTokens(
  ctx: KoaContextWithOIDC,
  { account, grant, amr, gty }: TokenHolder,
): Promise<object> {
  const { provider, requestParamScopes: scopes } = ctx.oidc
  const client = ctx.oidc.client as Client
  const accountId = account.id
  const scope = [...scopes].join(' ')
  const isForApi = areForApi(client, scopes)
  // The claims of the tokens are made from these.
  const signedIn = accountOf(account)
  ctx.oidc.entity('Account', signedIn)
  ctx.oidc.entity('Grant', grant)
  const source = {
    accountId,
    client,
    grantId: grant.jti,
    gty,
    scope,
    amr: [...amr],
    authTime: authTimeOf(grant),
  }

  const accessToken = new provider.AccessToken(source)
  if (isForApi) {
    const api = new provider.ResourceServer(apiResource, resourceServerFor(client))
    Object.assign(accessToken, {
      resourceServer: api,
      scope: grant.getResourceScopeFiltered(apiResource, scopes),
    })
  }
  ctx.oidc.entity('AccessToken', accessToken)
  const refreshToken = scopes.has('offline_access')
    ? new provider.RefreshToken({
        ...source,
        ...(isForApi && { resource: apiResource }),
        rotations: 0,
      })
    : undefined
  return {
    access_token: await accessToken.save(),
    expires_in: accessToken.expiration,
    token_type: 'Bearer',
    ...(scope && { scope: accessToken.scope ?? scope }),
    ...(refreshToken && { refresh_token: await refreshToken.save() }),
    ...(scopes.has('openid') && {
      id_token: await identityToken(ctx, { grant, scopes, source }),
    }),
  }
}

/**
 * Adds an identity token to the answer of a refresh whose request leaves `openid` out of the scopes that were
 * granted, as OpenIddict does: ABP's UI asks so, and shows the token when it signs out.
 */
export async function completeRefresh(ctx: KoaContextWithOIDC): Promise<void> {
  const { entities, params, route } = ctx.oidc ?? {}
  if (route !== 'token' || params?.grant_type !== 'refresh_token' || ctx.status !== 200) return
  const { RefreshToken: source, Grant: grant } = entities
  if (!source?.scopes.has('openid') || !grant || 'id_token' in (ctx.body as object)) return
  const scopes = new Set(['openid', ...ctx.oidc.requestParamScopes])
  Object.assign(ctx.body as object, { id_token: await identityToken(ctx, { grant, scopes, source }) })
}

interface IdentityTokenParts {
  readonly grant: Grant
  readonly scopes: Set<string>
  /** The members of the sign-in. */
  readonly source: Pick<RefreshToken, 'acr' | 'amr' | 'authTime' | 'nonce' | 'sid'>
}

/** An identity token of the account at hand. */
async function identityToken(
  ctx: KoaContextWithOIDC,
  { grant, scopes, source: { acr, amr, authTime, nonce, sid } }: IdentityTokenParts,
): Promise<string> {
  const claims = (ctx.oidc.entities.Account as SignedInAccount).claims('id_token')
  const token = new ctx.oidc.provider.IdToken({ ...claims, acr, amr, auth_time: authTime }, { ctx })
  Object.assign(token, { scope: grant.getOIDCScopeFiltered(scopes) })
  token.set('nonce', nonce)
  token.set('sid', sid)
  return token.issue({ use: 'idtoken' })
}
