import { ambient, Clock, Provides } from '@keel/framework'
import {
  SecurityActions,
  SecurityEvents,
  SignIn,
  UserDirectory,
  type UserRecord,
} from '@keel/identity/contracts'
import {
  AddressLimits,
  SecondFactor,
  type SecondFactorDemand,
  type SecondFactorProof,
} from '../contracts/index.js'
import { PurposeTokens } from './purpose-tokens.js'
import { TwoFactor } from './two-factor.js'

const identity = 'IdentityTwoFactor'

/** The account module's {@link SecondFactor}. */
@Provides(SecondFactor)
export class SecondFactorService implements SecondFactor {
  constructor(
    private readonly users: UserDirectory,
    private readonly twoFactor: TwoFactor,
    private readonly tokens: PurposeTokens,
    private readonly signIn: SignIn,
    private readonly events: SecurityEvents,
    private readonly addresses: AddressLimits,
    private readonly clock: Clock,
  ) {}

  async demandOf(
    userId: string,
    methods: string,
    browserToken?: string,
  ): Promise<SecondFactorDemand | undefined> {
    const user = await this.users.find(userId)
    if (!user || !(await this.twoFactor.isRequiredOf(user))) return undefined
    if (browserToken && (await this.isRemembered(user, browserToken))) return undefined
    await this.tell(user, SecurityActions.LoginRequiresTwoFactor)
    return this.demand(user, await this.tokens.make('TwoFactorSignIn', user, methods))
  }

  async demandBehind(
    userId: string,
    methods: string,
    token: string,
  ): Promise<SecondFactorDemand | undefined> {
    const user = await this.users.find(userId)
    const isGenuine = await this.tokens.isFor('TwoFactorSignIn', user, token, methods)
    return isGenuine && user?.isActive ? this.demand(user, token) : undefined
  }

  async rememberBrowser(userId: string): Promise<string | undefined> {
    const user = (await this.mayRememberBrowser()) ? await this.users.find(userId) : undefined
    return user && this.tokens.make('RememberedBrowser', user)
  }

  mayRememberBrowser(): Promise<boolean> {
    return this.twoFactor.mayRememberBrowser()
  }

  async sendCode(userId: string, provider: string): Promise<void> {
    const user = await this.users.find(userId)
    const known = user && (await this.twoFactor.providersOf(user)).find((name) => name === provider)
    if (known === 'Email' || known === 'Phone') await this.twoFactor.sendCode(user as UserRecord, known)
  }

  async isProven(userId: string, proof: SecondFactorProof): Promise<boolean> {
    const user = await this.users.find(userId)
    if (!user?.isActive || this.isLocked(user)) return false
    // Who has the passwords of many users has a few guesses for each of them.
    const address = ambient().request?.ip
    await this.addresses.spend('second-factor', address)
    const isRight =
      'recoveryCode' in proof
        ? await this.twoFactor.redeemRecoveryCode(user, proof.recoveryCode)
        : await this.isRight(user, proof.provider, proof.code)
    if (isRight) await this.addresses.giveBack('second-factor', address)
    else await this.signIn.countFailure(user.id)
    await this.tell(user, isRight ? SecurityActions.LoginSucceeded : SecurityActions.LoginFailed)
    return isRight
  }

  private isLocked({ lockedOutUntil }: UserRecord): boolean {
    return lockedOutUntil !== null && lockedOutUntil > this.clock.now
  }

  private async isRemembered(user: UserRecord, browserToken: string): Promise<boolean> {
    return (await this.mayRememberBrowser()) && this.tokens.isFor('RememberedBrowser', user, browserToken)
  }

  private async isRight(user: UserRecord, provider: string, code: string): Promise<boolean> {
    const known = (await this.twoFactor.providersOf(user)).find((name) => name === provider)
    return known !== undefined && (await this.twoFactor.isRight(user, known, code))
  }

  private async demand(user: UserRecord, token: string): Promise<SecondFactorDemand> {
    return { providers: await this.twoFactor.providersOf(user), token }
  }

  private async tell(
    { id: userId, userName }: UserRecord,
    action: (typeof SecurityActions)[keyof typeof SecurityActions],
  ): Promise<void> {
    await this.events.write({ action, identity, userId, userName })
  }
}
