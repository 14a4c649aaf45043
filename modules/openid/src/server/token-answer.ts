import type { Account } from '@keel/identity/contracts'
import type { Client, Grant, KoaContextWithOIDC } from 'oidc-provider'
import { accountOf } from './accounts.js'
import { apiResource, areForApi, resourceServerFor } from './scopes.js'

/** Who tokens are for, and how they proved it. */
export interface SignedIn {
  readonly account: Account
  readonly grant: Grant
  readonly amr: readonly string[]
  /** The grant type that the tokens come from. */
  readonly gty: string
}

/** The answer of a grant type of ours: tokens for the scopes that the request asks for. */
export async function issueTokens(
  ctx: KoaContextWithOIDC,
  { account, grant, amr, gty }: SignedIn,
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
    authTime: Math.floor(Date.now() / 1000),
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
    ...(scopes.has('openid') && { id_token: await identityToken() }),
  }

  async function identityToken(): Promise<string> {
    const claims = await signedIn.claims('id_token')
    const token = new provider.IdToken({ ...claims, auth_time: source.authTime, amr: source.amr }, { ctx })
    Object.assign(token, { scope: grant.getOIDCScopeFiltered(scopes) })
    return token.issue({ use: 'idtoken' })
  }
}
