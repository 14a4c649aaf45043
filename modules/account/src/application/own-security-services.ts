import { AutoApiController, Provides } from '@keel/framework'
import { Authenticated } from '@keel/framework/security'
import {
  type BegunBrowser,
  type GetIdentitySecurityLogListInput,
  type GetIdentitySessionListInput,
  type IdentitySessionDto,
  Reauthentication,
  type SecurityLogPage,
  SecurityLogs,
  type SessionPage,
  Sessions,
} from '@keel/identity/contracts'
import { AccountSecurityLogAppService, AccountSessionAppService, OwnSessions } from '../contracts/index.js'
import { CurrentAccount } from './current-account.js'

/** The caller's own security log. */
@AutoApiController(AccountSecurityLogAppService)
@Authenticated()
export class AccountSecurityLogService implements AccountSecurityLogAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly logs: SecurityLogs,
  ) {}

  async getList(input: GetIdentitySecurityLogListInput): Promise<SecurityLogPage> {
    return this.logs.getList(input, (await this.current.user()).id)
  }
}

/** The caller's own sessions; those of others are not found. */
@AutoApiController(AccountSessionAppService)
@Authenticated()
export class AccountSessionService implements AccountSessionAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly sessions: Sessions,
    private readonly reauthentication: Reauthentication,
  ) {}

  async getList(input: GetIdentitySessionListInput): Promise<SessionPage> {
    return this.sessions.getList({ ...input, userId: (await this.current.user()).id })
  }

  async get(id: string): Promise<IdentitySessionDto> {
    return this.sessions.get(id, (await this.current.user()).id)
  }

  async revoke(id: string): Promise<void> {
    const { id: userId } = await this.current.userInPerson()
    const { isCurrent } = await this.sessions.get(id, userId)
    if (!isCurrent) await this.reauthentication.demand()
    await this.sessions.revoke(id, userId)
  }

  async revokeAll(): Promise<void> {
    const { id } = await this.current.userInPerson()
    await this.reauthentication.demand()
    await this.sessions.endAll(id)
  }
}

/** The account module's {@link OwnSessions}. */
@Provides(OwnSessions)
export class OwnSessionService implements OwnSessions {
  constructor(
    private readonly current: CurrentAccount,
    private readonly sessions: Sessions,
    private readonly reauthentication: Reauthentication,
  ) {}

  async endOthers(browser: BegunBrowser): Promise<void> {
    const { id } = await this.current.userInPerson()
    await this.reauthentication.demand()
    await this.sessions.endAll(id, browser)
  }
}
