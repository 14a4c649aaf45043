import { PasswordRenewal, passwordMethods, UserConfirmations } from '@keel/account/contracts'
import { Injectable, Settings } from '@keel/framework'
import { type Account, AccountSettings, SignIn, type SignInResult } from '@keel/identity/contracts'
import type { PasskeyProof } from '../passkeys/passkey-ceremonies.js'
import { externalMethods } from '../requests/proof-time.js'
import { type SecondFactorAnswer, SecondFactorStep } from './second-factor-step.js'
import type { ConfirmationState, RenewalState, SignedIn, StepOutcome } from './step-outcome.js'

/** A name and a password as they were entered. */
export interface Credentials {
  readonly userName: string
  readonly password: string
  /** The token that {@link SecondFactorStep} gave this browser for an account, if it is remembered. */
  readonly browserTokenFor: (userId: string) => string | undefined
}

/**
 * The steps of signing in on a page: the password, the code where one is asked for, confirming what has to be
 * confirmed, and a new password where the old one will not do. The code comes before the confirmation: a
 * telephone that is confirmed may be asked for codes.
 */
@Injectable()
export class SignInSteps {
  constructor(
    private readonly signIn: SignIn,
    private readonly secondFactor: SecondFactorStep,
    private readonly renewals: PasswordRenewal,
    private readonly confirmations: UserConfirmations,
    private readonly settings: Settings,
  ) {}

  /** True when people sign in with a password at all. */
  isLocal(): Promise<boolean> {
    return this.settings.isOn(AccountSettings.EnableLocalLogin)
  }

  async takePassword({ userName, password, browserTokenFor }: Credentials): Promise<StepOutcome> {
    if (!(await this.isLocal())) return { error: { key: 'Volo.Account:LocalLoginDisabled' }, status: 400 }
    const result = await this.signIn.check(userName, password)
    if (!('account' in result)) return refusalOf(result)
    const { account } = result
    const first = { account, amr: [passwordMethods] }
    return this.demandRenewal(await this.secondFactor.afterFirst(first, browserTokenFor(account.id)))
  }

  /** The outcome of a sign-in at an external provider. The user's second factor is asked for as well. */
  async takeExternal(
    result: SignInResult,
    {
      isNewSignIn,
      browserTokenFor,
    }: { isNewSignIn: boolean | undefined; browserTokenFor: Credentials['browserTokenFor'] },
  ): Promise<StepOutcome> {
    if (!('account' in result)) return refusalOf(result)
    const { account } = result
    const first = { account, amr: externalMethods(isNewSignIn) }
    return this.demandRest(await this.secondFactor.afterFirst(first, browserTokenFor(account.id)))
  }

  /** The outcome of a passkey, which is two factors by itself; a refusal for undefined. */
  async takePasskey(proof: PasskeyProof | undefined): Promise<StepOutcome> {
    const result = proof && (await this.signIn.checkPasskey(proof.userId))
    if (!proof || !result || result.outcome === 'wrong-credentials')
      return { error: { key: 'SignIn:PasskeyRefused' }, status: 400 }
    if (!('account' in result)) return refusalOf(result)
    return this.demandRenewal({ account: result.account, amr: proof.amr })
  }

  async takeCode(answer: SecondFactorAnswer): Promise<StepOutcome> {
    return this.demandRest(await this.secondFactor.answer(answer))
  }

  /** The outcome after a user confirmed their address or number. The caller has checked the state. */
  async takeConfirmed({ userId, methods }: Omit<ConfirmationState, 'token'>): Promise<StepOutcome> {
    const result = await this.signIn.checkConfirmed(userId)
    if (!('account' in result)) return refusalOf(result)
    return this.demandRest({ account: result.account, amr: methods.split(' ') })
  }

  /** The outcome after a person made an account with a password. */
  async takeNew(userId: string): Promise<StepOutcome> {
    const account = await this.signIn.find(userId)
    return account
      ? this.demandConfirmation({ account, amr: [passwordMethods] })
      : { error: { key: 'SignIn:Inactive' }, status: 400 }
  }

  /** True while the form for a new password counts. */
  isRenewing({ userId, methods, token }: RenewalState): Promise<boolean> {
    return this.renewals.isGenuine(userId, methods, token)
  }

  /** Throws what {@link PasswordRenewal.renew} refuses. */
  async takeNewPassword(state: RenewalState, newPassword: string): Promise<StepOutcome> {
    await this.renewals.renew({ ...state, newPassword })
    const account = await this.signIn.find(state.userId)
    return account
      ? { account, amr: state.methods.split(' ') }
      : { error: { key: 'SignIn:Inactive' }, status: 400 }
  }

  /** The outcome for a user who may have come by an external provider, and is then asked for no new password. */
  private async demandRest(outcome: StepOutcome): Promise<StepOutcome> {
    const isExternal = 'account' in outcome && outcome.amr.includes('ext')
    return isExternal ? this.demandConfirmation(outcome) : this.demandRenewal(outcome)
  }

  private async demandRenewal(before: StepOutcome): Promise<StepOutcome> {
    const outcome = 'account' in before ? await this.demandConfirmation(before) : before
    if (!('account' in outcome)) return outcome
    const methods = outcome.amr.join(' ')
    const userId = outcome.account.id
    const demand = await this.renewals.demandOf(userId, methods)
    return demand ? { renewal: { userId, methods, ...demand } } : outcome
  }

  /** The outcome for a user who proved who they are: they may have to confirm something first. */
  private async demandConfirmation(outcome: SignedIn): Promise<StepOutcome> {
    const { account, amr } = outcome
    if (!(await this.signIn.unconfirmed(account)).length) return outcome
    const demand = await this.confirmations.demandOf(account.id)
    if (!demand) return outcome
    return { confirmation: { userId: account.id, methods: amr.join(' '), token: demand.token } }
  }
}

function refusalOf(result: Exclude<SignInResult, { account: Account }>): StepOutcome {
  switch (result.outcome) {
    case 'wrong-credentials':
      return { error: { key: 'SignIn:WrongCredentials' }, status: 400 }
    case 'inactive':
      return { error: { key: 'SignIn:Inactive' }, status: 400 }
    case 'locked-out':
      return { lockedOutUntil: result.until }
  }
}
