/** Which value of which user. */
export interface UserTokenKey {
  readonly userId: string
  readonly loginProvider: string
  readonly name: string
}

/** Extension point: values that providers keep for users, such as the key of an authenticator app. The identity module provides it. */
export abstract class UserTokens {
  abstract find(key: UserTokenKey): Promise<string | undefined>
  abstract save(key: UserTokenKey, value: string): Promise<void>
  /** Puts `next` where `current` stands and answers whether it stood there: of callers at the same time only one hears true. */
  abstract replace(key: UserTokenKey, current: string, next: string): Promise<boolean>
  /** Removes the value and gives it: of callers at the same time only one gets it, so that a code works once. */
  abstract take(key: UserTokenKey): Promise<string | undefined>
}
