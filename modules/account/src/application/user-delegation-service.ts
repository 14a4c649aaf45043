import { AutoApiController, Clock } from '@keel/framework'
import { BusinessError, EntityNotFoundError, faultOf, ValidationError } from '@keel/framework/contracts'
import { Locks } from '@keel/framework/data'
import { Authenticated, UserHolders } from '@keel/framework/security'
import {
  Reauthentication,
  type SecurityAction,
  SecurityActions,
  SecurityEvents,
  Sessions,
  UserDirectory,
  type UserRecord,
} from '@keel/identity/contracts'
import {
  AccountErrors,
  type DelegateNewUserInput,
  type GetUserLookupInput,
  UserDelegationAppService,
  UserDelegationDto,
  UserLookupDto,
} from '../contracts/index.js'
import { accountLock } from '../domain/account-lock.js'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'
import {
  type DelegationRow,
  mostDelegations,
  StoredUserDelegations,
} from '../persistence/stored-user-delegations.js'
import { CurrentAccount } from './current-account.js'

/** Enough for a person who types names. A list of names takes days. */
const lookUps: AttemptLimit = { name: 'users looked up by name', most: 100, seconds: 900 }

/** Delegations by the caller, and to the caller. A delegate can't delegate further. */
@AutoApiController(UserDelegationAppService)
@Authenticated()
export class UserDelegationService implements UserDelegationAppService {
  constructor(
    private readonly current: CurrentAccount,
    private readonly users: UserDirectory,
    private readonly holders: UserHolders,
    private readonly delegations: StoredUserDelegations,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
    private readonly locks: Locks,
    private readonly reauthentication: Reauthentication,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  async getDelegatedUsers() {
    return this.named(await this.delegations.of((await this.current.userInPerson()).id, 'from'))
  }

  async getMyDelegatedUsers() {
    return this.named(await this.delegations.of((await this.current.userInPerson()).id, 'to'))
  }

  async getActiveDelegations() {
    return this.named(await this.delegations.of((await this.current.userInPerson()).id, 'to', true))
  }

  async getUserLookup({ userName }: GetUserLookupInput) {
    const self = await this.current.userInPerson()
    await this.limits.spend(lookUps, self.id)
    const found = userName ? await this.users.findByUserName(userName) : undefined
    const isOffered = found?.isActive && found.id !== self.id
    return { items: isOffered ? [new UserLookupDto({ id: found.id, userName: found.userName })] : [] }
  }

  async delegateNewUser({ targetUserId, startTime, endTime }: DelegateNewUserInput): Promise<void> {
    const source = await this.current.userInPerson()
    if (targetUserId === source.id) throw new BusinessError(AccountErrors.SelfDelegation)
    await this.reauthentication.demand()
    if (endTime <= startTime || endTime <= this.clock.now)
      throw new ValidationError([faultOf('endTime', 'Account:Validation:DelegationEnd')])
    const target = await this.users.find(targetUserId)
    if (!target?.isActive) throw new EntityNotFoundError('User', targetUserId)
    await this.locks.hold(accountLock(source.id))
    if ((await this.delegations.countOf(source.id)) >= mostDelegations)
      throw new BusinessError(AccountErrors.TooManyDelegations, { most: mostDelegations })
    await this.delegations.add({ sourceUserId: source.id, targetUserId, startTime, endTime })
    await this.tell(SecurityActions.DelegateUser, source, targetUserId)
  }

  async deleteDelegation(id: string): Promise<void> {
    const source = await this.current.userInPerson()
    const targetUserId = await this.delegations.remove(id, source.id)
    if (targetUserId === undefined) throw new EntityNotFoundError('UserDelegation', id)
    await this.sessions.endDelegated(source.id, id)
    await this.tell(SecurityActions.EndDelegation, source, targetUserId)
  }

  /** The delegations with the names of users, without inactive users. */
  private async named(rows: readonly DelegationRow[]) {
    const users = await this.holders.withIds(rows.map(({ userId }) => userId))
    const names = new Map(users.map(({ userId, userName }) => [userId, userName]))
    const items = rows.flatMap(({ id, userId, startTime, endTime }) => {
      const userName = names.get(userId)
      return userName === undefined ? [] : [new UserDelegationDto({ id, userName, startTime, endTime })]
    })
    return { items }
  }

  private async tell(
    action: SecurityAction,
    { id: userId, userName }: UserRecord,
    DelegatedUserId: string,
  ): Promise<void> {
    await this.events.write({ action, userId, userName, extraProperties: { DelegatedUserId } })
  }
}
