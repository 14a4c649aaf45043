import type { PasswordDemand } from '@keel/account/contracts'
import type { TextReference } from '@keel/framework/contracts'
import type { Account } from '@keel/identity/contracts'

/**
 * The state between the first factor and the end of the sign-in. It travels through the form, and the token
 * protects it.
 */
export interface SecondFactorState {
  readonly userId: string
  /** The methods of the first factor, with blanks between. */
  readonly methods: string
  readonly token: string
  /** The way to prove the second factor with the next code. */
  readonly provider: string
  /** All ways that the user has. */
  readonly providers: readonly string[]
}

/**
 * The state of a user who must choose a new password before they are signed in. It travels through the form,
 * and the token protects it.
 */
export interface RenewalState {
  readonly userId: string
  /** The methods by which the user proved who they are, with blanks between. */
  readonly methods: string
  readonly token: string
  readonly reason: PasswordDemand['reason']
}

/** The state of a user who must confirm an e-mail address or telephone number before they are signed in. */
export interface ConfirmationState {
  readonly userId: string
  /** The methods by which the user proved who they are, with blanks between. */
  readonly methods: string
  readonly token: string
}

/** A signed-in user, and the way they proved who they are (`amr`). */
export interface SignedIn {
  readonly account: Account
  readonly amr: readonly string[]
}

/** The outcome of a step: the user is signed in, another form follows, or the step was refused. */
export type StepOutcome =
  | SignedIn
  | { readonly secondFactor: SecondFactorState; readonly error?: TextReference; readonly status?: number }
  | { readonly renewal: RenewalState }
  | { readonly confirmation: ConfirmationState }
  | { readonly lockedOutUntil: Date }
  | { readonly error: TextReference; readonly status: number }
