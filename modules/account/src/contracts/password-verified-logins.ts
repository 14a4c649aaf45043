/** An account elsewhere, by the names of `AbpUserLogins`. */
export interface LoginOfProvider {
  readonly loginProvider: string
  readonly providerKey: string
}

/**
 * Extension point: the accounts elsewhere whose users gave the password of their account here with them.
 * Where `Abp.Account.VerifyPasswordDuringExternalLogin` is on, nobody is signed in by another one. The
 * setting-management module provides it.
 */
export abstract class PasswordVerifiedLogins {
  abstract has(userId: string, login: LoginOfProvider): Promise<boolean>
  abstract add(userId: string, login: LoginOfProvider): Promise<void>
  abstract remove(userId: string, login: LoginOfProvider): Promise<void>
}
