import { Injectable, Settings } from '@keel/framework'
import { UnitOfWork } from '@keel/framework/data'
import { LockoutSettings } from '../contracts/index.js'
import { UserAccounts } from '../persistence/user-accounts.js'

/** Locks out who gives wrong passwords, as the settings `Abp.Identity.Lockout.*` have it. */
@Injectable()
export class Lockout {
  constructor(
    private readonly accounts: UserAccounts,
    private readonly settings: Settings,
  ) {}

  /** Counts a wrong password outside of the unit of work; the end of the user's lockout, or undefined. */
  async countFailure(userId: string): Promise<Date | undefined> {
    const maxFailures = await this.number(LockoutSettings.MaxFailedAccessAttempts.name)
    const lockoutSeconds = await this.number(LockoutSettings.LockoutDuration.name)
    return UnitOfWork.apart(() => this.accounts.countFailure(userId, { maxFailures, lockoutSeconds }))
  }

  private async number(name: string): Promise<number> {
    return Math.max(1, Math.trunc(Number(await this.settings.valueOf(name)) || 0))
  }
}
