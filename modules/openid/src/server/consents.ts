import { Injectable } from '@keel/framework'
import { type Database, Databases, newStamp, sequentialGuid, sql } from '@keel/framework/data'
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { OpenIddictAuthorization } from '../domain/authorization.js'
import { listOf } from '../domain/client-settings.js'
import { consentMember } from './client-metadata.js'
import { Clients } from './clients.js'

/** More than anybody gives: each holds scopes that the ones before lack. */
const mostConsents = 50

/** What users allowed clients for good: permanent authorizations, as OpenIddict keeps them. */
@Injectable()
export class Consents {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clients: Clients,
  ) {
    this.database = databases.of(OpenIddictAuthorization)
  }

  /**
   * Whether the person must be asked before an authorization request goes on, by the client's consent type: `implicit` never, `explicit` for
   * what they have not allowed yet, `systematic` every time. An `external` client that nobody gave consent for is refused.
   */
  async isMissing(ctx: KoaContextWithOIDC): Promise<boolean> {
    const { client, account, result, requestParamScopes } = ctx.oidc
    if (!client || !account || !mustAsk(client) || result?.consent) return false
    if (client[consentMember] === 'systematic') return true
    const allowed = await this.of(account.accountId, client.clientId)
    const covers = [...requestParamScopes].every((scope) => allowed.has(scope))
    if (!covers && client[consentMember] === 'external')
      throw new errors.ConsentRequired('the user may not use this client')
    return !covers
  }

  /** Remembers what a user allowed. */
  async remember(userId: string, clientId: string, scopes: readonly string[]): Promise<void> {
    const client = await this.clients.find(clientId)
    await this.database.execute(sql`
      insert into "OpenIddictAuthorizations" ("Id", "ApplicationId", "CreationDate", "Scopes", "Status", "Subject", "Type", "ExtraProperties",
        "ConcurrencyStamp")
      values (${sequentialGuid()}, ${client?.id ?? null}, ${new Date()}, ${JSON.stringify(scopes)}, 'valid', ${userId}, 'permanent', '{}', ${newStamp()})`)
  }

  private async of(userId: string, clientId: string): Promise<Set<string>> {
    const client = await this.clients.find(clientId)
    const rows = await this.database.query<{ scopes: string | null }>(sql`
      select "Scopes" as scopes from "OpenIddictAuthorizations"
      where "ApplicationId" = ${client?.id ?? null} and "Status" = 'valid' and "Subject" = ${userId} and "Type" = 'permanent'
      order by "CreationDate" desc limit ${mostConsents}::int`)
    return new Set(rows.flatMap(({ scopes }) => listOf(scopes)))
  }
}

/** Whether a client's users are asked at all. */
export function mustAsk(client: Client): boolean {
  return client[consentMember] !== 'implicit'
}
