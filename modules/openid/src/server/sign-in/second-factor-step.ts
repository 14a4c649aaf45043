import { SecondFactor, type SecondFactorDemand, type SecondFactorProof } from '@keel/account/contracts'
import { Injectable } from '@keel/framework'
import { TooManyRequestsError } from '@keel/framework/contracts'
import { SignIn } from '@keel/identity/contracts'
import { codeMethods } from '../requests/proof-time.js'
import type { SecondFactorState, SignedIn, StepOutcome } from './step-outcome.js'

/** Ways of codes that are sent. */
export type SentCode = 'Email' | 'Phone'

/** The input of the form for a code. */
export interface SecondFactorAnswer {
  readonly userId: string
  /** The methods of the first factor, with blanks between. */
  readonly methods: string
  readonly token: string
  readonly provider: string
  readonly code: string
  /** The way by which a code is to be sent; undefined when the form brings one. */
  readonly wants: SentCode | undefined
}

/** The step of a sign-in that asks for a code, for users with a second factor. */
@Injectable()
export class SecondFactorStep {
  constructor(
    private readonly secondFactor: SecondFactor,
    private readonly signIn: SignIn,
  ) {}

  /** The outcome of the first factor. @param browserToken of a browser that is remembered */
  async afterFirst(first: SignedIn, browserToken?: string): Promise<StepOutcome> {
    const userId = first.account.id
    const methods = first.amr.join(' ')
    const demand = await this.secondFactor.demandOf(userId, methods, browserToken)
    if (!demand) return first
    // An application on the phone is at hand at once; other codes have to be sent.
    const [provider = ''] = [...demand.providers].sort()
    const state = stateOf({ userId, methods }, demand, provider)
    return provider === 'Email' || provider === 'Phone' ? this.send(state, provider) : { secondFactor: state }
  }

  /** The outcome of a code, or of the wish for a code to be sent. */
  async answer({ userId, methods, token, provider, code, wants }: SecondFactorAnswer): Promise<StepOutcome> {
    const demand = await this.secondFactor.demandBehind(userId, methods, token)
    if (!demand) return { error: { key: 'SignIn:PageTooOld' }, status: 400 }
    const state = stateOf({ userId, methods }, demand, demand.providers.includes(provider) ? provider : '')
    if (wants && demand.providers.includes(wants)) return this.send(state, wants)
    const isProven = await this.prove(userId, proofOf(state.provider, code))
    if (isProven === 'too-many')
      return { secondFactor: state, error: { key: 'SignIn:TooManyCodes' }, status: 429 }
    if (!isProven) return { secondFactor: state, error: { key: 'SignIn:WrongCode' }, status: 400 }
    const account = await this.signIn.find(userId)
    return account
      ? { account, amr: [...methods.split(' '), ...codeMethods] }
      : { error: { key: 'SignIn:Inactive' }, status: 400 }
  }

  private async send(before: SecondFactorState, provider: SentCode): Promise<StepOutcome> {
    const state = { ...before, provider }
    try {
      await this.secondFactor.sendCode(state.userId, provider)
      return { secondFactor: state }
    } catch (error) {
      if (!(error instanceof TooManyRequestsError)) throw error
      return { secondFactor: state, error: { key: 'SignIn:TooManyCodes' }, status: 429 }
    }
  }

  private async prove(userId: string, proof: SecondFactorProof): Promise<boolean | 'too-many'> {
    try {
      return await this.secondFactor.isProven(userId, proof)
    } catch (error) {
      if (error instanceof TooManyRequestsError) return 'too-many'
      throw error
    }
  }
}

function stateOf(
  first: Pick<SecondFactorState, 'userId' | 'methods'>,
  { providers, token }: SecondFactorDemand,
  provider: string,
): SecondFactorState {
  return { ...first, token, provider, providers }
}

/** The way by which a form wants a code to be sent; undefined when it wants none. */
export function sentCodeIn(form: URLSearchParams): SentCode | undefined {
  const action = form.get('action')
  return action === 'mail' ? 'Email' : action === 'sms' ? 'Phone' : undefined
}

/** Codes of applications, mails and text messages are six digits; other texts are recovery codes. */
function proofOf(provider: string, code: string): SecondFactorProof {
  return /^[\s\d]*$/.test(code) ? { provider, code } : { recoveryCode: code }
}

/** The input of the form for a code. */
export function secondFactorAnswerIn(form: URLSearchParams): SecondFactorAnswer {
  return {
    userId: form.get('userId') ?? '',
    methods: (form.get('methods') ?? '').slice(0, 64),
    token: (form.get('secondFactorToken') ?? '').slice(0, 512),
    provider: form.get('provider') ?? '',
    code: (form.get('code') ?? '').slice(0, 32),
    wants: sentCodeIn(form),
  }
}
