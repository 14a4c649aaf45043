import type { GrantProvider } from '../contracts/index.js'
import type { Database } from '../data/connections/database.js'
import type { Sql } from '../data/wire/sql.js'
import type { StoredUser } from '../modularity/principal.js'

export type { StoredUser } from '../modularity/principal.js'

/** Extension point: finds users by id. The identity module provides it. */
export abstract class UserSource {
  /** The database and the watched tables that a stored user is read from: changes to them invalidate it. */
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** The user, or undefined when there is none or it is deleted. One statement. */
  abstract find(userId: string): Promise<StoredUser | undefined>
}

/**
 * Extension point: knows the live sessions. Provided by identity; without it tokens live until they expire.
 */
export abstract class SessionSource {
  abstract readonly database: Database
  /** All watched: sessions are looked up again when one of them changes. */
  abstract readonly tables: readonly string[]
  /** True when a user's session has not ended. One statement. */
  abstract isLive(sessionId: string, userId: string): Promise<boolean>
  /**
   * Notes that a session is used by a request, and answers whether it goes on: false when it was not used for
   * longer than it may be idle. Without a promise as a rule. Says nothing of sessions that were ended: that
   * is {@link isLive}.
   */
  use(_sessionId: string): boolean | Promise<boolean> {
    return true
  }
  /** {@link isLive} as a condition on {@link database}, for statements that read more; both ids as text. */
  abstract liveCondition(sessionId: Sql, userId: Sql): Sql
}

/** Extension point: knows the revoked access tokens. The openid module provides it; without it none is. */
export abstract class RevokedTokens {
  /**
   * True when the token with this `jti` was revoked. Synchronous unless a token was revoked since the last
   * call.
   */
  abstract isRevoked(jti: string): boolean | Promise<boolean>
}

/** A holder of grants: a user (`U`), role (`R`), client (`C`) or API key (`AK`) and its key. */
export interface GrantHolder {
  readonly providerName: GrantProvider
  /** User id, role name, client id or id of the key. */
  readonly providerKey: string
}

/** A grant or a prohibition of a permission at one holder. */
export interface StandingGrant extends GrantHolder {
  readonly name: string
  readonly isProhibition: boolean
}

/** Extension point: reads permission grants. The permission-management module provides it. */
export abstract class GrantSource {
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** Permissions that a holder was granted and none of the holders is prohibited. Runs one statement. */
  abstract grantedTo(holders: readonly GrantHolder[]): Promise<string[]>
  /** Grants and prohibitions of the holders, also of permissions of other hosts. Runs one statement. */
  abstract rowsOf(holders: readonly GrantHolder[]): Promise<readonly StandingGrant[]>
  /**
   * The ids of the users to whom something was granted or prohibited by themselves: the others have what their roles have. Undefined when they are
   * more than `most`. Runs one statement.
   */
  abstract usersWithRows(most: number): Promise<ReadonlySet<string> | undefined>
}
