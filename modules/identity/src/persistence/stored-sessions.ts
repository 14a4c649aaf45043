import { Application, ambient, Clock, Provides, Settings } from '@keel/framework'
import { EntityNotFoundError, pageOf } from '@keel/framework/contracts'
import {
  and,
  type Database,
  Databases,
  entityMeta,
  JsonView,
  PageReader,
  type Sql,
  sequentialGuid,
  sessionOfCaller,
  sql,
  UnitOfWork,
} from '@keel/framework/data'
import {
  type BegunBrowser,
  BrowserSessions,
  type GetIdentitySessionListInput,
  IdentitySessionDto,
  type NewSession,
  type RequestOrigin,
  type SecurityAction,
  SecurityActions,
  SecurityEvents,
  type SessionPage,
  SessionSettings,
  Sessions,
} from '../contracts/index.js'
import { IdentitySession } from '../domain/session.js'
import { IdleSessions } from './idle-sessions.js'

const view = new JsonView(IdentitySession, IdentitySessionDto, {
  members: (t) => ({
    isCurrent: sql`${t}."SessionId" is not distinct from ${sessionOfCaller}::text`,
    tenantName: sql`null::text`,
    userName: sql`(select u."UserName" from "AbpUsers" u where u."Id" = ${t}."UserId")`,
    ipAddresses: sql`coalesce(string_to_array(${t}."IpAddresses", ','), array[]::text[])`,
  }),
  sortBy: ['signedIn', 'lastAccessed', 'device', 'deviceInfo', 'clientId'],
})
const Page = pageOf(IdentitySessionDto)

/** Sessions in `AbpSessions`. */
@Provides(Sessions)
export class StoredSessions implements Sessions {
  private readonly database: Database
  private readonly browsers: BrowserSessions | undefined

  constructor(
    databases: Databases,
    application: Application,
    private readonly settings: Settings,
    private readonly events: SecurityEvents,
    private readonly idle: IdleSessions,
    private readonly clock: Clock,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(IdentitySession)
    this.browsers = application.find(BrowserSessions)
  }

  async begin(session: NewSession): Promise<void> {
    const behaviour = await this.settings.valueOf(SessionSettings.PreventConcurrentLogin.name)
    if (behaviour === 'Disabled' || session.isInOthersHands) {
      await this.add(session)
      return this.endOldest(session.userId)
    }
    await UnitOfWork.run(async () => {
      // One sign-in of a user after the other: of two at once, neither would see the other's session.
      await this.database.execute(
        sql`select from "AbpUsers" where "Id" = ${session.userId} for no key update`,
      )
      await this.add(session)
      await this.endOlder(session, behaviour === 'LogoutFromSameTypeDevices')
    })
  }

  private async add({
    sessionId,
    device,
    userId,
    origin,
    delegationId,
    isRemembered,
  }: NewSession): Promise<void> {
    const address = addressOf(origin)
    const extraProperties = {
      ...(delegationId && { UserDelegationId: delegationId }),
      ...(isRemembered && { RememberMe: true }),
    }
    await this.database.execute(sql`
      insert into "AbpSessions" ("Id", "SessionId", "Device", "DeviceInfo", "UserId", "ClientId", "IpAddresses", "SignedIn", "ExtraProperties")
      values (${sequentialGuid()}, ${sessionId}, ${device}, ${origin?.browser?.slice(0, 256) ?? null}, ${userId},
        ${origin?.clientId?.slice(0, 64) ?? null}, ${address}, ${this.now()}, ${JSON.stringify(extraProperties)})
      on conflict ("SessionId") do nothing`)
  }

  /** Ends the sessions beyond the limit, those that were used longest ago first. */
  private async endOldest(userId: string): Promise<void> {
    const most = Number(await this.settings.valueOf(SessionSettings.MaxSessionsPerUser.name))
    const ended = await this.database.query<{ sessionId: string }>(sql`
      delete from "AbpSessions" where "Id" in (
        select "Id" from "AbpSessions" where "UserId" = ${userId}
        order by coalesce("LastAccessed", "SignedIn") desc, "Id" desc offset ${most})
      returning "SessionId" as "sessionId"`)
    for (const { sessionId } of ended) await this.browsers?.end(userId, sessionId)
  }

  /** Ends what a session that begins leaves no room for. */
  private async endOlder(
    { sessionId, device, userId, browser }: NewSession,
    onlySameDevice: boolean,
  ): Promise<void> {
    const staying = [sessionId, ...(browser?.sessionIds ?? [])]
    await this.database.execute(sql`
      delete from "AbpSessions"
      where "UserId" = ${userId} and not "SessionId" = any(${staying}::text[])
        and ${onlySameDevice ? sql`"Device" = ${device}` : sql`true`}`)
    if (!onlySameDevice || device === 'Web') await this.browsers?.endAll(userId, browser?.uid)
    UnitOfWork.current?.changed(this.database, entityMeta(IdentitySession).table)
  }

