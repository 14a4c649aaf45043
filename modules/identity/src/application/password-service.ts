import { Application, ambient, Clock, Configuration, Localization, Provides, Settings } from '@keel/framework'
import {
  BusinessError,
  ConcurrencyError,
  EntityNotFoundError,
  UserFriendlyError,
} from '@keel/framework/contracts'
import { UnitOfWork } from '@keel/framework/data'
import { hashPassword, verifyPassword } from '@keel/framework/security'
import {
  IdentityErrors,
  type PasswordOwner,
  type PasswordRule,
  PasswordSettings,
  Passwords,
  SecurityActions,
  SecurityEvents,
  Sessions,
  SignInGuard,
  UserNotices,
} from '../contracts/index.js'
import { isCommonPassword, isMadeOfWords } from '../domain/guessable-password.js'
import { recipientOf } from '../domain/notice-recipient.js'
import {
  type PasswordPolicy,
  passwordFaults,
  passwordRules,
  type RuleFault,
} from '../domain/password-policy.js'
import { newSecurityStamp } from '../domain/security-stamp.js'
import { PasswordHistory } from '../persistence/password-history.js'
import { UserStore } from '../persistence/stores.js'
import { isGuid, isLocked, UserAccounts } from '../persistence/user-accounts.js'
import { commonPasswords } from './common-passwords.js'
import { HashingGate } from './hashing-gate.js'
import { Lockout } from './lockout.js'
import { whenCommitted } from './when-committed.js'

/** The identity module's {@link Passwords}. */
@Provides(Passwords)
export class PasswordService implements Passwords {
  private readonly notices: UserNotices | undefined
  private readonly guard: SignInGuard | undefined

  constructor(
    private readonly users: UserStore,
    private readonly accounts: UserAccounts,
    private readonly history: PasswordHistory,
    private readonly lockout: Lockout,
    private readonly gate: HashingGate,
    private readonly settings: Settings,
    private readonly configuration: Configuration,
    private readonly localization: Localization,
    private readonly events: SecurityEvents,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
    application: Application,
  ) {
    this.notices = application.find(UserNotices)
    this.guard = application.find(SignInGuard)
  }

  async check(password: string, owner: PasswordOwner = {}): Promise<void> {
    const faults = await this.faultsOf(password, owner)
    if (faults.length) throw this.refusal(faults)
  }

  /** The rules that a new password breaks. */
  async faultsOf(password: string, owner: PasswordOwner): Promise<RuleFault[]> {
    const faults = passwordFaults(password, await this.policy())
    if (!(await this.settings.isOn(PasswordSettings.RefuseCommonPasswords))) return faults
    if (isCommonPassword(password, await commonPasswords()))
      faults.push({ code: IdentityErrors.PasswordTooCommon, data: {} })
    else if (isMadeOfWords(password, this.wordsOf(owner)))
      faults.push({ code: IdentityErrors.PasswordMadeOfNames, data: {} })
    return faults
  }

  private wordsOf({ userName, email, name, surname }: PasswordOwner): string[] {
    const product = this.configuration.get('App:WhiteLabeling:AppName')
    return ['Keel', product, userName, email, name, surname].filter((text) => typeof text === 'string')
  }

  async rules(): Promise<readonly PasswordRule[]> {
    const { culture } = ambient()
    return passwordRules(await this.policy()).map(({ code, data, pattern }) => {
      const key = code.replace(/^.*:/, 'PasswordRule:')
      return { code, pattern, text: this.localization.find(key, culture, data) ?? code }
    })
  }

  /** The hash of a new password of `owner`, after checking it. */
  async hashNew(password: string, owner: PasswordOwner): Promise<string> {
    await this.check(password, owner)
    return this.gate.pass(() => hashPassword(password))
  }

  /** As {@link hashNew}, for a user who exists; checked without names when there is no such user. */
  async hashNewOf(userId: string, password: string): Promise<string> {
    return this.hashNew(password, (await this.accounts.namesOf(userId)) ?? {})
  }

  async verify(userId: string, password: string): Promise<boolean> {
    const known = await this.accounts.passwordOf(userId)
    return known?.hash ? this.isPassword(password, known.hash) : false
  }

  async set(userId: string, password: string): Promise<void> {
    await this.give(userId, password, await this.hashNewOf(userId, password))
  }

  async change(userId: string, currentPassword: string | null, newPassword: string): Promise<void> {
    // Nothing here holds a transaction open while it waits for a hash.
    const known = await this.accounts.passwordOf(userId)
    if (!known) throw new EntityNotFoundError('User', userId)
    if (known.isExternal) throw new BusinessError(IdentityErrors.ExternalUserPasswordChange)
    const isRight =
      known.hash === null || currentPassword === null
        ? known.hash === currentPassword
        : await this.isGuessRight(userId, currentPassword)
    if (!isRight) throw new BusinessError(IdentityErrors.PasswordMismatch)
    await this.give(userId, newPassword, await this.hashNewOf(userId, newPassword), known.hash)
  }

