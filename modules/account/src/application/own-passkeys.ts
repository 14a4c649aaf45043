import { Provides, Settings } from '@keel/framework'
import { BusinessError, ForbiddenError } from '@keel/framework/contracts'
import { Locks, UnitOfWork } from '@keel/framework/data'
import {
  AccountSettings,
  type NewUserPasskey,
  Reauthentication,
  type UserPasskey,
  UserPasskeys,
  type UserRecord,
} from '@keel/identity/contracts'
import { AccountErrors, PasskeySettings, Passkeys } from '../contracts/index.js'
import { accountLock } from '../domain/account-lock.js'
import { AccountMailTemplates } from '../domain/account-texts.js'
import { AttemptLimits } from '../persistence/attempt-limits.js'
import { AccountMails, recipientOf } from './account-mails.js'
import { CurrentAccount } from './current-account.js'

/** The account module's {@link Passkeys}. */
@Provides(Passkeys)
export class OwnPasskeys implements Passkeys {
  constructor(
    private readonly current: CurrentAccount,
    private readonly passkeys: UserPasskeys,
    private readonly reauthentication: Reauthentication,
    private readonly locks: Locks,
    private readonly limits: AttemptLimits,
    private readonly mails: AccountMails,
    private readonly settings: Settings,
  ) {}

  async areOn(): Promise<boolean> {
    return (
      (await this.settings.isOn(PasskeySettings.Enabled)) &&
      this.settings.isOn(AccountSettings.EnableLocalLogin)
    )
  }

  async areForCaller(): Promise<boolean> {
    return !(await this.current.user()).isExternal
  }

  async list(): Promise<UserPasskey[]> {
    return this.passkeys.of((await this.current.user()).id)
  }

  async demandRoom(): Promise<void> {
    const user = await this.current.userInPerson()
    if (user.isExternal || !(await this.areOn())) throw new ForbiddenError()
    await this.reauthentication.demand()
    await this.demandRoomOf(user)
  }

  async add(passkey: NewUserPasskey): Promise<void> {
    const user = await this.current.userInPerson()
    if (user.isExternal || !(await this.areOn())) throw new ForbiddenError()
    await this.reauthentication.demand()
    await UnitOfWork.run(async () => {
      // Of two that are added at once, the second is counted with the first.
      await this.locks.hold(accountLock(user.id))
      await this.demandRoomOf(user)
      if (!(await this.passkeys.add(user.id, passkey))) throw new BusinessError(AccountErrors.PasskeyExists)
    })
    await this.mails.notify(AccountMailTemplates.PasskeyAdded, recipientOf(user))
  }

  async rename(credentialId: string, name: string): Promise<void> {
    const user = await this.current.userInPerson()
    await this.passkeys.rename(user.id, credentialId, name)
  }

  async remove(credentialId: string): Promise<void> {
    const user = await this.current.userInPerson()
    await this.reauthentication.demand()
    await this.passkeys.remove(user.id, credentialId)
    await this.mails.notify(AccountMailTemplates.PasskeyRemoved, recipientOf(user))
  }

  async takeChallenge(challenge: string, seconds: number): Promise<boolean> {
    const once = { name: 'challenge of a passkey', most: 1, seconds }
    return (await this.limits.count(once, challenge)).count === 1
  }

  private async demandRoomOf({ id }: UserRecord): Promise<void> {
    const most = Number(await this.settings.valueOf(PasskeySettings.MaximumPasskeysPerUser.name))
    if ((await this.passkeys.of(id)).length >= most)
      throw new BusinessError(AccountErrors.TooManyPasskeys, { most })
  }
}
