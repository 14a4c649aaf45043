import type { ExternalProvider } from '@keel/setting-management/contracts'
import type { ServerMetadata } from 'openid-client'
import { isEmailVerified, textClaim } from '../../domain/provider-claims.js'

/** What an external provider says of somebody. */
export interface ExternalIdentity {
  /** The scheme, as `AbpUserLogins` has it: `Google`, `OpenIdConnect.contoso`. */
  readonly provider: string
  readonly label: string
  /** Who it is there; never changes. */
  readonly key: string
  readonly email: string | undefined
  /** Whether the provider checked that the address is theirs, and is to be believed about it: only then does it stand for an account here. */
  readonly isEmailTrusted: boolean
  readonly userName: string | undefined
  readonly name: string | undefined
  readonly surname: string | undefined
}

/** How a provider is spoken to. */
export interface ExternalScheme {
  readonly name: string
  /** What people call it. */
  readonly label: string
  /** The path that it sends people back to: one of its own, so that no provider's answer is taken for another's. */
  readonly callbackPath: string
  readonly scope: string
  /** The issuer to discover; undefined for a provider that speaks OAuth 2 alone, which `metadata` describes. */
  readonly authority: string | undefined
  readonly metadata?: ServerMetadata
  /** Where a provider without identity tokens tells who somebody is. */
  readonly api?: string
  /** Whether a verified address counts here, by what else is told of it. */
  readonly trusts: (claims: Readonly<Record<string, unknown>>, domain: string) => boolean
}

const openIdScope = 'openid profile email'
const directoryPrefix = 'OpenIdConnect.'

/** How the provider of a setting is spoken to; undefined for one that there is no way to. */
export function schemeOf({ name, properties }: ExternalProvider): ExternalScheme | undefined {
  const { Authority } = properties
  switch (name) {
    case 'Google':
      return {
        name,
        label: 'Google',
        callbackPath: '/signin-google',
        scope: openIdScope,
        authority: 'https://accounts.google.com',
        // Google answers for its own addresses and those of its customers; others may have changed hands since it checked.
        trusts: ({ hd }, domain) => domain === 'gmail.com' || typeof hd === 'string',
      }
    case 'Microsoft':
      return {
        name,
        label: 'Microsoft',
        callbackPath: '/signin-microsoft',
        scope: openIdScope,
        authority: Authority ?? 'https://login.microsoftonline.com/common/v2.0',
        trusts: () => true,
      }
    case 'GitHub':
      return gitHub(Authority?.replace(/\/+$/, ''))
    default:
      return name.startsWith(directoryPrefix) && Authority
        ? directory(name, Authority, properties)
        : undefined
  }
}

function directory(
  name: string,
  authority: string,
  properties: Readonly<Record<string, string>>,
): ExternalScheme {
  const own = name.slice(directoryPrefix.length)
  const domains = (properties.TrustedEmailDomains ?? '')
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean)
  return {
    name,
    label: properties.DisplayName ?? own,
    callbackPath: `/signin-oidc/${own}`,
    scope: openIdScope,
    authority,
    // Whoever runs a directory can say anything in it: it is believed about the domains that it was given here.
    trusts: (_claims, domain) => domains.includes(domain),
  }
}

/** GitHub, or a GitHub of one's own. */
function gitHub(server = 'https://github.com'): ExternalScheme {
  const api = server === 'https://github.com' ? 'https://api.github.com' : `${server}/api/v3`
  return {
    name: 'GitHub',
    label: 'GitHub',
    callbackPath: '/signin-github',
    scope: 'read:user user:email',
    authority: undefined,
    metadata: {
      issuer: server,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_endpoint: `${server}/login/oauth/authorize`,
      token_endpoint: `${server}/login/oauth/access_token`,
    },
    api,
    trusts: () => true,
  }
}

/** What OpenID Connect claims say of somebody. */
export function identityOf(
  scheme: ExternalScheme,
  claims: Readonly<Record<string, unknown>>,
): ExternalIdentity {
  const text = (name: string): string | undefined => textClaim(claims, name)
  const email = text('email')
  return {
    provider: scheme.name,
    label: scheme.label,
    key: text('sub') ?? '',
    email,
    isEmailTrusted:
      email !== undefined &&
      isEmailVerified(claims) &&
      scheme.trusts(claims, email.slice(email.lastIndexOf('@') + 1).toLowerCase()),
    userName: text('preferred_username'),
    name: text('given_name'),
    surname: text('family_name'),
  }
}
