import { defineSetting } from '@keel/framework/contracts'

/** Settings of the account pages beside those of the identity module. */
export const AccountModuleSettings = {
  /** Requests for a password reset answer alike whether the address is known or not. ABP's default is off. */
  PreventEmailEnumeration: defineSetting('Abp.Account.PreventEmailEnumeration', {
    default: true,
    displayName: 'Do not tell whether an e-mail address is known',
    isVisibleToClients: true,
  }),
  /** True makes users with a password give it once with each account elsewhere that they sign in with. */
  VerifyPasswordDuringExternalLogin: defineSetting('Abp.Account.VerifyPasswordDuringExternalLogin', {
    default: false,
    displayName: 'Ask once for the password of the account at sign-ins with an external provider',
  }),
  /** A user's: what `PasswordVerifiedLogins` keeps, as JSON. */
  ExternalLoginPasswordVerified: defineSetting('Abp.Account.ExternalLoginPasswordVerified', {
    displayName: 'External accounts whose user gave the password of the account here',
  }),
} as const

/** Signing in with a passkey instead of name and password. */
export const PasskeySettings = {
  Enabled: defineSetting('Abp.Account.Passkey.Enabled', {
    default: false,
    displayName: 'Users may sign in with passkeys',
    isVisibleToClients: true,
  }),
  MaximumPasskeysPerUser: defineSetting('Abp.Account.Passkey.MaximumPasskeysPerUser', {
    default: 10,
    range: [1, 100],
    displayName: 'Passkeys that a user may have',
    isVisibleToClients: true,
  }),
} as const

/** The users who sign in with a second factor: `Disabled`, `Optional` or `Forced`. */
export const TwoFactorSettings = {
  /** `Optional`: who chose to; `Disabled`: nobody; `Forced`: everybody who has one. */
  Behaviour: defineSetting('Abp.Identity.TwoFactor.Behaviour', {
    default: 'Optional',
    displayName: 'Two-factor authentication',
    isVisibleToClients: true,
  }),
  UsersCanChange: defineSetting('Abp.Identity.TwoFactor.UsersCanChange', {
    default: true,
    displayName: 'Users may switch two-factor authentication',
    isVisibleToClients: true,
  }),
  /** True lets users who gave a code have this browser asked for none for fourteen days. */
  IsRememberBrowserEnabled: defineSetting('Abp.Account.TwoFactorLogin.IsRememberBrowserEnabled', {
    default: true,
    displayName: 'Browsers may be remembered instead of asking for a code each time',
    isVisibleToClients: true,
  }),
} as const
