import { defineSetting } from '@keel/framework/contracts'

const visible = { isVisibleToClients: true } as const

/** What a new password must be like, by ABP's names and with its defaults. */
export const PasswordSettings = {
  RequiredLength: defineSetting('Abp.Identity.Password.RequiredLength', {
    default: 6,
    displayName: 'Required length',
    ...visible,
  }),
  RequiredUniqueChars: defineSetting('Abp.Identity.Password.RequiredUniqueChars', {
    default: 1,
    displayName: 'Required unique characters',
    ...visible,
  }),
  RequireNonAlphanumeric: defineSetting('Abp.Identity.Password.RequireNonAlphanumeric', {
    default: true,
    displayName: 'Require a character that is neither letter nor digit',
    ...visible,
  }),
  RequireLowercase: defineSetting('Abp.Identity.Password.RequireLowercase', {
    default: true,
    displayName: 'Require a lower-case letter',
    ...visible,
  }),
  RequireUppercase: defineSetting('Abp.Identity.Password.RequireUppercase', {
    default: true,
    displayName: 'Require an upper-case letter',
    ...visible,
  }),
  RequireDigit: defineSetting('Abp.Identity.Password.RequireDigit', {
    default: true,
    displayName: 'Require a digit',
    ...visible,
  }),
} as const

/** How users come in, for ABP's account pages. Nobody can register themselves yet. */
export const AccountSettings = {
  IsSelfRegistrationEnabled: defineSetting('Abp.Account.IsSelfRegistrationEnabled', {
    default: false,
    displayName: 'Users may register themselves',
    ...visible,
  }),
  EnableLocalLogin: defineSetting('Abp.Account.EnableLocalLogin', {
    default: true,
    displayName: 'Users may sign in with a password',
    ...visible,
  }),
} as const
