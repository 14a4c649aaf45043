/** The error codes of the account module: ABP's codes, and our own where ABP has none. */
export const AccountErrors = {
  SelfRegistrationDisabled: 'Volo.Account:SelfRegistrationDisabled',
  LocalLoginDisabled: 'Volo.Account:LocalLoginDisabled',
  /** ABP's codes. */
  PhoneNumberConfirmationDisabled: 'Volo.Account:PhoneNumberConfirmationDisabled',
  PhoneNumberEmpty: 'Volo.Account:PhoneNumberEmpty',
  /** Nobody gave the right password for this account lately, or its number is confirmed. */
  SignInBeforeConfirming: 'Account:SignInBeforeConfirming',
  /** Told only while `Abp.Account.PreventEmailEnumeration` is off. */
  InvalidEmailAddress: 'Volo.Account:InvalidEmailAddress',
  InvalidToken: 'Volo.Abp.Identity:InvalidToken',
  UnknownApplication: 'Account:UnknownApplication',
  UsersCanNotChangeTwoFactor: 'Volo.Abp.Identity:010007',
  /** Nothing is set up that could be asked for. */
  CanNotChangeTwoFactor: 'Volo.Abp.Identity:010008',
  InvalidAuthenticatorCode: 'Account:InvalidAuthenticatorCode',
  AuthenticatorInUse: 'Account:AuthenticatorInUse',
  NoSuchTwoFactorProvider: 'Account:NoSuchTwoFactorProvider',
  /** The new password is the old one. */
  PasswordNotChanged: 'Account:PasswordNotChanged',
  SelfLink: 'Account:SelfLink',
  /** No image of a kind that is shown, or too large. */
  InvalidProfilePicture: 'Account:InvalidProfilePicture',
  /** ABP's code. */
  SelfDelegation: 'Volo.Abp.Identity:010009',
  TooManyDelegations: 'Account:TooManyDelegations',
  /** A key acts with the rights it was given, and not as the person it belongs to. */
  NotWithApiKey: 'Account:NotWithApiKey',
  /** The caller has not proved for minutes that they are the person; `data.address` is where they do. */
  ReauthenticationRequired: 'Account:ReauthenticationRequired',
  TooManyPasskeys: 'Account:TooManyPasskeys',
  /** Somebody has this passkey already. */
  PasskeyExists: 'Account:PasskeyExists',
  /** The browser's answer is no passkey that was made for this page. */
  InvalidPasskey: 'Account:InvalidPasskey',
  TooManyLinks: 'Account:TooManyLinks',
  /** An impersonator may not change the means by which the user signs in. */
  NotWhileImpersonating: 'Account:NotWhileImpersonating',
} as const
