const abp = <Code extends string>(code: Code) => `Volo.Abp.Identity:${code}` as const

/** The error codes of the identity module: ABP's, and our own where ABP has no rule. */
export const IdentityErrors = {
  UserSelfDeletion: abp('010001'),
  MaxOrganizationUnitMembership: abp('010002'),
  /** A user whose password is kept elsewhere. */
  ExternalUserPasswordChange: abp('010003'),
  DuplicateOrganizationUnitName: abp('010004'),
  StaticRoleRenaming: abp('010005'),
  StaticRoleDeletion: abp('010006'),
  /** There is no such provider of passwords, or it is switched off. */
  InvalidExternalLoginProvider: abp('010010'),
  ExternalLoginProviderAuthenticateFailed: abp('010011'),
  /** A user whose password is kept here does not become an external one. */
  LocalUserAlreadyExists: abp('010012'),
  /** Somebody at the authority who can not have an account here; the log says why. */
  ExternalUserNotUsable: abp('ExternalUserNotUsable'),
  ClaimNameExists: abp('0021'),
  DuplicateUserName: abp('DuplicateUserName'),
  DuplicateEmail: abp('DuplicateEmail'),
  DuplicateRoleName: abp('DuplicateRoleName'),
  InvalidUserName: abp('InvalidUserName'),
  InvalidRoleName: abp('InvalidRoleName'),
  PasswordMismatch: abp('PasswordMismatch'),
  /** Typed differently the second time. */
  PasswordConfirmationFailed: abp('PasswordConfirmationFailed'),
  PasswordTooShort: abp('PasswordTooShort'),
  PasswordRequiresUniqueChars: abp('PasswordRequiresUniqueChars'),
  PasswordRequiresNonAlphanumeric: abp('PasswordRequiresNonAlphanumeric'),
  PasswordRequiresDigit: abp('PasswordRequiresDigit'),
  PasswordRequiresLower: abp('PasswordRequiresLower'),
  PasswordRequiresUpper: abp('PasswordRequiresUpper'),
  /** A common password, or such a word with capitals, digits and signs. */
  PasswordTooCommon: abp('PasswordTooCommon'),
  /** Made of the user's own names, e-mail address or company alone. */
  PasswordMadeOfNames: abp('PasswordMadeOfNames'),
  /** One of the user's last passwords. */
  PasswordReused: abp('PasswordReused'),
  LoginAlreadyAssociated: abp('LoginAlreadyAssociated'),
  /** Without it somebody could not sign in any more. */
  LastLogin: abp('LastLogin'),
  UserNameChangeDisabled: abp('UserNameChangeDisabled'),
  EmailChangeDisabled: abp('EmailChangeDisabled'),
  UserLockoutNotEnabled: abp('UserLockoutNotEnabled'),
  /** Nobody would be left who can administer the system. */
  LastAdministrator: abp('LastAdministrator'),
  /** A role that the caller does not hold. */
  RoleNotAssignable: abp('RoleNotAssignable'),
  /** The role of the administrators is not given to every new user. */
  DefaultAdministrators: abp('DefaultAdministrators'),
  /** It was used or taken back, has ended, or its sender may not give any more what it gives. */
  InvalidInvitation: abp('InvalidInvitation'),
  TooManyInvitations: abp('TooManyInvitations'),
  OrganizationUnitCycle: abp('OrganizationUnitCycle'),
  OrganizationUnitTooDeep: abp('OrganizationUnitTooDeep'),
  StaticClaimType: abp('StaticClaimType'),
  ClaimValueInvalid: abp('ClaimValueInvalid'),
} as const
