import { AppService, Dto, op, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

/** The page of the auth server where signed-in users prove again who they are. */
export const reauthenticationPath = '/Account/Confirm'

/** The state of the caller's proof, and the ways to prove again who they are. */
export class ReauthenticationDto extends Dto({
  isProven: z.boolean(),
  /**
   * `Password`, `Email` (a mailed code), `Phone` (one by text message), `Authenticator`; a recovery code
   * stands in for the last one.
   */
  methods: z.array(z.string()),
  /** The page of the auth server for the same, which also takes an account elsewhere. */
  address: z.string(),
}) {}

/** A proof of who somebody is: a password, else a code with its provider, else a recovery code. */
export class ReauthenticateInput extends Dto({
  password: z.string().min(1).max(128).nullish(),
  twoFactorProvider: z.enum(['Email', 'Phone', 'Authenticator']).nullish(),
  twoFactorCode: z.string().min(1).max(32).nullish(),
  recoveryCode: z.string().min(1).max(32).nullish(),
}) {}

/** Which code to send. */
export class ReauthenticationCodeInput extends Dto({
  /** `Email` when not given. */
  provider: z.enum(['Email', 'Phone']).nullish(),
}) {}

const path = '/api/account/reauthentication'

/**
 * Proving again who one is, in the session of the caller. It counts for some minutes; without it, what could
 * take an account over is refused with `AccountErrors.ReauthenticationRequired`.
 */
export abstract class ReauthenticationAppService extends AppService(
  AbpAccount,
  'ReauthenticationAppService',
  {
    /** Tells whether the caller has proved lately who they are, and how they can. */
    get: op().returns(ReauthenticationDto).at('GET', path),
    /** Sends a code to the caller's confirmed address or telephone. */
    sendCode: op(ReauthenticationCodeInput).at('POST', `${path}/send-code`),
    /** Proves who the caller is, by a password or a code. It counts for some minutes. */
    prove: op(ReauthenticateInput).at('POST', path),
  },
) {}
