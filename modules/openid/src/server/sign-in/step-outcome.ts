import type { PasswordDemand } from '@keel/account/contracts'
import type { TextReference } from '@keel/framework/contracts'
import type { Account } from '@keel/identity/contracts'

/**
 * Where somebody is between the right password and being signed in; it travels through the form, and the
 * token holds it together.
 */
export interface SecondFactorState {
  readonly userId: string
  readonly token: string
  /** The way to prove the second factor with the next code. */
  readonly provider: string
  /** All ways that the user has. */
  readonly providers: readonly string[]
}

/**
 * Somebody who must choose a new password before they are signed in; it travels through the form, and the
 * token holds it together.
 */
export interface RenewalState {
  readonly userId: string
  /** How they proved themselves, with blanks between. */
  readonly methods: string
  readonly token: string
  readonly reason: PasswordDemand['reason']
}

/** Somebody who must confirm an e-mail address or telephone number before they are signed in. */
export interface ConfirmationState {
  readonly userId: string
  /** How they proved themselves, with blanks between. */
  readonly methods: string
  readonly token: string
}

/** Somebody who is signed in, and how they proved who they are (`amr`). */
export interface SignedIn {
  readonly account: Account
  readonly amr: readonly string[]
}

/** How a sign-in goes on: it is done, another form follows, or it was refused. */
export type StepOutcome =
  | SignedIn
  | { readonly secondFactor: SecondFactorState; readonly error?: TextReference; readonly status?: number }
  | { readonly renewal: RenewalState }
  | { readonly confirmation: ConfirmationState }
  | { readonly lockedOutUntil: Date }
  | { readonly error: TextReference; readonly status: number }
