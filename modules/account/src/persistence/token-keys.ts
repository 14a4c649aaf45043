import { randomBytes } from 'node:crypto'
import { Injectable } from '@keel/framework'
import { type Database, Databases, inTransaction, sequentialGuid } from '@keel/framework/data'
import { AccountKey } from '../domain/account-rows.js'

/** The key that all processes seal tokens with. Whoever needs it first makes it. */
@Injectable()
export class TokenKeys {
  private readonly database: Database
  private known: Promise<Buffer> | undefined

  constructor(databases: Databases) {
    this.database = databases.of(AccountKey)
  }

  key(): Promise<Buffer> {
    this.known ??= this.load().catch((error: unknown) => {
      this.known = undefined
      throw error
    })
    return this.known
  }

  /** On a connection of its own: a key must not vanish with the work that needed it first. */
  private load(): Promise<Buffer> {
    return this.database.withConnection((client) =>
      inTransaction(client, async () => {
        await client.query(`select pg_advisory_xact_lock(hashtext('AppAccountKeys'))`)
        const { rows } = await client.query<{ content: string }>(
          'select "Content" as content from "AppAccountKeys" order by "CreationTime" limit 1',
        )
        const content = rows[0]?.content ?? randomBytes(32).toString('base64')
        if (rows.length === 0)
          await client.query(
            'insert into "AppAccountKeys" ("Id", "Content", "CreationTime") values ($1, $2, now())',
            [sequentialGuid(), content],
          )
        return Buffer.from(content, 'base64')
      }),
    )
  }
}
