import { Application, ambient, Clock, Provides, Settings } from '@keel/framework'
import { UnitOfWork } from '@keel/framework/data'
import {
  hashOfNobody,
  hashPassword,
  type PasswordVerdict,
  verifyPasswordAtFullCost,
} from '@keel/framework/security'
import {
  type Account,
  type RequestOrigin,
  type SecurityAction,
  SecurityActions,
  SecurityEvents,
  SignIn,
  SignInGuard,
  type SignInResult,
  SignInSettings,
  type Unconfirmed,
  type UserRecord,
} from '../contracts/index.js'
import { KnownAccounts } from '../persistence/known-accounts.js'
import { type Credentials, isLocked, UserAccounts } from '../persistence/user-accounts.js'
import { AuthorityAccounts } from './authority-accounts.js'
import { HashingGate } from './hashing-gate.js'
import { Lockout } from './lockout.js'

/** The identity module's {@link SignIn}: passwords of `AbpUsers`. */
@Provides(SignIn)
export class SignInService implements SignIn {
  private readonly hashOfNobody = hashOfNobody()
  private readonly guard: SignInGuard | undefined

  constructor(
    private readonly accounts: UserAccounts,
    private readonly known: KnownAccounts,
    private readonly lockout: Lockout,
    private readonly gate: HashingGate,
    private readonly elsewhere: AuthorityAccounts,
    private readonly events: SecurityEvents,
    private readonly settings: Settings,
    private readonly clock: Clock,
    application: Application,
  ) {
    this.guard = application.find(SignInGuard)
  }

  async check(userNameOrEmail: string, password: string, origin?: RequestOrigin): Promise<SignInResult> {
    const attempt = { name: userNameOrEmail, address: origin?.ipAddress ?? ambient().request?.ip }
    await this.guard?.admit(attempt)
    // Asked again and read inside, so that guesses sent at once see what the ones before them caused.
    const here = await this.gate.pass(async () => {
      await this.guard?.admit(attempt)
      const checked = await this.checkHere(userNameOrEmail, password)
      if (checked !== 'kept-elsewhere' && checked.result.outcome !== 'signed-in')
        await this.guard?.failed(attempt)
      return checked
    })
    const { result, userId, identity } =
      here === 'kept-elsewhere' ? await this.checkElsewhere(userNameOrEmail, password, origin) : here
    const userName = 'account' in result ? result.account.userName : userNameOrEmail
    const event = { action: actionOf(result, userId), userId, userName, origin }
    await this.events.write({ ...event, ...(identity && { identity }) })
    return result
  }

  async checkExternal(userId: string, origin?: RequestOrigin): Promise<SignInResult> {
    return this.checkProven(userId, 'IdentityExternal', origin)
  }

  async checkPasskey(userId: string, origin?: RequestOrigin): Promise<SignInResult> {
    const identity = 'IdentityPasskey'
    const credentials = await this.accounts.credentialsOfUser(userId)
    if (!credentials?.isExternal) return this.checkProven(userId, identity, origin)
    const { userName } = credentials
    await this.events.write({ action: SecurityActions.PasskeyRefused, identity, userId, userName, origin })
    return { outcome: 'wrong-credentials' }
  }

  async checkConfirmed(userId: string, origin?: RequestOrigin): Promise<SignInResult> {
    return this.checkProven(userId, 'Identity', origin)
  }

  async unconfirmed({
    isEmailConfirmed,
    isPhoneNumberConfirmed,
  }: Pick<Account, 'isEmailConfirmed' | 'isPhoneNumberConfirmed'>): Promise<Unconfirmed[]> {
    const { RequireConfirmedEmail, RequireConfirmedPhoneNumber } = SignInSettings
    return [
      ...(!isEmailConfirmed && (await this.settings.isOn(RequireConfirmedEmail)) ? (['email'] as const) : []),
      ...(!isPhoneNumberConfirmed && (await this.settings.isOn(RequireConfirmedPhoneNumber))
        ? (['phoneNumber'] as const)
        : []),
    ]
  }

  /** Signs in a user who proved who they are without a password, or has before. */
  private async checkProven(
    userId: string,
    identity: string,
    origin: RequestOrigin | undefined,
  ): Promise<SignInResult> {
    const credentials = await this.accounts.credentialsOfUser(userId)
    const result: SignInResult = credentials
      ? await this.admit(credentials)
      : { outcome: 'wrong-credentials' }
    const event = { action: actionOf(result, userId), identity, userId, origin }
    await this.events.write({ ...event, userName: credentials?.userName })
    return result
  }

  async countFailure(userId: string): Promise<Date | undefined> {
    return this.lockout.countFailure(userId)
  }

