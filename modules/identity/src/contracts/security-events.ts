/** The actions on an account, by ABP's names. */
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
  /** A passkey's signature was wrong: other address, ended or answered request, or no user verification. */
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
  /** A user accepted an invitation into a group of another module, such as an organization. */
  AcceptInvitation: 'AcceptInvitation',
  /** A used code or refresh token came again: it was copied. All tokens of its session ended. */
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
  /**
   * The means of signing in: `Identity` (a password, when not given), `IdentityExternal`, `IdentityPasskey`,
   * `IdentityTwoFactor` or `OpenIddict`.
   */
  readonly identity?: string
  readonly userId?: string | undefined
  /** By default that of the user. */
  readonly userName?: string | undefined
  /** By default what the request at hand tells. */
  readonly origin?: RequestOrigin | undefined
  /** Further data of the event. */
  readonly extraProperties?: Readonly<Record<string, string>>
}

/** Extension point: the security log. The identity module provides it. */
export abstract class SecurityEvents {
  /** Writes an entry at once, outside of the unit of work. A failure is logged and does not throw. */
  abstract write(event: SecurityEvent): Promise<void>
}
