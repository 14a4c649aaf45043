import { BusinessError, z } from '@keel/framework/contracts'
import { apiScope, OpenIdErrors } from '../contracts/index.js'
import { deviceGrantType } from './client-settings.js'

const clientTypes = ['public', 'confidential'] as const
const consentTypes = ['explicit', 'external', 'implicit', 'systematic'] as const

/** The permissions of a client whose definition has none. */
export const defaultGrantTypes = [
  'authorization_code',
  'password',
  'client_credentials',
  'refresh_token',
  'LinkLogin',
  'Impersonation',
]
const defaultScopes = ['address', 'email', 'phone', 'profile', 'roles', apiScope]

/** A URL, or one that begins with a setting in braces, e.g. `{App:ApiUrl}/swagger/oauth2-redirect.html`. */
const address = z.union([z.url(), z.string().regex(/^\{\w+(:\w+)+\}(\/\S*)?$/)])

/** A client as the configuration defines it (interface document, "Auth client (application) seed entry"). */
export const ClientSeed = z.object({
  /** Visible ASCII and spaces (RFC 6749, appendix A.1). */
  clientId: z
    .string()
    .max(100)
    .regex(/^[\x20-\x7e]+$/),
  displayName: z.string().optional(),
  type: z.enum(clientTypes).default('public'),
  consentType: z.enum(consentTypes).default('implicit'),
  applicationType: z.enum(['web', 'native']).default('web'),
  clientSecret: z.string().min(1).optional(),
  grantTypes: z.array(z.string()).default(defaultGrantTypes),
  scopes: z.array(z.string()).default(defaultScopes),
  redirectUris: z.array(address).default([]),
  /** The redirect addresses when not given: that is where ABP's UI wants to return to. */
  postLogoutRedirectUris: z.array(address).optional(),
})
export type ClientSeed = z.output<typeof ClientSeed>

/** Refuses a public client with a secret and a confidential one without. */
export function checkSecret({ clientId, type, clientSecret }: ClientSeed): void {
  if (type === 'public' && clientSecret !== undefined)
    throw new BusinessError(OpenIdErrors.PublicClientWithSecret, { clientId })
  if (type === 'confidential' && clientSecret === undefined)
    throw new BusinessError(OpenIdErrors.ConfidentialClientWithoutSecret, { clientId })
}

/** True for a secret of the migrator's `appsettings.Development.json`: everybody can read those. */
export function isPublishedSecret({ clientSecret }: ClientSeed): boolean {
  return clientSecret?.startsWith('development-only-') ?? false
}

/** Refuses an id that two clients have: each run would give it to the other one. */
export function checkIds(seeds: readonly ClientSeed[]): void {
  const ids = seeds.map(({ clientId }) => clientId)
  const clientId = ids.find((id, index) => ids.indexOf(id) !== index)
  if (clientId !== undefined) throw new BusinessError(OpenIdErrors.ClientIdAlreadyExists, { clientId })
}

/** The permissions of a client as OpenIddict writes them: `ept:`, `gt:`, `rst:` and `scp:` entries. */
export function permissionsOf({ grantTypes, scopes }: ClientSeed): string[] {
  return [
    ...endpointsOf(grantTypes).map((endpoint) => `ept:${endpoint}`),
    ...grantTypes.map((grantType) => `gt:${grantType}`),
    ...responseTypesOf(grantTypes).map((responseType) => `rst:${responseType}`),
    ...scopes.map((scope) => `scp:${scope}`),
  ]
}

function endpointsOf(grantTypes: readonly string[]): string[] {
  const interactive = grantTypes.includes('authorization_code') || grantTypes.includes('implicit')
  const askForTokens = grantTypes.some((grantType) => grantType !== 'implicit')
  return [
    ...(interactive ? ['authorization', 'end_session'] : []),
    ...(grantTypes.includes(deviceGrantType) ? ['device_authorization'] : []),
    ...(askForTokens ? ['token'] : []),
    'revocation',
    'introspection',
  ]
}

function responseTypesOf(grantTypes: readonly string[]): string[] {
  const code = grantTypes.includes('authorization_code')
  const implicit = grantTypes.includes('implicit')
  return [
    ...(code ? ['code'] : []),
    ...(implicit ? ['id_token', 'id_token token'] : []),
    ...(code && implicit ? ['code id_token', 'code id_token token', 'code token'] : []),
  ]
}
