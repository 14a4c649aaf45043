import {
  type ExternalProvider,
  findLoginProvider,
  type LoginScheme,
} from '@keel/setting-management/contracts'
import { isEmailVerified, textClaim } from '../../domain/provider-claims.js'

/** The identity of a person at an external provider, by the provider's word. */
export interface ExternalIdentity {
  /** The scheme, as `AbpUserLogins` has it: `Google`, `OpenIdConnect.contoso`. */
  readonly provider: string
  readonly label: string
  /** The id of the person at the provider; never changes. */
  readonly key: string
  readonly email: string | undefined
  /**
   * True when the provider verified the address and is believed about its domain. Only such an address stands
   * for an account here.
   */
  readonly isEmailTrusted: boolean
  readonly userName: string | undefined
  readonly name: string | undefined
  readonly surname: string | undefined
  /** True when the provider told that the person signed in there after we sent them. */
  readonly isNewSignIn?: boolean
}

/** The way to speak to one provider, with its name and callback. */
export interface ExternalScheme extends LoginScheme {
  readonly name: string
  /** The path that the provider sends people back to. No other provider has it. */
  readonly callbackPath: string
}

/** The scheme of a provider; undefined for an unknown one, and for one without its authority. */
export function schemeOf({ name, properties }: ExternalProvider): ExternalScheme | undefined {
  const { provider, ownName = '' } = findLoginProvider(name) ?? {}
  const scheme = provider?.scheme(properties, ownName)
  if (!provider || !scheme) return undefined
  const { callbackPath, isFamily } = provider
  return { ...scheme, name, callbackPath: isFamily ? `${callbackPath}/${ownName}` : callbackPath }
}

/** The identity in claims of OpenID Connect. */
export function identityOf(
  { name, label, trusts }: ExternalScheme,
  claims: Readonly<Record<string, unknown>>,
): ExternalIdentity {
  const text = (claim: string): string | undefined => textClaim(claims, claim)
  const email = text('email')
  return {
    provider: name,
    label,
    key: text('sub') ?? '',
    email,
    isEmailTrusted:
      email !== undefined &&
      isEmailVerified(claims) &&
      trusts(claims, email.slice(email.lastIndexOf('@') + 1).toLowerCase()),
    userName: text('preferred_username'),
    name: text('given_name'),
    surname: text('family_name'),
  }
}
