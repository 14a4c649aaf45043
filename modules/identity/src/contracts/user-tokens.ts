/** Which value of which user. */
export interface UserTokenKey {
  readonly userId: string
  readonly loginProvider: string
  readonly name: string
}

/**
 * The e-mail address of a user that was confirmed last, kept while the one that took its place is not
 * confirmed: links to reset a password go there. Who confirms the new address, or an administrator who sets
 * one, ends that.
 */
export const confirmedEmail = { loginProvider: '[Keel]', name: 'ConfirmedEmail' } as const

/** Extension point: values of providers for users, such as an authenticator key. Provided by identity. */
export abstract class UserTokens {
  abstract find(key: UserTokenKey): Promise<string | undefined>
  /** The user who has this value, in whatever case; undefined when nobody has, or several have. */
  abstract findUser(key: Omit<UserTokenKey, 'userId'>, value: string): Promise<string | undefined>
  abstract save(key: UserTokenKey, value: string): Promise<void>
  /** Replaces `current` by `next`; true if `current` was stored. Of concurrent callers only one gets true. */
  abstract replace(key: UserTokenKey, current: string, next: string): Promise<boolean>
  /** Removes the value and returns it. Of concurrent callers only one gets it, so that a code works once. */
  abstract take(key: UserTokenKey): Promise<string | undefined>
}
