import type { ConfirmationState } from './sign-in-steps.js'

/** Where somebody confirms what has to be confirmed before they are signed in: ABP's path. */
export const confirmUserPath = '/Account/ConfirmUser'

/** Carries who it is from the sign-in to {@link confirmUserPath}, as long as the token in it counts. */
export const confirmingUser = { name: 'keel.confirming', path: confirmUserPath, seconds: 600 }

/** What the cookie {@link confirmingUser} holds. */
export interface ConfirmingUser extends ConfirmationState {
  readonly rememberMe: boolean
}
