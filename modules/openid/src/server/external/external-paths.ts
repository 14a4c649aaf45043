/** Where a sign-in with a provider begins and ends. */
export const externalLoginPath = '/Account/ExternalLogin'

/** Where people see the accounts elsewhere that they sign in with. */
export const externalLoginsPath = '/Account/ExternalLogins'

/** Who a provider said somebody is, from its answer until they are signed in. */
export const knownIdentity = {
  name: 'keel.external-identity',
  path: externalLoginPath,
  seconds: 600,
} as const
