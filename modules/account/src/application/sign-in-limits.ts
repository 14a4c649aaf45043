import { Clock, Configuration, configurationSection, Provides, Settings } from '@keel/framework'
import { z } from '@keel/framework/contracts'
import { networkOf } from '@keel/framework/http'
import { LockoutSettings, type SignInAttempt, SignInGuard } from '@keel/identity/contracts'
import { type AttemptLimit, AttemptLimits } from '../persistence/attempt-limits.js'

/** The attempts of strangers that are taken in a window before all are refused, over all processes. */
export const SignInLimits = configurationSection('SignInLimits', {
  /**
   * Wrong passwords from one address, or one network of IPv6 (/64), as many wrong codes of second factors, and
   * as many refused passkeys. An office may stand behind one address.
   */
  failuresPerAddress: z.int().min(1).default(100),
  /** Wrong passwords for one user name or e-mail address, also for users who are never locked out. */
  failuresPerName: z.int().min(1).default(20),
  /** Registrations from one address, refused ones too: a refusal tells that a name is taken. */
  registrationsPerAddress: z.int().min(1).default(50),
  /**
   * Wrong user codes of devices from one address. With 20 guesses, one of 25 billion codes that is waiting is
   * hit once in a billion times.
   */
  deviceCodesPerAddress: z.int().min(1).default(20),
  /** Codes by text message that one address, or one network of IPv6 (/64), asks for. */
  textMessagesPerAddress: z.int().min(1).default(50),
  /** The length of a window in seconds. */
  windowSeconds: z.int().min(1).default(900),
})

/**
 * Names without a user are locked out like others, so that a lock-out tells nothing. Failures of users are
 * kept for good: a day comes close.
 */
const nobodySeconds = 86_400

const lockOutOfNobody = { name: 'lock-out of nobody' }
const failuresOfNobody = { name: 'failures of nobody' }

/** The account module's {@link SignInGuard}. */
@Provides(SignInGuard)
export class SignInAttemptLimits implements SignInGuard {
  private readonly ofAddress: AttemptLimit
  private readonly ofName: AttemptLimit

  constructor(
    private readonly limits: AttemptLimits,
    private readonly settings: Settings,
    private readonly clock: Clock,
    configuration: Configuration,
  ) {
    const { failuresPerAddress, failuresPerName, windowSeconds } = configuration.read(SignInLimits)
    const seconds = windowSeconds
    this.ofAddress = { name: 'sign-in from an address', most: failuresPerAddress, seconds }
    this.ofName = { name: 'sign-in with a name', most: failuresPerName, seconds }
  }

  async admit(attempt: SignInAttempt): Promise<void> {
    await this.limits.demand(this.subjectsOf(attempt))
  }

  async failed(attempt: SignInAttempt): Promise<void> {
    for (const [limit, subject] of this.subjectsOf(attempt)) await this.limits.count(limit, subject)
  }

  async failedForNobody(name: string): Promise<Date | undefined> {
    const most = await this.number(LockoutSettings.MaxFailedAccessAttempts.name)
    const seconds = await this.number(LockoutSettings.LockoutDuration.name)
    const locked: AttemptLimit = { ...lockOutOfNobody, most: 1, seconds }
    const failures: AttemptLimit = { ...failuresOfNobody, most, seconds: nobodySeconds }
    const subject = nameOf(name)
    const standing = await this.lockOutOfNobody(name)
    if (standing) return standing
    if ((await this.limits.count(failures, subject)).count < most) return undefined
    await this.limits.forget(failures, subject)
    return this.inSeconds((await this.limits.count(locked, subject)).rest)
  }

  async lockOutOfNobody(name: string): Promise<Date | undefined> {
    const rest = await this.limits.restOf(lockOutOfNobody, nameOf(name))
    return rest === undefined ? undefined : this.inSeconds(rest)
  }

  async forgive(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.limits.forget(this.ofName, nameOf(name))
      // The name may have had no user when it was tried.
      await this.limits.forget(lockOutOfNobody, nameOf(name))
      await this.limits.forget(failuresOfNobody, nameOf(name))
    }
  }

  private subjectsOf({ name, address }: SignInAttempt): [AttemptLimit, string][] {
    return [
      [this.ofName, nameOf(name)],
      ...(address ? [[this.ofAddress, networkOf(address)] as [AttemptLimit, string]] : []),
    ]
  }

  private inSeconds(seconds: number): Date {
    return new Date(this.clock.nowMs + seconds * 1000)
  }

  private async number(name: string): Promise<number> {
    return Math.max(1, Math.trunc(Number(await this.settings.valueOf(name)) || 0))
  }
}

function nameOf(name: string): string {
  return name.trim().normalize().toUpperCase()
}
