import { Injectable } from '@keel/framework'
import { sql } from '@keel/framework/data'
import { identityScopes } from '../contracts/index.js'
import { type OpenIddictApplication } from '../domain/application.js'
import { ApplicationStore, ScopeStore } from './stores.js'

/** Which scopes there are, and who may ask for them. */
@Injectable()
export class KnownScopes {
  constructor(
    private readonly scopes: ScopeStore,
    private readonly applications: ApplicationStore,
  ) {}

  /** Those of the names that no scope has. */
  async unknownOf(names: readonly string[]): Promise<string[]> {
    const asked = names.filter((name) => !(identityScopes as readonly string[]).includes(name))
    if (asked.length === 0) return []
    const rows = await this.scopes.where(sql`t."Name" = any(${asked}::text[])`)
    return asked.filter((name) => !rows.some((row) => row.name === name))
  }

  /** The clients that may ask for a scope. */
  usersOf(scope: string): Promise<OpenIddictApplication[]> {
    return this.applications.where(sql`t."Permissions"::jsonb ? ${`scp:${scope}`}`)
  }
}