  async find(userId: string): Promise<Account | undefined> {
    return this.known.find(userId)
  }

  async takesPasswordOf({
    hasPassword,
    isExternal,
  }: Pick<UserRecord, 'hasPassword' | 'isExternal'>): Promise<boolean> {
    return isExternal ? (await this.elsewhere.enabled()) !== undefined : hasPassword
  }

  /** Checks a password that is kept here. */
  private async checkHere(userNameOrEmail: string, password: string): Promise<Checked | 'kept-elsewhere'> {
    // No transaction stays open while hashes are made or others are asked.
    const credentials = await UnitOfWork.apart(() => this.accounts.credentialsOf(userNameOrEmail))
    // Somebody unknown, locked or without a password costs as much time as everybody else: the answer's delay
    // tells nothing.
    const verdict = await verifyPasswordAtFullCost(password, credentials?.passwordHash ?? this.hashOfNobody)
    if ((!credentials || credentials.isExternal) && (await this.elsewhere.enabled())) return 'kept-elsewhere'
    if (!credentials) return { result: await this.failedForNobody(userNameOrEmail), userId: undefined }
    return { result: await this.judge(credentials, verdict, password), userId: credentials.id }
  }

  /** Checks a password of an external user, or of somebody who has no account yet, where it is kept. */
  private async checkElsewhere(name: string, password: string, origin?: RequestOrigin): Promise<Checked> {
    const identity = 'IdentityExternal'
    const authority = await this.elsewhere.enabled()
    if (!authority) return { result: { outcome: 'wrong-credentials' }, userId: undefined, identity }
    const verdict = await this.elsewhere.prove(authority, { name, password, origin })
    if (verdict.outcome !== 'proven') {
      const { userId, ...result } = verdict
      return { result, userId, identity }
    }
    // The stored user must remain when the surrounding unit of work fails.
    const userId = await UnitOfWork.apart(() => this.elsewhere.take(authority, verdict, name))
    const credentials = userId === undefined ? undefined : await this.accounts.credentialsOfUser(userId)
    // A caller with the right password may learn that there is no account.
    if (!credentials) return { result: { outcome: 'inactive' }, userId: verdict.credentials?.id, identity }
    return { result: await this.admit(credentials), userId, identity }
  }

  private async judge(
    credentials: Credentials,
    verdict: PasswordVerdict,
    password: string,
  ): Promise<SignInResult> {
    if (!credentials.passwordHash) return { outcome: 'wrong-credentials' }
    if (isLocked(credentials, this.clock.now)) return { outcome: 'locked-out', until: credentials.lockoutEnd }
    if (verdict === 'wrong') return this.failed(credentials)
    const result = await this.admit(credentials)
    if (verdict === 'right-but-rehash' && result.outcome === 'signed-in')
      await this.accounts.replaceHash(credentials, await hashPassword(password))
    return result
  }

  /** Lets somebody in who proved who they are, if they may come in at all. */
  private async admit(credentials: Credentials): Promise<SignInResult> {
    if (isLocked(credentials, this.clock.now)) return { outcome: 'locked-out', until: credentials.lockoutEnd }
    const account = credentials.isActive ? await this.accounts.find(credentials.id) : undefined
    if (!account) return { outcome: 'inactive' }
    if ((await this.unconfirmed(account)).length) return { outcome: 'unconfirmed', account }
    await this.accounts.signedIn(credentials.id)
    return { outcome: 'signed-in', account }
  }

  /** Locks an unknown name out like that of a user: the lockout page must not show which names exist. */
  private async failedForNobody(name: string): Promise<SignInResult> {
    const until = await this.guard?.failedForNobody(name)
    return until ? { outcome: 'locked-out', until } : { outcome: 'wrong-credentials' }
  }

  private async failed({ id }: Credentials): Promise<SignInResult> {
    const until = await this.lockout.countFailure(id)
    return until ? { outcome: 'locked-out', until } : { outcome: 'wrong-credentials' }
  }
}

interface Checked {
  readonly result: SignInResult
  readonly userId: string | undefined
  /** The name of the external system in the log when the password is kept there. */
  readonly identity?: string
}

function actionOf({ outcome }: SignInResult, userId: string | undefined): SecurityAction {
  switch (outcome) {
    case 'signed-in':
      return SecurityActions.LoginSucceeded
    case 'locked-out':
      return userId ? SecurityActions.LoginLockedout : SecurityActions.LoginInvalidUserName
    case 'inactive':
    case 'unconfirmed':
      return SecurityActions.LoginNotAllowed
    case 'wrong-credentials':
      return userId ? SecurityActions.LoginInvalidUserNameOrPassword : SecurityActions.LoginInvalidUserName
  }
}
