import type { ClientMetadata, ResponseType } from 'oidc-provider'
import type { OpenIddictApplication } from '../../domain/application.js'
import {
  deviceGrantType,
  listOf,
  mayEndSessions,
  mustUsePkce,
  withPrefix,
} from '../../domain/client-settings.js'
import { lifetimesOf } from '../../domain/token-lifetimes.js'
import { lifetimesMember } from './lifetimes.js'
import { apiScopesMember, type Scopes } from './scopes.js'

/** The grant types that this server can do; others in a client's permissions are kept but do nothing. */
export const grantTypes = [
  'authorization_code',
  'implicit',
  'refresh_token',
  'password',
  'client_credentials',
  'LinkLogin',
  'Impersonation',
  deviceGrantType,
] as const

/** The response types that this server can do. */
export const responseTypes: readonly ResponseType[] = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code id_token token',
  'code token',
]

/** The member of a client's metadata, ours, that asks it for PKCE although it has a secret. */
export const forcePkceMember = 'keel_force_pkce'

/** The member of a client's metadata, ours, that tells whether its users are asked what they allow it. */
export const consentMember = 'keel_consent'

/**
 * The members of a client's metadata, ours, that show it to people: oidc-provider would refuse a client whose
 * own members are no web addresses.
 */
export const homeMember = 'keel_home'
export const logoMember = 'keel_logo'

/** The row that a client is made from. */
export type ClientRow = Pick<
  OpenIddictApplication,
  | 'clientId'
  | 'clientSecret'
  | 'clientType'
  | 'applicationType'
  | 'displayName'
  | 'permissions'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'requirements'
  | 'consentType'
  | 'clientUri'
  | 'logoUri'
  | 'settings'
>

/**
 * A client as oidc-provider wants it. A public client never gets tokens in its own name (client_credentials),
 * whatever its permissions say: everybody knows its id. Scopes that do not exist are left out: oidc-provider
 * would refuse the whole client.
 */
export function clientMetadata(row: ClientRow, known: Pick<Scopes, 'names' | 'ofApi'>): ClientMetadata {
  const permissions = listOf(row.permissions)
  const isPublic = row.clientType !== 'confidential'
  const allowed = withPrefix(permissions, 'gt:')
  const own = grantTypes.filter(
    (grantType) => allowed.includes(grantType) && !(isPublic && grantType === 'client_credentials'),
  )
  const redirectUris = listOf(row.redirectUris)
  const scopes = withPrefix(permissions, 'scp:').filter((scope) => known.names.has(scope))
  return {
    client_id: row.clientId ?? '',
    client_name: row.displayName ?? row.clientId ?? '',
    application_type: row.applicationType === 'native' ? 'native' : 'web',
    // Both ways to send a secret are accepted of a client that is registered for one of them.
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_post',
    ...(!isPublic && { client_secret: row.clientSecret ?? '' }),
    grant_types: own,
    response_types: redirectUris.length ? responseTypesOf(own, withPrefix(permissions, 'rst:')) : [],
    redirect_uris: redirectUris,
    post_logout_redirect_uris: mayEndSessions(permissions) ? listOf(row.postLogoutRedirectUris) : [],
    scope: ['openid', ...(own.includes('refresh_token') ? ['offline_access'] : []), ...scopes].join(' '),
    [apiScopesMember]: scopes.filter((scope) => known.ofApi.has(scope)),
    [forcePkceMember]: mustUsePkce(row.requirements),
    // Without a type OpenIddict asks.
    [consentMember]: row.consentType ?? 'explicit',
    ...(row.clientUri && { [homeMember]: row.clientUri }),
    ...(row.logoUri && { [logoMember]: row.logoUri }),
    [lifetimesMember]: lifetimesOf(row.settings),
  }
}

/**
 * Those that were given, else those that the grant types stand for; never one that the grant types do not
 * allow.
 */
function responseTypesOf(own: readonly string[], given: readonly string[]): ResponseType[] {
  const isAllowed = (type: string): boolean =>
    type.split(' ').every((part) => own.includes(part === 'code' ? 'authorization_code' : 'implicit'))
  const asked = given.map((type) => type.split(' ').sort().join(' '))
  return responseTypes.filter(
    (type) => isAllowed(type) && (asked.length === 0 || asked.includes(type.split(' ').sort().join(' '))),
  )
}
