import { defineSetting } from '@keel/framework/contracts'

const visible = { isVisibleToClients: true } as const

/** The requirements of a new password, by ABP's names and with its defaults. */
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
  RefuseCommonPasswords: defineSetting('Identity.Password.RefuseCommonPasswords', {
    default: true,
    displayName: 'Refuse passwords that many people have, or that are made of names of the user',
    ...visible,
  }),
  ForceUsersToPeriodicallyChangePassword: defineSetting(
    'Abp.Identity.Password.ForceUsersToPeriodicallyChangePassword',
    { default: false, displayName: 'Users have to change their password from time to time', ...visible },
  ),
  PasswordChangePeriodDays: defineSetting('Abp.Identity.Password.PasswordChangePeriodDays', {
    default: 0,
    displayName: 'Days after which a password has to be changed',
    ...visible,
  }),
  EnablePreventPasswordReuse: defineSetting('Abp.Identity.Password.EnablePreventPasswordReuse', {
    default: false,
    displayName: 'Refuse passwords that a user had before',
    ...visible,
  }),
  PreventPasswordReuseCount: defineSetting('Abp.Identity.Password.PreventPasswordReuseCount', {
    default: 6,
    displayName: 'How many of the last passwords are refused',
    ...visible,
  }),
} as const

/** When wrong passwords lock somebody out; our lock-out lasts 15 minutes where ABP's lasts five. */
export const LockoutSettings = {
  AllowedForNewUsers: defineSetting('Abp.Identity.Lockout.AllowedForNewUsers', {
    default: true,
    displayName: 'New users can be locked out',
    ...visible,
  }),
  LockoutDuration: defineSetting('Abp.Identity.Lockout.LockoutDuration', {
    default: 900,
    displayName: 'Duration of a lock-out in seconds',
    ...visible,
  }),
  MaxFailedAccessAttempts: defineSetting('Abp.Identity.Lockout.MaxFailedAccessAttempts', {
    default: 5,
    displayName: 'Wrong passwords in a row that lock a user out',
    ...visible,
  }),
} as const

/** The confirmations that signing in requires. */
export const SignInSettings = {
  RequireConfirmedEmail: defineSetting('Abp.Identity.SignIn.RequireConfirmedEmail', {
    default: false,
    displayName: 'Only users with a confirmed e-mail address may sign in',
    ...visible,
  }),
  EnablePhoneNumberConfirmation: defineSetting('Abp.Identity.SignIn.EnablePhoneNumberConfirmation', {
    default: true,
    displayName: 'Users may confirm their phone number',
    ...visible,
  }),
  RequireConfirmedPhoneNumber: defineSetting('Abp.Identity.SignIn.RequireConfirmedPhoneNumber', {
    default: false,
    displayName: 'Only users with a confirmed phone number may sign in',
    ...visible,
  }),
} as const

/** The changes that users may make to their own accounts. */
export const UserSettings = {
  IsUserNameUpdateEnabled: defineSetting('Abp.Identity.User.IsUserNameUpdateEnabled', {
    default: true,
    displayName: 'User names may be changed',
    ...visible,
  }),
  IsEmailUpdateEnabled: defineSetting('Abp.Identity.User.IsEmailUpdateEnabled', {
    default: true,
    displayName: 'E-mail addresses may be changed',
    ...visible,
  }),
} as const

/** Limits of organization units. */
export const OrganizationUnitSettings = {
  MaxUserMembershipCount: defineSetting('Abp.Identity.OrganizationUnit.MaxUserMembershipCount', {
    default: 2_147_483_647,
    displayName: 'Organization units that a user may be a member of',
    ...visible,
  }),
} as const

/**
 * The effect of signing in on a user's other sessions: none, ends those on the same kind of device, or all.
 */
export const concurrentLoginBehaviours = [
  'Disabled',
  'LogoutFromSameTypeDevices',
  'LogoutFromAllDevices',
] as const

/** Sessions of users. */
export const SessionSettings = {
  MaxSessionsPerUser: defineSetting('Identity.MaxSessionsPerUser', {
    default: 1000,
    range: [1, 100_000],
    displayName: 'Sessions that a user may have at a time',
  }),
  PreventConcurrentLogin: defineSetting('Abp.Identity.Session.PreventConcurrentLogin', {
    default: 'Disabled',
    displayName: 'What signing in does to the other sessions of a user',
    accepts: (value) => (concurrentLoginBehaviours as readonly string[]).includes(value),
    ...visible,
  }),
} as const

