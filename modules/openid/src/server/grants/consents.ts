import { Injectable } from '@keel/framework'
import {
  type Database,
  Databases,
  newStamp,
  sequentialGuid,
  sql,
  UnitOfWork,
  undeleted,
} from '@keel/framework/data'
import { Sessions } from '@keel/identity/contracts'
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { OpenIddictApplication } from '../../domain/application.js'
import { OpenIddictAuthorization } from '../../domain/authorization.js'
import { listOf } from '../../domain/client-settings.js'
import { consentMember } from '../clients/client-metadata.js'
import { Clients } from '../clients/clients.js'

/** More than anybody gives: each holds scopes that the ones before lack. */
const mostConsents = 50
/** More clients than anybody uses. */
const mostClients = 200

/** The consent that a user gave to a client, and may take back. */
export interface Consent {
  readonly clientId: string
  readonly clientName: string
  readonly scopes: readonly string[]
  /** The time of the first consent. */
  readonly since: Date
}

/** The consents that users gave for good: permanent authorizations, as OpenIddict keeps them. */
@Injectable()
export class Consents {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly clients: Clients,
    private readonly sessions: Sessions,
  ) {
    this.database = databases.of(OpenIddictAuthorization)
  }

  /**
   * True when the person must be asked before an authorization request goes on, by the client's consent type:
   * `implicit` never, `explicit` for scopes that they have not allowed yet, `systematic` every time. Refuses
   * an `external` client that has no consent.
   */
  async isMissing(ctx: KoaContextWithOIDC): Promise<boolean> {
    const { client, account, result, requestParamScopes } = ctx.oidc
    if (!client || !account || !asksForConsent(client) || result?.consent) return false
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

  /** The consents of a user by client, the latest first, without those that others gave (`external`). */
  async list(userId: string): Promise<Consent[]> {
    const rows = await this.database.query<Omit<Consent, 'scopes'> & { scopes: (string | null)[] }>(sql`
      select p."ClientId" as "clientId", coalesce(p."DisplayName", p."ClientId") as "clientName", min(a."CreationDate") as since,
        array_agg(a."Scopes" order by a."CreationDate") as scopes
      from "OpenIddictApplications" p
      join "OpenIddictAuthorizations" a on a."ApplicationId" = p."Id" and a."Status" = 'valid' and a."Subject" = ${userId} and a."Type" = 'permanent'
      where ${undeleted(OpenIddictApplication, 'p')} and p."ConsentType" is distinct from 'external'
      group by p."Id" order by max(a."CreationDate") desc limit ${mostClients}::int`)
    return rows.map((row) => ({ ...row, scopes: [...new Set(row.scopes.flatMap(listOf))] }))
  }

  /**
   * Takes back what a user allowed a client: it is asked for again, and the client's sessions, refresh tokens
   * and API access in their name end. Answers the scopes that were taken back; none when there was nothing to
   * take back.
   */
  async withdraw(userId: string, clientId: string): Promise<readonly string[]> {
    const consent = (await this.list(userId)).find((one) => one.clientId === clientId)
    if (!consent) return []
    const client = await this.clients.find(clientId)
    await UnitOfWork.run(async () => {
      const revoked = await this.database.query<{ id: string; type: string }>(sql`
        update "OpenIddictAuthorizations" set "Status" = 'revoked'
        where "ApplicationId" = ${client?.id ?? null} and "Status" = 'valid' and "Subject" = ${userId} and "Type" in ('permanent', 'ad-hoc')
        returning "Id" as id, "Type" as type`)
      // Grants are sessions by the same id.
      await this.sessions.end(...revoked.filter(({ type }) => type === 'ad-hoc').map(({ id }) => id))
    })
    return consent.scopes
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

/** True for a client whose users are asked for consent. */
export function asksForConsent(client: Client): boolean {
  return client[consentMember] !== 'implicit'
}
