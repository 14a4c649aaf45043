import { sequentialGuid } from '@keel/framework/data'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { apiResource, areForApi } from './scopes.js'

/**
 * The grant of the session and the client of an authorization request, extended by what is asked for now: clients of ours need no consent.
 * One grant for each session and client, so that a stolen refresh token that is noticed takes all of the client's tokens with it.
 */
export async function loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, account, requestParamScopes } = ctx.oidc
  if (!client || !session || !account) return undefined
  const known = await ctx.oidc.provider.Grant.find(session.grantIdFor(client.clientId) ?? '')
  const grant = known?.accountId === account.accountId ? known : newGrant(ctx, account.accountId)
  const isForApi = areForApi(client, requestParamScopes)
  if (grant === known && hasAll(known, requestParamScopes, isForApi)) return known
  return saved(grant, requestParamScopes, isForApi)
}

/** A new grant of the client at hand, with the scopes it asks for. */
export function createGrant(
  ctx: KoaContextWithOIDC,
  accountId: string,
  scopes: ReadonlySet<string>,
): Promise<Grant> {
  return saved(newGrant(ctx, accountId), scopes, areForApi(ctx.oidc.client, scopes))
}

function newGrant(ctx: KoaContextWithOIDC, accountId: string): Grant {
  // Ids of grants are those of their rows. The types do not know that one may be given.
  const properties = { jti: sequentialGuid(), accountId, clientId: ctx.oidc.client?.clientId }
  return new ctx.oidc.provider.Grant(properties)
}

async function saved(grant: Grant, scopes: ReadonlySet<string>, isForApi: boolean): Promise<Grant> {
  const text = [...scopes].join(' ')
  if (text) {
    grant.addOIDCScope(text)
    if (isForApi) grant.addResourceScope(apiResource, text)
  }
  await grant.save()
  return grant
}

function hasAll(grant: Grant, scopes: ReadonlySet<string>, isForApi: boolean): boolean {
  const granted = new Set(grant.getOIDCScope().split(' '))
  const forApi = new Set(grant.getResourceScope(apiResource).split(' '))
  return [...scopes].every((scope) => granted.has(scope) && (!isForApi || forApi.has(scope)))
}
