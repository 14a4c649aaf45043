import { z } from '@keel/framework/contracts'

/** How the auth server speaks to a provider. */
export interface LoginScheme {
  /** The name on buttons. */
  readonly label: string
  readonly scope: string
  /**
   * True when the provider asks for a new sign-in on demand (`prompt=login`, `max_age`) and tells its time
   * (`auth_time`). Other providers can't confirm that the person is at the browser: a session there may be days old.
   */
  readonly provesNewSignIns: boolean
  /** The issuer to discover; undefined for a provider without OpenID Connect, which `oauth` describes. */
  readonly authority?: string
  readonly oauth?: OAuthProvider
  /** Answers true where a verified e-mail address of this domain may stand for an account here. */
  trusts(claims: Readonly<Record<string, unknown>>, domain: string): boolean
}

/** A provider that speaks OAuth 2 and has no identity tokens. */
export interface OAuthProvider {
  readonly metadata: {
    readonly issuer: string
    readonly authorization_endpoint: string
    readonly token_endpoint: string
    readonly token_endpoint_auth_methods_supported: string[]
  }
  /** The address of the API that knows the bearer of an access token. */
  readonly api: string
  readonly mediaType: string
  /**
   * The provider's own error for an authorization code that it does not know, where it is not
   * `invalid_grant`.
   */
  readonly unknownCodeError: string
  /** The user as claims of OpenID Connect. `read` fetches a path below `api` and answers its JSON. */
  readClaims(read: (path: string) => Promise<unknown>): Promise<Readonly<Record<string, unknown>>>
}

/** A login provider, or a family of them that administrators add to, each under a name of its own. */
export interface LoginProvider {
  /** The name of the scheme. Of a family, the prefix of the names. */
  readonly name: string
  readonly isFamily: boolean
  /**
   * Properties without which the provider can't be enabled. All providers need the secret `ClientSecret` too.
   */
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /**
   * The path that people are sent back to. Of a family, the own name of the provider follows as a segment.
   */
  readonly callbackPath: string
  /** @returns undefined when a property is missing that the scheme depends on */
  scheme(properties: Readonly<Record<string, string>>, ownName: string): LoginScheme | undefined
}

const openIdScope = 'openid profile email'

/**
 * All login providers, in the order in which administrators see them. A provider is added here and nowhere
 * else: its settings, its sign-in button, its callback and its checks follow from its entry.
 */
export const loginProviders: readonly LoginProvider[] = [
  {
    name: 'Google',
    isFamily: false,
    required: ['ClientId'],
    optional: [],
    callbackPath: '/signin-google',
    scheme: () => ({
      label: 'Google',
      scope: openIdScope,
      // Google has no prompt for a new sign-in: it only lets people choose an account.
      provesNewSignIns: false,
      authority: 'https://accounts.google.com',
      // Google answers for its own addresses and those of its customers; others may have changed hands since
      // it checked.
      trusts: ({ hd }, domain) => domain === 'gmail.com' || typeof hd === 'string',
    }),
  },
  {
    name: 'Microsoft',
    isFamily: false,
    required: ['ClientId'],
    optional: ['Authority'],
    callbackPath: '/signin-microsoft',
    scheme: ({ Authority }) => ({
      label: 'Microsoft',
      scope: openIdScope,
      provesNewSignIns: true,
      authority: Authority ?? 'https://login.microsoftonline.com/common/v2.0',
      trusts: () => true,
    }),
  },
  {
    name: 'GitHub',
    isFamily: false,
    required: ['ClientId'],
    optional: ['Authority'],
    callbackPath: '/signin-github',
    scheme: ({ Authority }) => ({
      label: 'GitHub',
      scope: 'read:user user:email',
      provesNewSignIns: false,
      oauth: gitHubAt(Authority?.replace(/\/+$/, '')),
      trusts: () => true,
    }),
  },
  {
    name: 'OpenIdConnect.',
    isFamily: true,
    required: ['Authority', 'ClientId'],
    optional: ['DisplayName', 'TrustedEmailDomains'],
    callbackPath: '/signin-oidc',
    scheme({ Authority, DisplayName, TrustedEmailDomains = '' }, ownName) {
      if (!Authority) return undefined
      const domains = TrustedEmailDomains.toLowerCase()
        .split(/[\s,;]+/)
        .filter(Boolean)
      return {
        label: DisplayName ?? ownName,
        scope: openIdScope,
        provesNewSignIns: true,
        authority: Authority,
        // The operator of a directory can put any address into it: it is believed about the domains that were
        // entered here.
        trusts: (_claims, domain) => domains.includes(domain),
      }
    },
  },
]

/**
 * The provider of a name, with the part of the name behind the prefix of a family; undefined for a name that
 * no provider has.
 */
export function findLoginProvider(
  name: string,
): { readonly provider: LoginProvider; readonly ownName: string } | undefined {
  for (const provider of loginProviders) {
    if (!provider.isFamily && provider.name === name) return { provider, ownName: name }
    const ownName = name.slice(provider.name.length)
    if (provider.isFamily && name.startsWith(provider.name) && /^[A-Za-z0-9][\w-]{0,63}$/.test(ownName))
      return { provider, ownName }
  }
  return undefined
}

const gitHubUser = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() })
const gitHubEmails = z.array(z.object({ email: z.string(), verified: z.boolean(), primary: z.boolean() }))

/** GitHub, or the GitHub server of a company. */
function gitHubAt(server = 'https://github.com'): OAuthProvider {
  return {
    metadata: {
      issuer: server,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_endpoint: `${server}/login/oauth/authorize`,
      token_endpoint: `${server}/login/oauth/access_token`,
    },
    api: server === 'https://github.com' ? 'https://api.github.com' : `${server}/api/v3`,
    mediaType: 'application/vnd.github+json',
    unknownCodeError: 'bad_verification_code',
    async readClaims(read) {
      const user = gitHubUser.parse(await read('/user'))
      const emails = gitHubEmails.parse(await read('/user/emails'))
      const chosen =
        emails.find(({ primary, verified }) => primary && verified) ?? emails.find(({ primary }) => primary)
      const [given_name, ...family] = (user.name ?? '').split(' ')
      return {
        sub: String(user.id),
        preferred_username: user.login,
        given_name,
        family_name: family.join(' '),
        email: chosen?.email,
        email_verified: chosen?.verified,
      }
    },
  }
}
