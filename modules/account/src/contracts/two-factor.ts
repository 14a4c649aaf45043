import { AppService, Dto, op, param, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

/** The auth server tells user ids without dashes (ABP's password grant), others with them; both are read. */
const userId = z.string().min(1).max(64)
/** The values that the password grant answered beside `RequiresTwoFactor`. */
const token = z.string().max(512)

/** A code by mail or text message for somebody who gave the right password. */
export class SendTwoFactorCodeInput extends Dto({
  userId,
  /** `Email` or `Phone`; an authenticator application makes its codes itself. */
  provider: z.string().min(1).max(64),
  token,
}) {}

/** The key with which an authenticator application is set up. */
export class AuthenticatorInfoDto extends Dto({
  /** The key to type into the application. */
  key: z.string(),
  /** The same as an `otpauth:` address, for a QR code. */
  uri: z.string(),
}) {}

/** A code of the authenticator application. */
export class VerifyAuthenticatorCodeInput extends Dto({ code: z.string().min(1).max(32) }) {}

/** Codes that each stand in for the authenticator once. They are shown this one time. */
export class VerifyAuthenticatorCodeDto extends Dto({ recoveryCodes: z.array(z.string()) }) {}

/** The second factor: choosing one while signing in, and setting up an authenticator application. */
export abstract class TwoFactorAppService extends AppService(
  AbpAccount,
  'TwoFactorAppService',
  {
    /** Lists the second factors that a user can sign in with. */
    getTwoFactorProviders: op(param('userId', userId), param('token', token))
      .returns(z.array(z.string()))
      .at('GET', '/api/account/two-factor-providers'),
    /** Mails a code to sign in with. */
    sendTwoFactorCode: op(SendTwoFactorCodeInput).at('POST', '/api/account/send-two-factor-code'),
    /** Tells whether the caller has set up an authenticator application. */
    hasAuthenticatorKey: op().returns(z.boolean()).at('GET', '/api/account/has-authenticator-key'),
    /** Gets the key that an authenticator application is set up with. */
    getAuthenticatorInfo: op().returns(AuthenticatorInfoDto).at('GET', '/api/account/authenticator-info'),
    /** Finishes the set-up of an authenticator application with its first code. */
    verifyAuthenticatorCode: op(VerifyAuthenticatorCodeInput)
      .returns(VerifyAuthenticatorCodeDto)
      .at('POST', '/api/account/verify-authenticator-code'),
    /** Forgets the caller's authenticator application. */
    resetAuthenticator: op().at('POST', '/api/account/reset-authenticator'),
  },
  'Second factor',
) {}
