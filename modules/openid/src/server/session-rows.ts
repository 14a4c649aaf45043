import { type Database, newStamp, sql } from '@keel/framework/data'
import type { SessionSource } from '@keel/framework/security'
import type { Sessions } from '@keel/identity/contracts'
import type { AdapterPayload } from 'oidc-provider'
import type { Clients } from './clients.js'
import { type GrantImpersonator, impersonatorMember } from './grants.js'
import { requestMemory, type StoredGrant } from './request-memory.js'
import { expiryOf, prepared, RowAdapter, rowIdOf, stored } from './row-adapter.js'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Grants in `OpenIddictAuthorizations`. Their ids are GUIDs and no secrets: access tokens carry them. A grant whose session has ended is
 * gone, and with a grant its session ends.
 */
export class GrantRows extends RowAdapter {
  constructor(
    private readonly database: Database,
    private readonly clients: Clients,
    private readonly sessions: Sessions,
    private readonly liveSessions: SessionSource,
  ) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const { clientId, accountId } = payload
    const { scope } = (payload.openid ?? {}) as { scope?: string }
    const client = await this.clients.find(clientId ?? '')
    const scopes = JSON.stringify(scope?.split(' ') ?? [])
    await this.database.execute(
      prepared(
        'save-grant',
        sql`insert into "OpenIddictAuthorizations" ("Id", "ApplicationId", "CreationDate", "Properties", "Scopes", "Status", "Subject", "Type",
              "ExtraProperties", "ConcurrencyStamp")
            values (${id}, ${client?.id ?? null}, ${new Date()}, ${stored(payload)}, ${scopes}, 'valid', ${accountId ?? null}, 'ad-hoc', '{}', ${newStamp()})
            on conflict ("Id") do update set "Properties" = excluded."Properties", "Scopes" = excluded."Scopes",
              "ConcurrencyStamp" = excluded."ConcurrencyStamp"`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (!guid.test(id)) return undefined
    const found = await this.storedWith(id)
    if (found === undefined) return undefined
    const payload = { ...(JSON.parse(found.payload) as AdapterPayload), jti: id }
    // The session of a grant that is being made begins after it.
    if (!payload.accountId) return payload
    const isLive = found.isLive ?? (await this.liveSessions.isLive(id, payload.accountId))
    return isLive && (await this.isImpersonatorLive(payload)) ? payload : undefined
  }

  /** Found with its token already, as a rule. Only once: what the request itself changes is read again. */
  private async storedWith(id: string): Promise<StoredGrant | undefined> {
    const grants = requestMemory()?.grants
    const known = grants?.get(id)
    if (grants?.delete(id)) return known
    const [row] = await this.database.query<StoredGrant>(
      prepared(
        'find-grant',
        sql`select "Properties" as payload from "OpenIddictAuthorizations" where "Id" = ${id} and "Status" = 'valid' and "Type" = 'ad-hoc'`,
      ),
    )
    return row
  }

  /** Who acts as somebody else does so from a session of their own, and only while that goes on. */
  private async isImpersonatorLive(payload: AdapterPayload): Promise<boolean> {
    const impersonator = payload[impersonatorMember] as GrantImpersonator | undefined
    if (impersonator?.delegation && impersonator.delegation.until <= Date.now()) return false
    return !impersonator || this.liveSessions.isLive(impersonator.sessionId, impersonator.userId)
  }

  override async destroy(id: string): Promise<void> {
    await this.sessions.end(id)
    await this.database.execute(
      sql`update "OpenIddictAuthorizations" set "Status" = 'revoked' where "Id" = ${id}`,
    )
  }
}

/** Browsers that are signed in, in `AuthSessions`. */
export class SessionRows extends RowAdapter {
  constructor(private readonly database: Database) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.database.execute(
      prepared(
        'save-session',
        sql`insert into "AuthSessions" ("Id", "Uid", "Subject", "Payload", "ExpirationTime")
            values (${rowIdOf('Session', id)}, ${payload.uid ?? ''}, ${payload.accountId ?? null}, ${stored(payload)}, ${expiryOf(expiresIn)})
            on conflict ("Id") do update set "Uid" = excluded."Uid", "Subject" = excluded."Subject", "Payload" = excluded."Payload",
              "ExpirationTime" = excluded."ExpirationTime"`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await this.payload(sql`"Id" = ${rowIdOf('Session', id)}`, 'find-session')
    return payload && { ...payload, jti: id }
  }

  /** Without the id, which nobody can tell from the uid: enough to compare with, not to change the session. */
  override async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.payload(sql`"Uid" = ${uid}`, 'find-session-by-uid')
  }

  override async destroy(id: string): Promise<void> {
    await this.database.execute(sql`delete from "AuthSessions" where "Id" = ${rowIdOf('Session', id)}`)
  }

  private async payload(
    condition: ReturnType<typeof sql>,
    name: string,
  ): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.query<{ payload: string }>(
      prepared(name, sql`select "Payload" as payload from "AuthSessions" where ${condition}`),
    )
    return row && (JSON.parse(row.payload) as AdapterPayload)
  }
}

/** Sign-ins under way, in `AuthInteractions`. */
export class InteractionRows extends RowAdapter {
  constructor(private readonly database: Database) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.database.execute(
      prepared(
        'save-interaction',
        sql`insert into "AuthInteractions" ("Id", "Payload", "ExpirationTime") values (${rowIdOf('Interaction', id)}, ${stored(payload)}, ${expiryOf(expiresIn)})
            on conflict ("Id") do update set "Payload" = excluded."Payload", "ExpirationTime" = excluded."ExpirationTime"`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.query<{ payload: string }>(
      prepared(
        'find-interaction',
        sql`select "Payload" as payload from "AuthInteractions" where "Id" = ${rowIdOf('Interaction', id)}`,
      ),
    )
    return row && { ...(JSON.parse(row.payload) as AdapterPayload), jti: id }
  }

  override async destroy(id: string): Promise<void> {
    await this.database.execute(
      sql`delete from "AuthInteractions" where "Id" = ${rowIdOf('Interaction', id)}`,
    )
  }
}
