import { AppService, Dto, listOf, op, param, z } from '@keel/framework/contracts'
import { AbpAccount } from './account.js'

/** An account elsewhere that the caller signs in with. */
export class AccountExternalLoginDto extends Dto({
  /** The scheme, e.g. `Google`. */
  loginProvider: z.string(),
  /** Who the caller is there. */
  providerKey: z.string(),
  providerDisplayName: z.string().nullable(),
}) {}

/** The accounts elsewhere that the caller signs in with. They are added at the auth server, where one signs in with them. */
export abstract class AccountExternalLoginAppService extends AppService(
  AbpAccount,
  'AccountExternalLoginAppService',
  {
    getList: op().returns(listOf(AccountExternalLoginDto)).at('GET', '/api/account/externallogin'),
    delete: op(param('loginProvider', z.string().max(64)), param('providerKey', z.string().max(196))).at(
      'DELETE',
      '/api/account/externallogin/{loginProvider}/{providerKey}',
    ),
  },
) {}
