import { AppService, Dto, guid, listOf, op, param, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

const path = '/api/account/externallogin'
const loginProvider = param('loginProvider', z.string().max(64))
const providerKey = param('providerKey', z.string().max(196))

/** An account elsewhere that the caller signs in with. */
export class AccountExternalLoginDto extends Dto({
  /** The scheme, e.g. `Google`. */
  loginProvider: z.string(),
  /** The id of the caller there. */
  providerKey: z.string(),
  providerDisplayName: z.string().nullable(),
}) {}

/**
 * The accounts elsewhere that the caller signs in with. They are added at the auth server, where one signs in
 * with them.
 */
export abstract class AccountExternalLoginAppService extends AppService(
  AbpAccount,
  'AccountExternalLoginAppService',
  {
    /** Lists the external accounts that the caller signs in with. */
    getList: op().returns(listOf(AccountExternalLoginDto)).at('GET', path),
    /** Removes an external account from the caller's account. */
    delete: op(loginProvider, providerKey).at('DELETE', `${path}/{loginProvider}/{providerKey}`),
    /**
     * Tells whether the caller gave the account's password when they signed in with an external account.
     * The answer says nothing about other users.
     */
    hasPasswordVerified: op(param('userId', guid()), loginProvider, providerKey)
      .returns(z.boolean())
      .at('GET', `${path}/password-verified/{userId}/{loginProvider}/{providerKey}`),
    /**
     * Counts the password as given for an external account. It takes a recent proof that the caller is the
     * person (`ReauthenticationAppService`).
     */
    setPasswordVerified: op(loginProvider, providerKey).at(
      'POST',
      `${path}/password-verified/{loginProvider}/{providerKey}`,
    ),
    /** Asks for the password again at the next sign-in with an external account. */
    removePasswordVerified: op(loginProvider, providerKey).at(
      'DELETE',
      `${path}/{loginProvider}/{providerKey}/password-verified`,
    ),
  },
) {}
