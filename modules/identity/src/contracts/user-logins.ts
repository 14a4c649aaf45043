/** An account elsewhere that a user signs in with. */
export interface ExternalLogin {
  /** E.g. `Google`. */
  readonly loginProvider: string
  /** The id of the user at the provider. */
  readonly providerKey: string
  readonly providerDisplayName: string | null
}

/** Extension point: the accounts elsewhere that users sign in with. The identity module provides it. */
export abstract class UserLogins {
  abstract of(userId: string): Promise<ExternalLogin[]>
  /** The id of the user who signs in with an account, unless they are deleted. */
  abstract findUser(loginProvider: string, providerKey: string): Promise<string | undefined>
  /** Refuses with `IdentityErrors.LoginAlreadyAssociated` an account that somebody signs in with already. */
  abstract add(userId: string, login: ExternalLogin): Promise<void>
  /**
   * Refuses with `EntityNotFoundError` what the user does not have, and with `IdentityErrors.LastLogin` the
   * last way in of somebody who has no password.
   */
  abstract remove(userId: string, loginProvider: string, providerKey: string): Promise<void>
  /** Forgets everybody's accounts at a provider, because another server answers for it from now on. */
  abstract forgetProvider(loginProvider: string): Promise<void>
}
