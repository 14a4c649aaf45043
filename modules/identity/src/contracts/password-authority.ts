/** A person whose password was right at a {@link PasswordAuthority}, as the authority describes them. */
export interface AuthorityPerson {
  /** The id of the person at the authority; never changes. */
  readonly key: string
  readonly userName: string | undefined
  readonly email: string | undefined
  /** True when the authority verified that the user owns the address. */
  readonly isEmailVerified: boolean
  readonly name: string | undefined
  readonly surname: string | undefined
  readonly phoneNumber: string | undefined
  readonly isPhoneNumberVerified: boolean
}

/**
 * Extension point: another server that keeps passwords, and takes a name with its password. Users whose
 * password is kept there are external (`UserRecord.isExternal`). The OpenID module provides it; without a
 * provider every password is checked here.
 */
export abstract class PasswordAuthority {
  /** The name of the provider in ABP's lists, and of its rows in `AbpUserLogins`. */
  abstract readonly name: string
  /** True when administrators have switched it on. */
  abstract isEnabled(): Promise<boolean>
  /**
   * Sends a name and its password to the authority. `refused`: it does not take them. `unavailable`: it does
   * not answer, answers something that can not be trusted, or does not know us; the log says why.
   */
  abstract ask(userName: string, password: string): Promise<AuthorityPerson | 'refused' | 'unavailable'>
}
