import { Injectable } from '@keel/framework'
import { type Database, Databases, sql } from '@keel/framework/data'
import { AccountSecret } from '../domain/account-rows.js'

/** Lets one use case after the other work on a user's account, in whichever process. */
@Injectable()
export class UserLocks {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(AccountSecret)
  }

  /** Waits until no other has the lock, and holds it until the unit of work at hand ends. */
  async lock(userId: string): Promise<void> {
    await this.database.execute(
      sql`select pg_advisory_xact_lock(hashtextextended(${`account ${userId}`}, 0))`,
    )
  }
}
