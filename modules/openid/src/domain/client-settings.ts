import type { ApplicationDto, CreateApplicationInput } from '../contracts/index.js'
import type { OpenIddictApplication } from './application.js'

/** Grant types beyond the protocol's that a client can be given. */
export const extensionGrantTypes: readonly string[] = ['LinkLogin', 'Impersonation']

/** The grant type of devices without a keyboard (RFC 8628). */
export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code'

const standardGrantTypes: readonly string[] = [
  'authorization_code',
  'implicit',
  'password',
  'client_credentials',
  'refresh_token',
  deviceGrantType,
]
const pkce = 'ft:pkce'

type Flags = Pick<
  CreateApplicationInput,
  | 'allowAuthorizationCodeFlow'
  | 'allowImplicitFlow'
  | 'allowHybridFlow'
  | 'allowPasswordFlow'
  | 'allowClientCredentialsFlow'
  | 'allowRefreshTokenFlow'
  | 'allowEndSessionEndpoint'
  | 'allowDeviceAuthorizationEndpoint'
  | 'extensionGrantTypes'
  | 'scopes'
>

/** The permissions of a client as OpenIddict writes them: `ept:`, `gt:`, `rst:` and `scp:` entries. */
export function permissionsOfFlags(flags: Flags): string[] {
  const code = flags.allowAuthorizationCodeFlow || flags.allowHybridFlow
  const implicit = flags.allowImplicitFlow || flags.allowHybridFlow
  const grantTypes = [
    ...when(code, 'authorization_code'),
    ...when(implicit, 'implicit'),
    ...when(flags.allowPasswordFlow, 'password'),
    ...when(flags.allowClientCredentialsFlow, 'client_credentials'),
    ...when(flags.allowRefreshTokenFlow, 'refresh_token'),
    ...when(flags.allowDeviceAuthorizationEndpoint, deviceGrantType),
    ...new Set(flags.extensionGrantTypes),
  ]
  const responseTypes = [
    ...when(flags.allowAuthorizationCodeFlow, 'code'),
    ...when(flags.allowImplicitFlow, 'id_token', 'id_token token'),
    ...when(flags.allowHybridFlow, 'code id_token', 'code id_token token', 'code token'),
  ]
  const endpoints = [
    ...when(code || implicit, 'authorization'),
    ...when(flags.allowEndSessionEndpoint, 'end_session'),
    ...when(flags.allowDeviceAuthorizationEndpoint, 'device_authorization'),
    ...when(
      grantTypes.some((grantType) => grantType !== 'implicit'),
      'token',
    ),
    'revocation',
    'introspection',
  ]
  return [
    ...endpoints.map((endpoint) => `ept:${endpoint}`),
    ...grantTypes.map((grantType) => `gt:${grantType}`),
    ...responseTypes.map((responseType) => `rst:${responseType}`),
    ...[...new Set(flags.scopes)].map((scope) => `scp:${scope}`),
  ]
}

function when(holds: boolean, ...values: string[]): string[] {
  return holds ? values : []
}

/** The flags of a client's permissions. Without response types, its grant types allow all of theirs. */
export function flagsOf(permissions: readonly string[]): Flags {
  const grantTypes = withPrefix(permissions, 'gt:')
  const responseTypes = withPrefix(permissions, 'rst:')
  const allows = (type: RegExp): boolean =>
    responseTypes.length === 0 || responseTypes.some((responseType) => type.test(responseType))
  const code = grantTypes.includes('authorization_code')
  const implicit = grantTypes.includes('implicit')
  return {
    allowAuthorizationCodeFlow: code && allows(/^code$/),
    allowImplicitFlow: implicit && allows(/^(id_token|token)/),
    allowHybridFlow: code && implicit && allows(/^code /),
    allowPasswordFlow: grantTypes.includes('password'),
    allowClientCredentialsFlow: grantTypes.includes('client_credentials'),
    allowRefreshTokenFlow: grantTypes.includes('refresh_token'),
    allowEndSessionEndpoint: mayEndSessions(permissions),
    allowDeviceAuthorizationEndpoint: grantTypes.includes(deviceGrantType),
    extensionGrantTypes: grantTypes.filter((grantType) => !standardGrantTypes.includes(grantType)),
    scopes: withPrefix(permissions, 'scp:'),
  }
}

/** True when a client may send people to sign out. Up to version 8, ABP wrote it another way. */
export function mayEndSessions(permissions: readonly string[]): boolean {
  return permissions.includes('ept:end_session') || permissions.includes('ept:logout')
}

/** OpenIddict's requirements for a client that must use PKCE. */
export function requirementsOf(forcePkce: boolean): string | null {
  return forcePkce ? JSON.stringify([pkce]) : null
}

/** True when a client's requirements demand PKCE. */
export function mustUsePkce(requirements: string | null): boolean {
  return listOf(requirements).includes(pkce)
}

/** A client as it is returned to callers. */
export function applicationDto(row: OpenIddictApplication): ApplicationDto {
  return {
    id: row.id,
    applicationType: row.applicationType,
    clientId: row.clientId ?? '',
    displayName: row.displayName,
    clientType: row.clientType,
    clientSecret: null,
    consentType: row.consentType,
    redirectUris: listOf(row.redirectUris),
    postLogoutRedirectUris: listOf(row.postLogoutRedirectUris),
    ...flagsOf(listOf(row.permissions)),
    forcePkce: mustUsePkce(row.requirements),
    clientUri: row.clientUri,
    logoUri: row.logoUri,
    allowTokenExchangeFlow: false,
    allowPushedAuthorizationEndpoint: false,
    forcePushedAuthorization: false,
    frontChannelLogoutUri: null,
    jsonWebKeySet: null,
    concurrencyStamp: row.concurrencyStamp,
    extraProperties: objectOf(row.extraProperties),
  }
}

/** The members of a JSON array of texts; none for null. */
export function listOf(json: string | null): string[] {
  return json ? (JSON.parse(json) as string[]) : []
}

/** The object that a column of extra properties holds as text. */
export function objectOf(json: string | null): Record<string, unknown> {
  return json ? (JSON.parse(json) as Record<string, unknown>) : {}
}

/** The rest behind a prefix, of the entries that have it. */
export function withPrefix(values: readonly string[], prefix: string): string[] {
  return values.filter((value) => value.startsWith(prefix)).map((value) => value.slice(prefix.length))
}
