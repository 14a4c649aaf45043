import { AppService, id, op, pageOf } from '@keel/framework/contracts'
import {
  type BegunBrowser,
  GetIdentitySecurityLogListInput,
  GetIdentitySessionListInput,
  IdentitySecurityLogDto,
  IdentitySessionDto,
} from '@keel/identity/contracts'
import { AbpAccount } from './account.js'

/** An entry of the security log of the caller's account. */
export abstract class AccountSecurityLogAppService extends AppService(
  AbpAccount,
  'AccountSecurityLogAppService',
  {
    /** Lists what happened to the caller's account, in pages. */
    getList: op(GetIdentitySecurityLogListInput)
      .returns(pageOf(IdentitySecurityLogDto))
      .at('GET', '/api/account/security-logs'),
  },
) {}

/** The sessions of the caller. */
export abstract class AccountSessionAppService extends AppService(AbpAccount, 'AccountSessionAppService', {
  /** Lists the caller's sessions, in pages. */
  getList: op(GetIdentitySessionListInput)
    .returns(pageOf(IdentitySessionDto))
    .at('GET', '/api/account/sessions'),
  /** Gets one of the caller's sessions. */
  get: op(id).returns(IdentitySessionDto).at('GET', '/api/account/sessions/{id}'),
  /** Ends one of the caller's sessions and its tokens. */
  revoke: op(id).at('DELETE', '/api/account/sessions/{id}'),
  /** Signs the caller out everywhere, in this session too. */
  revokeAll: op().at('DELETE', '/api/account/sessions'),
}) {}

/**
 * Extension point: the caller's sessions, for pages of this process that know the browser they are shown in.
 * The account module provides it.
 */
export abstract class OwnSessions {
  /** Ends every session of the caller but those of one browser, and signs all other browsers out. */
  abstract endOthers(browser: BegunBrowser): Promise<void>
}