  /**
   * True for the password of a user who is not locked out. Guesses count as failed sign-ins, and pass the limits of these: a stolen session
   * must not find the password by trying. Throws `TooManyRequestsError` after too many.
   */
  private async isGuessRight(userId: string, password: string): Promise<boolean> {
    const { userName = '' } = (await this.accounts.namesOf(userId)) ?? {}
    const attempt = { name: userName, address: ambient().request?.ip }
    await this.guard?.admit(attempt)
    // Read inside, so that guesses sent at once see the lock-out that the ones before them caused.
    return this.gate.pass(async () => {
      await this.guard?.admit(attempt)
      const credentials = await UnitOfWork.apart(() => this.accounts.credentialsOfUser(userId))
      const hash = credentials?.passwordHash
      const isRight = hash ? (await verifyPassword(password, hash)) !== 'wrong' : false
      if (credentials && isLocked(credentials, this.clock.now)) return false
      if (!isRight) {
        await this.lockout.countFailure(userId)
        await this.guard?.failed(attempt)
      }
      return isRight
    })
  }

  /**
   * Gives a user a new password with the hash that {@link hashNew} made of it.
   * @param replaced the hash that the caller was seen to know: one that changed since is a conflict
   */
  async give(
    userId: string,
    password: string,
    passwordHash: string,
    replaced?: string | null,
  ): Promise<void> {
    await this.refuseReuse(userId, password)
    const user = isGuid(userId) ? await this.users.find(userId) : undefined
    if (!user) throw new EntityNotFoundError('User', userId)
    if (user.isExternal) throw new BusinessError(IdentityErrors.ExternalUserPasswordChange)
    if (replaced !== undefined && replaced !== user.passwordHash) throw new ConcurrencyError()
    const count = await this.remembered()
    if (user.passwordHash && count > 1) await this.history.add(user.id, user.passwordHash, count - 1)
    await this.users.update(user, {
      passwordHash,
      securityStamp: newSecurityStamp(),
      lastPasswordChangeTime: this.clock.now,
      shouldChangePasswordOnNextLogin: false,
      entityVersion: user.entityVersion + 1,
    })
    // Sessions that were begun with the old password end.
    await this.sessions.endOthers(user.id)
    const event = { action: SecurityActions.ChangePassword, userId: user.id, userName: user.userName }
    await whenCommitted(async () => {
      await this.events.write(event)
      await this.notices?.passwordChanged(recipientOf(user))
    })
  }

  private async refuseReuse(userId: string, password: string): Promise<void> {
    const count = await this.remembered()
    if (count === 0) return
    const hashes = await this.history.of(userId, count)
    for (const hash of hashes)
      if (await this.isPassword(password, hash))
        throw new BusinessError(IdentityErrors.PasswordReused, { count })
  }

  /** How many of the last passwords, the present one included, may not be used again. */
  private async remembered(): Promise<number> {
    const isOn = await this.settings.isOn(PasswordSettings.EnablePreventPasswordReuse)
    return isOn ? this.number(PasswordSettings.PreventPasswordReuseCount.name) : 0
  }

  private async isPassword(password: string, hash: string): Promise<boolean> {
    return (await this.gate.pass(() => verifyPassword(password, hash))) !== 'wrong'
  }

  private async policy(): Promise<PasswordPolicy> {
    return {
      requiredLength: await this.number(PasswordSettings.RequiredLength.name),
      requiredUniqueChars: await this.number(PasswordSettings.RequiredUniqueChars.name),
      requireNonAlphanumeric: await this.settings.isOn(PasswordSettings.RequireNonAlphanumeric),
      requireDigit: await this.settings.isOn(PasswordSettings.RequireDigit),
      requireLowercase: await this.settings.isOn(PasswordSettings.RequireLowercase),
      requireUppercase: await this.settings.isOn(PasswordSettings.RequireUppercase),
    }
  }

  private async number(name: string): Promise<number> {
    return Number(await this.settings.valueOf(name)) || 0
  }

  /** All faults of a password and the input around it, in one message with a line for each. */
  refusal(faults: readonly RuleFault[]): UserFriendlyError {
    const { culture } = ambient()
    const lines = faults.map(({ code, data }) => this.localization.find(code, culture, data) ?? code)
    const codes = faults.map(({ code }) => code)
    return new UserFriendlyError(lines.join('\n'), { code: codes[0] as string, data: { faults: codes } })
  }
}
