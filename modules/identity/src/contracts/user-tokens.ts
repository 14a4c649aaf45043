/** Extension point: values that providers keep for users, such as the key of an authenticator app. The identity module provides it. */
export abstract class UserTokens {
  abstract find(userId: string, loginProvider: string, name: string): Promise<string | undefined>
  abstract save(userId: string, loginProvider: string, name: string, value: string): Promise<void>
  /** Removes the value and answers whether there was one: of callers at the same time only one hears true, so a code works once. */
  abstract remove(userId: string, loginProvider: string, name: string): Promise<boolean>
}