  async touch(sessionId: string, origin?: RequestOrigin): Promise<void> {
    await this.database.execute(sql`
      update "AbpSessions" set "LastAccessed" = ${this.now()}, "IpAddresses" = ${withAddress(addressOf(origin))} where "SessionId" = ${sessionId}`)
  }

  async remember(sessionId: string, isRemembered: boolean): Promise<void> {
    await this.database.execute(sql`
      update "AbpSessions" set "ExtraProperties" =
        (coalesce(nullif("ExtraProperties", ''), '{}')::jsonb - 'RememberMe' || ${isRemembered ? '{"RememberMe":true}' : '{}'}::jsonb)::text
      where "SessionId" = ${sessionId}`)
  }

  async isIdle({ sessionIds }: BegunBrowser, lastUsed: Date): Promise<boolean> {
    const limitMs = await this.idle.limitMs()
    if (limitMs === undefined || this.clock.nowMs - lastUsed.getTime() <= limitMs) return false
    return !(await this.idle.anyInUse(sessionIds, limitMs))
  }

  async end(...sessionIds: readonly string[]): Promise<void> {
    await this.database.execute(sql`delete from "AbpSessions" where "SessionId" = any(${sessionIds}::text[])`)
    UnitOfWork.current?.changed(this.database, entityMeta(IdentitySession).table)
  }

  async endDelegated(userId: string, delegationId: string): Promise<void> {
    await this.database.execute(sql`
      delete from "AbpSessions" where "UserId" = ${userId} and nullif("ExtraProperties", '')::jsonb ->> 'UserDelegationId' = ${delegationId}`)
    UnitOfWork.current?.changed(this.database, entityMeta(IdentitySession).table)
  }

  getList({ userId, device, clientId, ...page }: GetIdentitySessionListInput): Promise<SessionPage> {
    const equal = { userId, device, clientId }
    return this.pages.page(Page, view, { ...page, defaultSorting: 'signedIn desc', equal })
  }

  async get(id: string, userId?: string): Promise<IdentitySessionDto> {
    const where = and([sql`t."Id" = ${id}`, userId ? sql`t."UserId" = ${userId}` : undefined])
    const found = await this.pages.find(IdentitySessionDto, view, where)
    if (!found) throw new EntityNotFoundError('IdentitySession', id)
    return found
  }

  async revoke(id: string, userId?: string): Promise<void> {
    const { sessionId, userId: ownerId } = await this.get(id, userId)
    await this.end(sessionId)
    await this.browsers?.end(ownerId, sessionId)
    await this.note(SecurityActions.EndSession, ownerId)
  }

  async endOthers(userId: string): Promise<void> {
    const { userId: callerId, sessionId, impersonator } = ambient().principal
    const isOwn = callerId === userId && !impersonator && sessionId !== undefined
    // A browser is found by each of its sessions as well as by its own name.
    await this.endAll(userId, isOwn ? { uid: sessionId, sessionIds: [sessionId] } : undefined)
  }

  async endAll(userId: string, kept?: BegunBrowser): Promise<void> {
    await UnitOfWork.run(async () => {
      const ended = await this.database.execute(
        sql`delete from "AbpSessions" where "UserId" = ${userId} and not "SessionId" = any(${kept?.sessionIds ?? []}::text[])`,
      )
      await this.browsers?.endAll(userId, kept?.uid)
      UnitOfWork.current?.changed(this.database, entityMeta(IdentitySession).table)
      if (ended > 0) UnitOfWork.current?.onCommitted(() => this.note(SecurityActions.EndAllSessions, userId))
    })
  }

  private now(): Sql {
    return sql`${this.clock.now}::timestamptz at time zone 'utc'`
  }

  /** With who did it, when it was somebody else. */
  private async note(action: SecurityAction, userId: string): Promise<void> {
    const { userId: by, userName: byName } = ambient().principal
    const isOther = by !== undefined && by !== userId
    const extraProperties = isOther ? { EndedByUserId: by, EndedByUserName: byName ?? '' } : undefined
    await this.events.write({ action, userId, ...(extraProperties && { extraProperties }) })
  }
}

const addressOf = (origin: RequestOrigin | undefined): string | null =>
  origin?.ipAddress?.slice(0, 64) ?? null

/** The addresses of a session with one more in front, at most ten of them. */
function withAddress(address: string | null): Sql {
  return sql`case when ${address}::text is null then "IpAddresses" else array_to_string(
    (array_prepend(${address}::text, array_remove(string_to_array(coalesce("IpAddresses", ''), ','), ${address}::text)))[1:10], ',') end`
}
