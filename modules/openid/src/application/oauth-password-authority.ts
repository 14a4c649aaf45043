import { Logger, Provides, Settings } from '@keel/framework'
import { isTrustworthyAddress } from '@keel/framework/security'
import {
  type AuthorityPerson,
  OAuthLoginSettings,
  oauthLoginProvider,
  PasswordAuthority,
} from '@keel/identity/contracts'
import {
  type Configuration,
  discovery,
  fetchUserInfo,
  genericGrantRequest,
  None,
  ResponseBodyError,
  skipSubjectCheck,
} from 'openid-client'
import { isEmailVerified, isTrueClaim, type ProviderClaims, textClaim } from '../domain/provider-claims.js'
import { authenticateBySecret, KnownProviders } from './known-providers.js'

interface OAuthLogin {
  readonly authority: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly requiresHttps: boolean
  readonly validatesEndpoints: boolean
  readonly validatesIssuer: boolean
}

/**
 * An OpenID provider that takes passwords by OAuth 2.0's password grant, and tells by its userinfo endpoint
 * who somebody is. OAuth 2.1 drops that grant, because a password that passes through others is known to
 * them: it is for companies whose passwords are kept by a server that people can not be sent to.
 */
@Provides(PasswordAuthority)
export class OAuthPasswordAuthority extends PasswordAuthority {
  readonly name = oauthLoginProvider

  constructor(
    private readonly settings: Settings,
    private readonly known: KnownProviders,
    private readonly logger: Logger,
  ) {
    super()
  }

  async isEnabled(): Promise<boolean> {
    const { EnableOAuthLogin, Authority, ClientId } = OAuthLoginSettings
    return (
      (await this.settings.isOn(EnableOAuthLogin)) &&
      Boolean(await this.text(Authority)) &&
      Boolean(await this.text(ClientId))
    )
  }

  async ask(userName: string, password: string): Promise<AuthorityPerson | 'refused' | 'unavailable'> {
    const login = await this.read()
    try {
      const configuration = await this.known.get(this.name, login, () => this.configure(login))
      const credentials = { username: userName, password, ...(login.scope && { scope: login.scope }) }
      const tokens = await genericGrantRequest(configuration, 'password', credentials)
      const claims = tokens.claims()
      const subject = claims?.sub ?? skipSubjectCheck
      const more = await fetchUserInfo(configuration, tokens.access_token, subject)
      return personOf({ ...claims, ...more })
    } catch (error) {
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return 'refused'
      this.logger.warn(
        { err: error, authority: login.authority },
        'no answer to a password of an external user',
      )
      return 'unavailable'
    }
  }

  private async read(): Promise<OAuthLogin> {
    const names = OAuthLoginSettings
    return {
      authority: await this.text(names.Authority),
      clientId: await this.text(names.ClientId),
      clientSecret: await this.text(names.ClientSecret),
      scope: await this.text(names.Scope),
      requiresHttps: await this.settings.isOn(names.RequireHttpsMetadata),
      validatesEndpoints: await this.settings.isOn(names.ValidateEndpoints),
      validatesIssuer: await this.settings.isOn(names.ValidateIssuerName),
    }
  }

  private async configure({
    authority,
    clientId,
    clientSecret,
    ...login
  }: OAuthLogin): Promise<Configuration> {
    demandAddress('the authority', authority, login)
    // openid-client compares the issuer with the address, unless it is given that of the document itself.
    const address = login.validatesIssuer
      ? authority
      : `${authority.replace(/\/+$/, '')}/.well-known/openid-configuration`
    const auth = clientSecret ? authenticateBySecret(clientSecret) : None()
    const options = this.known.optionsFor(authority)
    const configuration = await discovery(new URL(address), clientId, undefined, auth, options)
    const { token_endpoint, userinfo_endpoint, jwks_uri } = configuration.serverMetadata()
    if (!token_endpoint || !userinfo_endpoint)
      throw new Error('The authority names no token endpoint, or none for user information')
    for (const [name, endpoint] of Object.entries({ token_endpoint, userinfo_endpoint, jwks_uri })) {
      if (endpoint === undefined) continue
      demandAddress(name, endpoint, login)
      if (login.validatesEndpoints && new URL(endpoint).origin !== new URL(authority).origin)
        throw new Error(`${name} of the authority is elsewhere: ${endpoint}`)
    }
    return configuration
  }

  private async text({ name }: { readonly name: string }): Promise<string> {
    return (await this.settings.valueOf(name)) ?? ''
  }
}

/** A password is sent by TLS, or stays on this machine. */
function demandAddress(
  what: string,
  address: string,
  { requiresHttps }: Pick<OAuthLogin, 'requiresHttps'>,
): void {
  if (!isTrustworthyAddress(address) || (requiresHttps && !address.startsWith('https:')))
    throw new Error(`${what} is no https address: ${address}`)
}

/** The user in the claims of userinfo, cut to lengths that fit. A longer telephone number is dropped. */
function personOf(claims: ProviderClaims): AuthorityPerson {
  const text = (name: string, longest: number): string | undefined =>
    textClaim(claims, name)?.slice(0, longest)
  const phoneNumber = textClaim(claims, 'phone_number')
  return {
    key: demandKey(textClaim(claims, 'sub')),
    userName: textClaim(claims, 'preferred_username'),
    email: textClaim(claims, 'email'),
    isEmailVerified: isEmailVerified(claims),
    name: text('given_name', 64),
    surname: text('family_name', 64),
    phoneNumber: phoneNumber !== undefined && phoneNumber.length <= 16 ? phoneNumber : undefined,
    isPhoneNumberVerified: isTrueClaim(claims.phone_number_verified),
  }
}

/** The column of the key has 196 characters. Two that are cut to the same would be one person. */
function demandKey(key: string | undefined): string {
  if (!key || key.length > 196)
    throw new Error('The authority tells no id of the person, or one that is too long')
  return key
}
