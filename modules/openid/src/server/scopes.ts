import { type Client, errors, type ResourceServer } from 'oidc-provider'
import { apiScope } from '../contracts/index.js'
import { accessTokenSeconds } from './access-tokens.js'

/** Everything a client may ask for, if its row allows it. */
export const knownScopes = [
  'openid',
  'offline_access',
  'profile',
  'email',
  'phone',
  'address',
  'roles',
  apiScope,
]

/** What oidc-provider calls the API. Resource indicators must be URIs, so `Core` can't be it; clients never send this one. */
export const apiResource = `urn:api:${apiScope}`

/** Refuses scopes that do not exist or that the client may not have. oidc-provider would let unknown ones pass in silence. */
export function checkScopes(client: Client, scopes: Iterable<string>): void {
  const allowed = allowedScopes(client)
  for (const scope of scopes) {
    if (!knownScopes.includes(scope)) throw new errors.InvalidScope('the scope does not exist', scope)
    if (!allowed.has(scope)) throw new errors.InvalidScope('the client may not ask for this scope', scope)
  }
}

/** The API as oidc-provider's resource server, for a client. */
export function resourceServerFor(client: Client): ResourceServer {
  const allowed = allowedScopes(client)
  if (!allowed.has(apiScope)) throw new errors.InvalidTarget()
  return {
    audience: apiScope,
    accessTokenFormat: 'jwt',
    accessTokenTTL: accessTokenSeconds,
    jwt: { sign: { alg: 'RS256' } },
    // With the scopes of identity: otherwise token and answer would show nothing but the API's.
    scope: knownScopes.filter((scope) => allowed.has(scope)).join(' '),
  }
}

function allowedScopes(client: Client): Set<string> {
  return new Set(client.scope?.split(' '))
}
