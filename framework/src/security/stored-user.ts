import type { GrantProvider } from '../contracts/index.js'
import type { Database } from '../data/connections/database.js'
import type { Sql } from '../data/wire/sql.js'
import type { StoredUser } from '../modularity/principal.js'

export type { StoredUser } from '../modularity/principal.js'

/** Extension point: finds users by id. The identity module provides it. */
export abstract class UserSource {
  /** The database and the tables (all watched) that a stored user is read from: it is read again when one of them changes. */
  abstract readonly database: Database
  abstract readonly tables: readonly string[]
  /** The user, or undefined when there is none or it is deleted. One statement. */
  abstract find(userId: string): Promise<StoredUser | undefined>
}

/** Extension point: knows which sessions of users go on. The identity module provides it; without it tokens are good until they expire. */
export abstract class SessionSource {
  abstract readonly database: Database
  /** All watched: sessions are looked up again when one of them changes. */
  abstract readonly tables: readonly string[]
  /** Whether a user's session has not ended. One statement. */
  abstract isLive(sessionId: string, userId: string): Promise<boolean>
  /**
   * Notes that a session is used by a request, and answers whether it goes on: false when it was not used for longer than it may be idle. Without a
   * promise as a rule. Says nothing of sessions that were ended: that is {@link isLive}.
   */
  use(_sessionId: string): boolean | Promise<boolean> {
    return true
  }
  /** What {@link isLive} answers as a condition on {@link database}, for statements that read more; both ids as text. */
  abstract liveCondition(sessionId: Sql, userId: Sql): Sql
}

/** Extension point: knows which access tokens were taken back before their end. The openid module provides it; without it none is. */
export abstract class RevokedTokens {
  /** Whether the token with this `jti` was taken back; without a promise unless one was since the last time somebody asked. */
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
  /** Names of the permissions that at least one of the holders was granted and none of them is prohibited. One statement. */
  abstract grantedTo(holders: readonly GrantHolder[]): Promise<string[]>
  /** Everything that is granted or prohibited to the holders themselves, whether this host defines the permission or not. One statement. */
  abstract rowsOf(holders: readonly GrantHolder[]): Promise<readonly StandingGrant[]>
}
