/** What can happen to an account: ABP's names. */
export const SecurityActions = {
  LoginSucceeded: 'LoginSucceeded',
  LoginFailed: 'LoginFailed',
  LoginLockedout: 'LoginLockedout',
  LoginNotAllowed: 'LoginNotAllowed',
  LoginRequiresTwoFactor: 'LoginRequiresTwoFactor',
  LoginInvalidUserName: 'LoginInvalidUserName',
  LoginInvalidUserNameOrPassword: 'LoginInvalidUserNameOrPassword',
  Logout: 'Logout',
  ChangeUserName: 'ChangeUserName',
  ChangeEmail: 'ChangeEmail',
  ChangePhoneNumber: 'ChangePhoneNumber',
  ChangePassword: 'ChangePassword',
  TwoFactorEnabled: 'TwoFactorEnabled',
  TwoFactorDisabled: 'TwoFactorDisabled',
  LinkUser: 'LinkUser',
  UnlinkUser: 'UnlinkUser',
  /** Somebody may sign in with an account elsewhere from now on, or no more. */
  AddExternalLogin: 'AddExternalLogin',
  RemoveExternalLogin: 'RemoveExternalLogin',
  /** Somebody may sign in with a passkey from now on, or no more. */
  AddPasskey: 'AddPasskey',
  RemovePasskey: 'RemovePasskey',
  /** A signature of a passkey was not right: of another address, of a request that had ended or was answered already, or without the person. */
  PasskeyRefused: 'PasskeyRefused',
  /** The counter of a passkey did not go up: somebody may have a copy of it. */
  PasskeyCopied: 'PasskeyCopied',
  /** An administrator begins to act as somebody else; both accounts have the entry. */
  ImpersonateUser: 'ImpersonateUser',
  BackToImpersonator: 'BackToImpersonator',
  /** Somebody lets somebody else act for them for some time, or takes that back. */
  DelegateUser: 'DelegateUser',
  EndDelegation: 'EndDelegation',
  /** Somebody begins to act by a delegation; both accounts have the entry. */
  DelegatedImpersonate: 'DelegatedImpersonate',
  /** A session was ended from another one, by its user or an administrator; or all of a user's were. */
  EndSession: 'EndSession',
  EndAllSessions: 'EndAllSessions',
  /** A session ended because it was not used for longer than `Abp.Account.Idle.*` allow. */
  EndIdleSession: 'EndIdleSession',
  /** A client may have what it asked for, or may not. */
  GrantConsent: 'GrantConsent',
  DenyConsent: 'DenyConsent',
  /** A user took back what they had allowed a client. */
  WithdrawConsent: 'WithdrawConsent',
  /** A device was let in with the code that it shows. */
  AuthorizeDevice: 'AuthorizeDevice',
  /** A code or refresh token that had been used came again: somebody has a copy. All tokens of its session ended. */
  TokenReuse: 'TokenReuse',
} as const

/** One of {@link SecurityActions}. */
export type SecurityAction = (typeof SecurityActions)[keyof typeof SecurityActions]

/** Where a request to sign in comes from. */
export interface RequestOrigin {
  readonly clientId?: string | undefined
  readonly ipAddress?: string | undefined
  /** The `User-Agent` header. */
  readonly browser?: string | undefined
}

/** Something that happened to an account. */
export interface SecurityEvent {
  readonly action: SecurityAction
  /** What was signed in with: `Identity` (a password, when not given), `IdentityExternal`, `IdentityPasskey`, `IdentityTwoFactor` or `OpenIddict`. */
  readonly identity?: string
  readonly userId?: string | undefined
  /** By default that of the user. */
  readonly userName?: string | undefined
  /** By default what the request at hand tells. */
  readonly origin?: RequestOrigin | undefined
  /** What else there is to tell. */
  readonly extraProperties?: Readonly<Record<string, string>>
}

/** Extension point: the security log. The identity module provides it. */
export abstract class SecurityEvents {
  /** Writes an entry at once, also when the use case at hand fails afterwards. A failure to write is logged and does not throw. */
  abstract write(event: SecurityEvent): Promise<void>
}
