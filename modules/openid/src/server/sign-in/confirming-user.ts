import { pagePaths } from '../requests/page-paths.js'
import type { ConfirmationState } from './step-outcome.js'

/** The cookie that carries the user from the sign-in to the page `confirmUser`. */
export const confirmingUser = { name: 'keel.confirming', path: pagePaths.confirmUser, seconds: 600 }

/** The content of the cookie {@link confirmingUser}. */
export interface ConfirmingUser extends ConfirmationState {
  readonly rememberMe: boolean
}
