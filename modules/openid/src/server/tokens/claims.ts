import type { Account } from '@keel/identity/contracts'

type Claims = Record<string, string | string[]>

/** Which claims a scope stands for (abp-http-contract section 10.6). */
export const claimsOfScopes: Readonly<Record<string, string[]>> = {
  openid: ['sub'],
  profile: ['preferred_username', 'unique_name', 'given_name', 'family_name', 'tenantid'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  roles: ['role'],
}

/** The claims that an identity token may hold by its scopes. Other tokens and userinfo hold the rest. */
const identityClaims = ['preferred_username', 'unique_name', 'email', 'role']

/** Booleans in OpenID Connect, texts in ABP's access tokens. */
const verifiedClaims = ['email_verified', 'phone_number_verified'] as const

/**
 * Claims that only the server itself may make: a claim of this name that was stored with a user or role is
 * kept out of tokens. The protocol's names (RFC 7519, 9068, 8693, 7800, OpenID Connect), those of the
 * account, and those by which API hosts know session and impersonator.
 */
const ownClaims = new Set(
  `iss sub aud exp nbf iat jti azp typ scope scp client_id auth_time nonce acr amr at_hash c_hash s_hash sid cnf act may_act events
  session_id remember_me tenantid editionid
  preferred_username unique_name given_name family_name email email_verified phone_number phone_number_verified role __proto__`.split(
    /\s+/,
  ),
)

/**
 * Everything tokens say of a user: what an access token carries. Members without a value are left out;
 * booleans are ABP's `True` and `False`.
 */
export function claimsOf(account: Account): Claims {
  const { userName, name, surname, email, phoneNumber, roles } = account
  return {
    ...storedClaims(account),
    preferred_username: userName,
    unique_name: userName,
    ...(name && { given_name: name }),
    ...(surname && { family_name: surname }),
    email,
    email_verified: asText(account.isEmailConfirmed),
    ...(phoneNumber && {
      phone_number: phoneNumber,
      phone_number_verified: asText(account.isPhoneNumberConfirmed),
    }),
    ...(roles.length && { role: oneOrAll(roles) }),
  }
}

/** The claims that were written down, those of one name as a list. */
function storedClaims({ claims }: Account): Claims {
  const values = new Map<string, string[]>()
  for (const { type, value } of claims) {
    if (ownClaims.has(type) || /^(oi|impersonator)_/.test(type)) continue
    values.set(type, [...(values.get(type) ?? []), value])
  }
  return Object.fromEntries([...values].map(([type, all]) => [type, oneOrAll(all)]))
}

function oneOrAll(values: readonly string[]): string | string[] {
  return values.length === 1 ? (values[0] as string) : [...values]
}

/** The claims of an identity token, before its scopes are applied. */
export function identityClaimsOf(account: Account): Claims {
  return Object.fromEntries(
    Object.entries(claimsOf(account)).filter(([name]) => identityClaims.includes(name)),
  )
}

function asText(value: boolean): string {
  return value ? 'True' : 'False'
}

/**
 * Claims with ABP's `True` and `False` of what was verified as booleans (OpenID Connect Core 5.1). Others
 * stay texts, whatever they hold.
 */
export function withBooleans(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const verified = verifiedClaims.filter((name) => name in claims)
  return { ...claims, ...Object.fromEntries(verified.map((name) => [name, claims[name] === asText(true)])) }
}
