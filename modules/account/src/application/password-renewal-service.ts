import { Provides } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { Locks, UnitOfWork } from '@keel/framework/data'
import { Passwords, UserDirectory } from '@keel/identity/contracts'
import {
  AccountErrors,
  type PasswordDemand,
  PasswordRenewal,
  type PasswordRenewalInput,
} from '../contracts/index.js'
import { accountLock } from '../domain/account-lock.js'
import { PurposeTokens } from './purpose-tokens.js'

/** The account module's {@link PasswordRenewal}. */
@Provides(PasswordRenewal)
export class PasswordRenewalService implements PasswordRenewal {
  constructor(
    private readonly users: UserDirectory,
    private readonly passwords: Passwords,
    private readonly tokens: PurposeTokens,
    private readonly locks: Locks,
  ) {}

  async demandOf(userId: string, methods: string): Promise<PasswordDemand | undefined> {
    const user = await this.users.find(userId)
    const mustRenew = user?.shouldChangePasswordOnNextLogin && user.hasPassword && !user.isExternal
    if (!mustRenew) return undefined
    const token = await this.tokens.make('PasswordRenewal', user, methods)
    return { token, reason: user.isPasswordTooOld ? 'expired' : 'given' }
  }

  async isGenuine(userId: string, methods: string, token: string): Promise<boolean> {
    const user = await this.users.find(userId)
    return (await this.tokens.isFor('PasswordRenewal', user, token, methods)) && user?.isActive === true
  }

  async renew({ userId, methods, token, newPassword }: PasswordRenewalInput): Promise<void> {
    await this.demandToken(userId, methods, token)
    if (await this.passwords.verify(userId, newPassword))
      throw new BusinessError(AccountErrors.PasswordNotChanged)
    await UnitOfWork.run(async () => {
      // Of two requests with the same token at once, the second finds it used.
      await this.locks.hold(accountLock(userId))
      await this.demandToken(userId, methods, token)
      await this.passwords.set(userId, newPassword)
    })
  }

  private async demandToken(userId: string, methods: string, token: string): Promise<void> {
    if (!(await this.isGenuine(userId, methods, token))) throw new BusinessError(AccountErrors.InvalidToken)
  }
}
