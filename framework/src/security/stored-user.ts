import type { GrantProvider } from '../contracts/index.js'
import type { Database } from '../data/connections.js'

/** What the principal of a signed-in user is made of, as it stands in the database now. */
export interface StoredUser {
  readonly id: string
  readonly userName: string
  readonly name: string | null
  readonly surname: string | null
  readonly email: string
  readonly isEmailConfirmed: boolean
  readonly phoneNumber: string | null
  readonly isPhoneNumberConfirmed: boolean
  readonly isActive: boolean
  /** Until when sign-in is refused; null when it is not. */
  readonly lockoutEnd: Date | null
  /** Names of the roles assigned to the user. */
  readonly roles: readonly string[]
}

/** Extension point: finds users by id. The identity module provides it. */
export abstract class UserSource {
  /** The database and the tables (all watched) that a stored user is read from: it is read again when one of them changes. */
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** The user, or undefined when there is none or it is deleted. One statement. */
  abstract find(userId: string): Promise<StoredUser | undefined>
}

/** A holder of grants: a user (`U`), role (`R`), client (`C`) or API key (`AK`) and its key. */
export interface GrantHolder {
  readonly providerName: GrantProvider
  /** User id, role name, client id or id of the key. */
  readonly providerKey: string
}

/** Extension point: reads permission grants. The permission-management module provides it. */
export abstract class GrantSource {
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** Names of the permissions that at least one of the holders was granted and none of them is prohibited. One statement. */
  abstract grantedTo(holders: readonly GrantHolder[]): Promise<string[]>
}