/**
 * Ending the sessions of people who do nothing. Clients count the time, ask, and sign out; the server ends
 * what was not used for the time and the countdown together. Sessions of who wants to be remembered on the
 * device are exempt, as in ABP.
 */
export const IdleSettings = {
  Enabled: defineSetting('Abp.Account.Idle.Enabled', {
    default: false,
    displayName: 'Users who do nothing are signed out',
    ...visible,
  }),
  IdleTimeoutMinutes: defineSetting('Abp.Account.Idle.IdleTimeoutMinutes', {
    default: 60,
    displayName: 'Minutes until users who do nothing are asked',
    ...visible,
  }),
  CountdownSeconds: defineSetting('Abp.Account.Idle.CountdownSeconds', {
    default: 60,
    displayName: 'Seconds that users have for an answer',
    ...visible,
  }),
} as const

/** How users come in, for ABP's account pages. Nobody can register themselves unless it is switched on. */
export const AccountSettings = {
  IsSelfRegistrationEnabled: defineSetting('Abp.Account.IsSelfRegistrationEnabled', {
    default: false,
    displayName: 'Users may register themselves',
    ...visible,
  }),
  RegistrationRoles: defineSetting('Abp.Account.RegistrationRoles', {
    default: 'DefaultCustomer',
    displayName: 'Default roles that users get who register themselves, separated by commas',
  }),
  EnableLocalLogin: defineSetting('Abp.Account.EnableLocalLogin', {
    default: true,
    displayName: 'Users may sign in with a password',
    ...visible,
  }),
} as const

/** ABP's name of that server in its list of providers, and in `AbpUserLogins`. */
export const oauthLoginProvider = 'OAuth'

/**
 * Signing in with passwords that another server keeps, by ABP's names. Off by default; unlike ABP's, whatever
 * can be checked is checked by default.
 */
export const OAuthLoginSettings = {
  EnableOAuthLogin: defineSetting('Abp.Identity.EnableOAuthLogin', {
    default: false,
    displayName: 'Passwords of external users are checked by another server',
  }),
  ClientId: defineSetting('Abp.Identity.OAuthLogin.ClientId', { displayName: 'What we are known as there' }),
  ClientSecret: defineSetting('Abp.Identity.OAuthLogin.ClientSecret', {
    displayName: 'Our secret there',
    isEncrypted: true,
  }),
  Authority: defineSetting('Abp.Identity.OAuthLogin.Authority', {
    displayName: 'Address of the other server',
  }),
  Scope: defineSetting('Abp.Identity.OAuthLogin.Scope', {
    default: 'openid profile email',
    displayName: 'Scopes to ask for, with blanks between',
  }),
  RequireHttpsMetadata: defineSetting('Abp.Identity.OAuthLogin.RequireHttpsMetadata', {
    default: true,
    displayName: 'The other server is reached by https alone',
  }),
  ValidateEndpoints: defineSetting('Abp.Identity.OAuthLogin.ValidateEndpoints', {
    default: true,
    displayName: 'The endpoints of the other server have the origin of its address',
  }),
  ValidateIssuerName: defineSetting('Abp.Identity.OAuthLogin.ValidateIssuerName', {
    default: true,
    displayName: 'The other server calls itself by its address',
  }),
} as const

/** How long the log of sign-ins is kept. */
export const SecurityLogSettings = {
  RetentionDays: defineSetting('Identity.SecurityLog.RetentionDays', {
    default: 0,
    range: [0, 36_500],
    displayName: 'Days that the log of sign-ins is kept; 0 for ever',
  }),
} as const

/** All of them, for the module. */
export const identitySettings = [
  PasswordSettings,
  LockoutSettings,
  SignInSettings,
  UserSettings,
  OrganizationUnitSettings,
  SessionSettings,
  IdleSettings,
  AccountSettings,
  OAuthLoginSettings,
  SecurityLogSettings,
].flatMap((group) => Object.values(group))
