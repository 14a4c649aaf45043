import {
  AppService,
  Dto,
  emailAddress,
  enumeration,
  extraProperties,
  guid,
  op,
  openOwnFields,
  param,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { userOwnFields } from '@keel/identity/contracts'

/** ABP's account endpoints: routes under `/api/account`. */
export const AbpAccount = remoteService('AbpAccount', 'account', 'Volo.Abp.Account')

/** ABP's name of the auth server's own pages, as an application that links in mails can lead to. */
export const loginPagesApp = 'MVC'

const password = z.string().min(1).max(128)
/** Every token and code of ours is shorter; longer texts are not worth a look. */
const token = z.string().max(512)
const returning = {
  /** The address at which the application continues, if it is one of the application itself. */
  returnUrl: z.string().max(2048).nullish(),

  /** The part after `#` of the address to go on to. */
  returnUrlHash: z.string().max(2048).nullish(),
}
/**
 * The application that the link in the mail leads to: `Angular` (`App:AngularUrl`), `MVC` (the auth server's
 * pages) or a name of `App:Urls`.
 */
const appName = z.string().min(1).max(64)

/** The auth server tells user ids without dashes (ABP's password grant), others with them; both are read. */
const userId = z.string().min(1).max(64)
/**
 * The token that the password grant answered beside `RequiresConfirmUser`. Without it, only the user's stored
 * number counts.
 */
const confirmUserToken = token.nullish()

/** Somebody who wants an account. */
export class RegisterDto extends Dto({
  userName: z.string().min(1).max(256),
  emailAddress,
  password,

  /**
   * The application that the link in the mail leads to: `Angular`, `MVC` or a name of `App:Urls`.
   * @example Angular
   */
  appName,
  extraProperties: openOwnFields(userOwnFields, extraProperties().nullish()),
}) {}

/** The account that was made. */
export class RegisteredUserDto extends Dto({
  id: guid(),
  tenantId: guid().nullable(),
  userName: z.string(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  phoneNumber: z.string().nullable(),
  phoneNumberConfirmed: z.boolean(),
  isActive: z.boolean(),
  concurrencyStamp: z.string(),
  extraProperties: openOwnFields(userOwnFields, z.record(z.string(), z.unknown())),
}) {}

/** Somebody who forgot a password. */
export class SendPasswordResetCodeDto extends Dto({ email: emailAddress, appName, ...returning }) {}

/** A token of a mail, asked about before the new password is typed. */
export class VerifyPasswordResetTokenInput extends Dto({ userId: guid(), resetToken: token }) {}

/** A new password with the token of the mail. */
export class ResetPasswordDto extends Dto({ userId: guid(), resetToken: token, password }) {}

/** The user whose e-mail address is to be confirmed. */
export class SendEmailConfirmationTokenDto extends Dto({ appName, userId, ...returning }) {}

/** A token of a mail to confirm the address. */
export class ConfirmEmailInput extends Dto({ userId: guid(), token }) {}

/** The user whose number is to be confirmed: the caller, or one who may not sign in before it is. */
export class SendPhoneNumberConfirmationTokenDto extends Dto({
  userId,
  /**
   * The number that the user has when not given. Another one takes its place once it is confirmed; it needs
   * its country code.
   */
  phoneNumber: z.string().max(32).nullish(),
  confirmUserToken,
}) {}

/** A code of a text message. */
export class ConfirmPhoneNumberInput extends Dto({
  userId,
  token: z.string().min(1).max(32),
  confirmUserToken,
}) {}

/** The confirmed members of an account. */
export class ConfirmationStateDto extends Dto({
  emailConfirmed: z.boolean(),
  phoneNumberConfirmed: z.boolean(),
}) {}

/** A user name or an e-mail address with its password. */
export class UserLoginInfo extends Dto({
  userNameOrEmailAddress: z.string().min(1).max(255),
  password: z.string().min(1).max(128),
  rememberMe: z.boolean().default(false),
}) {}

/** The results of a password check. */
export enum LoginResultType {
  Success = 1,
  InvalidUserNameOrPassword = 2,
  NotAllowed = 3,
  LockedOut = 4,
  RequiresTwoFactor = 5,
}

/** The result of a password check. */
export class AbpLoginResult extends Dto({
  result: enumeration('LoginResultType', LoginResultType),
  /** The member's name. */
  description: z.string(),
}) {}

/** Registering, forgotten passwords and confirmations, for callers who are not signed in. */
export abstract class AccountAppService extends AppService(
  AbpAccount,
  'AccountAppService',
  {
    /** Registers a new user. Refused while the setting `Abp.Account.IsSelfRegistrationEnabled` is off. */
    register: op(RegisterDto).returns(RegisteredUserDto).at('POST', '/api/account/register'),
    /** Mails a link to set a new password. */
    sendPasswordResetCode: op(SendPasswordResetCodeDto).at('POST', '/api/account/send-password-reset-code'),
    /** Tells whether a token from a mail still allows to set a new password. */
    verifyPasswordResetToken: op(VerifyPasswordResetTokenInput)
      .returns(z.boolean())
      .at('POST', '/api/account/verify-password-reset-token'),
    /** Sets a new password with the token from a mail. */
    resetPassword: op(ResetPasswordDto).at('POST', '/api/account/reset-password'),
    /** Tells whether a user name and a password belong together, without signing in. */
    checkPassword: op(UserLoginInfo).returns(AbpLoginResult).at('POST', '/api/account/check-password'),
    /** Mails a link that confirms the e-mail address. */
    sendEmailConfirmationToken: op(SendEmailConfirmationTokenDto).at(
      'POST',
      '/api/account/send-email-confirmation-token',
    ),
    /** Tells whether a token from a mail still confirms the e-mail address. */
    verifyEmailConfirmationToken: op(ConfirmEmailInput)
      .returns(z.boolean())
      .at('POST', '/api/account/verify-email-confirmation-token'),
    /** Confirms the e-mail address with the token from a mail. */
    confirmEmail: op(ConfirmEmailInput).at('POST', '/api/account/confirm-email'),
    /**
     * Sends a code by text message that confirms a telephone number: the caller's, or that of who gave the
     * right password lately.
     */
    sendPhoneNumberConfirmationToken: op(SendPhoneNumberConfirmationTokenDto).at(
      'POST',
      '/api/account/send-phone-number-confirmation-token',
    ),
    /** Confirms a telephone number with the code from a text message. */
    confirmPhoneNumber: op(ConfirmPhoneNumberInput).at('POST', '/api/account/confirm-phone-number'),
    /** Tells what of an account is confirmed. */
    getConfirmationState: op(param('id', userId))
      .returns(ConfirmationStateDto)
      .at('GET', '/api/account/confirmation-state'),
  },
  'Registration and passwords',
) {}

/** Asks for claims to be read again. Here they are current at every request. */
export abstract class DynamicClaimsAppService extends AppService(AbpAccount, 'DynamicClaimsAppService', {
  /** Asks for the caller's claims to be read again. Does nothing: claims are current at every request. */
  refresh: op().at('POST', '/api/account/dynamic-claims/refresh'),
}) {}
