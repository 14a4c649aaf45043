import type { Clock } from '@keel/framework'
import { type Database, newStamp, type Sql, sql } from '@keel/framework/data'
import type { Impersonators, SessionSource } from '@keel/framework/security'
import type { Sessions } from '@keel/identity/contracts'
import type { AdapterPayload } from 'oidc-provider'
import type { Clients } from '../clients/clients.js'
import { type GrantImpersonator, impersonatorMember } from '../grants/grants.js'
import { requestMemory, type StoredGrant } from './request-memory.js'
import { expiryOf, payloadText, preparedStatement, RowAdapter, rowIdOf } from './row-adapter.js'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Grants in `OpenIddictAuthorizations`. Their ids are GUIDs and no secrets: access tokens carry them. A grant
 * whose session has ended or was idle too long is gone, and with a grant its session ends. Finding a grant is
 * a use of its session.
 */
export class GrantRows extends RowAdapter {
  constructor(
    private readonly database: Database,
    private readonly clients: Clients,
    private readonly sessions: Sessions,
    private readonly liveSessions: SessionSource,
    private readonly impersonators: Impersonators,
  ) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const { clientId, accountId } = payload
    const { scope } = (payload.openid ?? {}) as { scope?: string }
    const client = await this.clients.find(clientId ?? '')
    const scopes = JSON.stringify(scope?.split(' ') ?? [])
    await this.database.execute(
      preparedStatement(
        'save-grant',
        sql`insert into "OpenIddictAuthorizations" ("Id", "ApplicationId", "CreationDate", "Properties", "Scopes", "Status", "Subject", "Type",
              "ExtraProperties", "ConcurrencyStamp")
            values (${id}, ${client?.id ?? null}, ${new Date()}, ${payloadText(payload)}, ${scopes}, 'valid', ${accountId ?? null}, 'ad-hoc', '{}', ${newStamp()})
            on conflict ("Id") do update set "Properties" = excluded."Properties", "Scopes" = excluded."Scopes",
              "ConcurrencyStamp" = excluded."ConcurrencyStamp"`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (!guid.test(id)) return undefined
    const found = await this.loadGrant(id)
    if (found === undefined) return undefined
    const payload = { ...(JSON.parse(found.payload) as AdapterPayload), jti: id }
    // The session of a grant that is being made begins after it.
    if (!payload.accountId) return payload
    const isLive = found.isLive ?? (await this.liveSessions.isLive(id, payload.accountId))
    const goesOn = isLive && (await this.isImpersonatorLive(payload)) && (await this.liveSessions.use(id))
    return goesOn ? payload : undefined
  }

  /** Found with its token already, as a rule. Only once: what the request itself changes is read again. */
  private async loadGrant(id: string): Promise<StoredGrant | undefined> {
    const grants = requestMemory()?.grants
    const known = grants?.get(id)
    if (grants?.delete(id)) return known
    const [row] = await this.database.query<StoredGrant>(
      preparedStatement(
        'find-grant',
        sql`select "Properties" as payload from "OpenIddictAuthorizations" where "Id" = ${id} and "Status" = 'valid' and "Type" = 'ad-hoc'`,
      ),
    )
    return row
  }

  /** An impersonator acts from a session of their own, and only as long as that and the right to act last. */
  private async isImpersonatorLive(payload: AdapterPayload): Promise<boolean> {
    const impersonator = payload[impersonatorMember] as GrantImpersonator | undefined
    if (!impersonator) return true
    const { sessionId, userId, delegation } = impersonator
    const mayAct = delegation
      ? delegation.until > Date.now()
      : !(await this.impersonators.refusalOf(userId, payload.accountId ?? ''))
    if (!mayAct) return false
    return (await this.liveSessions.isLive(sessionId, userId)) && this.liveSessions.use(sessionId)
  }

  override async destroy(id: string): Promise<void> {
    await this.sessions.end(id)
    await this.database.execute(
      sql`update "OpenIddictAuthorizations" set "Status" = 'revoked' where "Id" = ${id}`,
    )
  }
}

/** The last use of a browser is noted to within this time. */
const noteUseEveryMs = 10_000

/**
 * Browsers that are signed in, in `AuthSessions`. One that was idle for too long, with all sessions that were
 * begun in it, is signed in no more, unless the person wants to be remembered in it.
 */
export class SessionRows extends RowAdapter {
  constructor(
    private readonly database: Database,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.database.execute(
      preparedStatement(
        'save-session',
        sql`insert into "AuthSessions" ("Id", "Uid", "Subject", "Payload", "ExpirationTime", "LastAccessed")
            values (${rowIdOf('Session', id)}, ${payload.uid ?? ''}, ${payload.accountId ?? null}, ${payloadText(payload)}, ${expiryOf(expiresIn)},
              ${this.clock.now})
            on conflict ("Id") do update set "Uid" = excluded."Uid", "Subject" = excluded."Subject", "Payload" = excluded."Payload",
              "ExpirationTime" = excluded."ExpirationTime", "LastAccessed" = excluded."LastAccessed"`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const rowId = rowIdOf('Session', id)
    const found = await this.loadBrowser(sql`"Id" = ${rowId}`, 'find-session')
    if (!found) return undefined
    const payload = JSON.parse(found.payload) as AdapterPayload
    if (payload.accountId && !(await this.use(rowId, payload, found.lastAccessed))) return undefined
    return { ...payload, jti: id }
  }

  /** Notes that a browser is used; whether it is still signed in. */
  private async use(rowId: string, payload: AdapterPayload, lastAccessed: Date | null): Promise<boolean> {
    const { uid = '', loginTs, transient, authorizations = {} } = payload
    const lastUsed = lastAccessed ?? new Date(Number(loginTs ?? 0) * 1000)
    const sessionIds = Object.values(authorizations as Authorizations).map(({ grantId }) => grantId ?? '')
    if (transient && (await this.sessions.isIdle({ uid, sessionIds }, lastUsed))) return false
    if (this.clock.nowMs - lastUsed.getTime() > noteUseEveryMs)
      await this.database.execute(
        preparedStatement(
          'use-session',
          sql`update "AuthSessions" set "LastAccessed" = ${this.clock.now} where "Id" = ${rowId}`,
        ),
      )
    return true
  }

  /** Without the id, which the uid does not tell: enough to compare with, not to change the session. */
  override async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const found = await this.loadBrowser(sql`"Uid" = ${uid}`, 'find-session-by-uid')
    return found && (JSON.parse(found.payload) as AdapterPayload)
  }

  override async destroy(id: string): Promise<void> {
    await this.database.execute(sql`delete from "AuthSessions" where "Id" = ${rowIdOf('Session', id)}`)
  }

  private async loadBrowser(condition: Sql, name: string): Promise<StoredBrowser | undefined> {
    const [row] = await this.database.query<StoredBrowser>(
      preparedStatement(
        name,
        sql`select "Payload" as payload, "LastAccessed" as "lastAccessed" from "AuthSessions" where ${condition}`,
      ),
    )
    return row
  }
}

interface StoredBrowser {
  /** JSON. */
  readonly payload: string
  readonly lastAccessed: Date | null
}

/** The grants of the clients that a browser let in, by their ids. */
type Authorizations = Readonly<Record<string, { readonly grantId?: string }>>

/** Sign-ins under way, in `AuthInteractions`. */
export class InteractionRows extends RowAdapter {
  constructor(private readonly database: Database) {
    super()
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    await this.database.execute(
      preparedStatement(
        'save-interaction',
        sql`insert into "AuthInteractions" ("Id", "Payload", "ExpirationTime") values (${rowIdOf('Interaction', id)}, ${payloadText(payload)}, ${expiryOf(expiresIn)})
            on conflict ("Id") do update set "Payload" = excluded."Payload", "ExpirationTime" = excluded."ExpirationTime"`,
      ),
    )
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.query<{ payload: string }>(
      preparedStatement(
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
