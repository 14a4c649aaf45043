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

/** What an identity token may say of a user; its scopes decide what of it. The rest is for the access token and userinfo. */
const identityClaims = ['preferred_username', 'unique_name', 'email', 'role']

/** Everything tokens say of a user: what an access token carries. Members without a value are left out; booleans are ABP's `True` and `False`. */
export function claimsOf(account: Account): Claims {
  const { userName, name, surname, email, phoneNumber, roles } = account
  return {
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
    ...(roles.length && { role: roles.length === 1 ? (roles[0] as string) : [...roles] }),
  }
}

/** What an identity token says of a user, before its scopes are applied. */
export function identityClaimsOf(account: Account): Claims {
  return Object.fromEntries(
    Object.entries(claimsOf(account)).filter(([name]) => identityClaims.includes(name)),
  )
}

function asText(value: boolean): string {
  return value ? 'True' : 'False'
}
