import { AppService, Dto, enumeration, op, z } from '@keel/framework/contracts'
import {
  Identity,
  LockoutSettings,
  OAuthLoginSettings,
  PasswordSettings,
  SignInSettings,
  UserSettings,
} from '@keel/identity/contracts'

const route = '/api/identity/settings'

const flag = z.boolean()

/** Rules for new passwords, and how long a password lasts. */
export class IdentityPasswordSettingsDto extends Dto({
  requiredLength: z.int().min(2).max(128),
  /** How many different characters it takes. */
  requiredUniqueChars: z.int().min(1).max(128),
  requireNonAlphanumeric: flag,
  requireLowercase: flag,
  requireUppercase: flag,
  requireDigit: flag,
  forceUsersToPeriodicallyChangePassword: flag,
  /** Days after which a password has to be changed; 0 for never. */
  passwordChangePeriodDays: z.int().min(0).max(36_500),
  enablePreventPasswordReuse: flag,
  /** How many of the last passwords are refused. */
  preventPasswordReuseCount: z.int().min(1).max(128),
}) {}

/** When wrong passwords lock somebody out; the duration in seconds. */
export class IdentityLockoutSettingsDto extends Dto({
  allowedForNewUsers: flag,
  /** Seconds. */
  lockoutDuration: z.int().min(0).max(2_147_483_647),
  /** Wrong passwords in a row that lock a user out. */
  maxFailedAccessAttempts: z.int().min(1).max(1000),
}) {}

/** Confirmations of e-mail addresses and telephone numbers that a sign-in asks for. */
export class IdentitySignInSettingsDto extends Dto({
  requireConfirmedEmail: flag,
  enablePhoneNumberConfirmation: flag,
  requireConfirmedPhoneNumber: flag,
}) {}

/** The fields that users may change of their own account. */
export class IdentityUserSettingsDto extends Dto({
  isUserNameUpdateEnabled: flag,
  isEmailUpdateEnabled: flag,
}) {}

/** ABP's identity settings, as far as they have an effect here. */
export class IdentitySettingsDto extends Dto({
  password: IdentityPasswordSettingsDto.schema,
  lockout: IdentityLockoutSettingsDto.schema,
  signIn: IdentitySignInSettingsDto.schema,
  user: IdentityUserSettingsDto.schema,
}) {}

/** The same to be set: groups that are left out stay as they are. */
export class UpdateIdentitySettingsDto extends Dto({
  password: IdentityPasswordSettingsDto.schema.nullish(),
  lockout: IdentityLockoutSettingsDto.schema.nullish(),
  signIn: IdentitySignInSettingsDto.schema.nullish(),
  user: IdentityUserSettingsDto.schema.nullish(),
}) {}

/** Which member of the DTO shows which setting. */
export const identitySettingForm = {
  password: {
    requiredLength: PasswordSettings.RequiredLength,
    requiredUniqueChars: PasswordSettings.RequiredUniqueChars,
    requireNonAlphanumeric: PasswordSettings.RequireNonAlphanumeric,
    requireLowercase: PasswordSettings.RequireLowercase,
    requireUppercase: PasswordSettings.RequireUppercase,
    requireDigit: PasswordSettings.RequireDigit,
    forceUsersToPeriodicallyChangePassword: PasswordSettings.ForceUsersToPeriodicallyChangePassword,
    passwordChangePeriodDays: PasswordSettings.PasswordChangePeriodDays,
    enablePreventPasswordReuse: PasswordSettings.EnablePreventPasswordReuse,
    preventPasswordReuseCount: PasswordSettings.PreventPasswordReuseCount,
  },
  lockout: {
    allowedForNewUsers: LockoutSettings.AllowedForNewUsers,
    lockoutDuration: LockoutSettings.LockoutDuration,
    maxFailedAccessAttempts: LockoutSettings.MaxFailedAccessAttempts,
  },
  signIn: {
    requireConfirmedEmail: SignInSettings.RequireConfirmedEmail,
    enablePhoneNumberConfirmation: SignInSettings.EnablePhoneNumberConfirmation,
    requireConfirmedPhoneNumber: SignInSettings.RequireConfirmedPhoneNumber,
  },
  user: {
    isUserNameUpdateEnabled: UserSettings.IsUserNameUpdateEnabled,
    isEmailUpdateEnabled: UserSettings.IsEmailUpdateEnabled,
  },
} as const

/** The effect of a sign-in on the other sessions of the user. */
export enum PreventConcurrentLoginBehaviour {
  Disabled = 0,
  LogoutFromSameTypeDevices = 1,
  LogoutFromAllDevices = 2,
}

/** Sessions of users. */
export class IdentitySessionSettingsDto extends Dto({
  preventConcurrentLogin: enumeration('PreventConcurrentLoginBehaviour', PreventConcurrentLoginBehaviour),
}) {}

const text = (length: number) => z.string().trim().max(length)

/**
 * Another server that keeps passwords. The secret is answered as an empty text, and an empty one keeps what
 * is stored while authority and client stay the same.
 */
export class IdentityOAuthSettingsDto extends Dto({
  enableOAuthLogin: flag,
  /** Empty only while it is off, as the authority. */
  clientId: text(256),
  clientSecret: z.string().max(512).nullish(),
  /** https, or an address of this machine (`http://localhost:…`). */
  authority: text(512),
  /** `openid profile email` when it is empty. */
  scope: text(512).nullish(),
  requireHttpsMetadata: flag,
  validateEndpoints: flag,
  validateIssuerName: flag,
}) {}

/** Which member of the DTO shows which setting; the secret is written alone. */
export const oauthSettingForm = {
  enableOAuthLogin: OAuthLoginSettings.EnableOAuthLogin,
  clientId: OAuthLoginSettings.ClientId,
  authority: OAuthLoginSettings.Authority,
  scope: OAuthLoginSettings.Scope,
  requireHttpsMetadata: OAuthLoginSettings.RequireHttpsMetadata,
  validateEndpoints: OAuthLoginSettings.ValidateEndpoints,
  validateIssuerName: OAuthLoginSettings.ValidateIssuerName,
} as const

/** The settings of users, as ABP's identity pages ask for them. */
export abstract class IdentitySettingsAppService extends AppService(Identity, 'IdentitySettingsAppService', {
  /** Gets the settings of users: passwords, lock-out and signing in. */
  get: op().returns(IdentitySettingsDto).at('GET', route),
  /** Sets the settings of users. Groups that are left out stay. */
  update: op(UpdateIdentitySettingsDto).at('PUT', route),
  /** Gets what signing in does to the other sessions of a user. */
  getSession: op().returns(IdentitySessionSettingsDto).at('GET', `${route}/session`),
  /** Sets what signing in does to the other sessions of a user. */
  updateSession: op(IdentitySessionSettingsDto).at('PUT', `${route}/session`),

  /** Gets the password authority: the server that checks passwords, without its secret. */
  getOAuth: op().returns(IdentityOAuthSettingsDto).at('GET', `${route}/oauth`),

  /** Sets the password authority: the server that checks passwords. */
  updateOAuth: op(IdentityOAuthSettingsDto).at('PUT', `${route}/oauth`),
}) {}
