import { createHash, randomBytes } from 'node:crypto'
import { ForbiddenError, TooManyRequestsError } from '../../contracts/index.js'
import type { Database } from '../../data/connections/database.js'
import { Databases } from '../../data/connections/databases.js'
import { Locks } from '../../data/connections/locks.js'
import { UnitOfWork } from '../../data/connections/unit-of-work.js'
import { sequentialGuid } from '../../data/entities/guid.js'
import { sql } from '../../data/wire/sql.js'
import { ambient } from '../../modularity/ambient.js'
import { Application } from '../../modularity/application.js'
import { Injectable } from '../../modularity/injectable.js'
import type { TokenClaims } from '../../security/principals.js'
import { TokenVerifier } from '../../security/token-verifier.js'
import { LiveEventSettings } from './live-settings.js'
import { LiveTicket } from './live-ticket.js'

/** The most tickets of a person that wait to be used. */
const mostWaiting = 20
/** Expired tickets that an issued one takes away. */
const mostSwept = 50

/**
 * Tickets that open an event stream once, within some seconds, at any copy of the host: browsers can send no headers with a stream, and a token has no
 * place in an address.
 */
@Injectable()
export class LiveTickets {
  private readonly database: Database
  private readonly seconds: number

  constructor(
    private readonly application: Application,
    private readonly tokens: TokenVerifier,
    private readonly locks: Locks,
    databases: Databases,
  ) {
    this.database = databases.of(LiveTicket)
    this.seconds = application.configuration.read(LiveEventSettings).ticketSeconds
  }

  /**
   * Issues a ticket for the caller's token. Throws `ForbiddenError` for API keys and clients, which have no browser, and `TooManyRequestsError` while
   * {@link mostWaiting} tickets of the caller wait.
   */
  async issue(): Promise<{ readonly ticket: string; readonly expirationTime: Date }> {
    const { principal, authorization } = ambient()
    const token = authorization?.replace(/^Bearer /, '')
    if (principal.kind !== 'user' || principal.authenticationType !== 'Bearer' || !token)
      throw new ForbiddenError()
    const claims = this.tokens.known(token) ?? (await this.tokens.verify(token))
    const { userId } = principal
    if (!claims || !userId) throw new ForbiddenError()
    const ticket = randomBytes(32).toString('base64url')
    const { now } = this.application.clock
    const expirationTime = new Date(now.getTime() + this.seconds * 1000)
    const issued = await UnitOfWork.run(async () => {
      // Of tickets that are asked for at once none would be counted by the others.
      await this.locks.hold(`Keel.LiveTickets ${userId}`, { database: this.database })
      return this.database.execute(sql`
        with swept as (
          delete from "KeelLiveTickets" where "Id" in (
            select "Id" from "KeelLiveTickets" where "ExpirationTime" <= ${now} limit ${mostSwept} for update skip locked))
        insert into "KeelLiveTickets" ("Id", "UserId", "Digest", "Claims", "ExpirationTime")
        select ${sequentialGuid()}, ${userId}, ${digestOf(ticket)}, ${JSON.stringify(claims)}, ${expirationTime}
        where (select count(*) from "KeelLiveTickets" where "UserId" = ${userId} and "ExpirationTime" > ${now}) < ${mostWaiting}`)
    })
    if (issued === 0) throw new TooManyRequestsError(this.seconds)
    return { ticket, expirationTime }
  }

  /** Consumes a ticket. Answers the claims of its token; undefined for one that is unknown, used or expired. */
  async take(ticket: string): Promise<TokenClaims | undefined> {
    const [taken] = await this.database.query<{ claims: string; expirationTime: Date }>(sql`
      delete from "KeelLiveTickets" where "Digest" = ${digestOf(ticket)}
      returning "Claims" as claims, "ExpirationTime" as "expirationTime"`)
    if (!taken || taken.expirationTime.getTime() <= this.application.clock.nowMs) return undefined
    return JSON.parse(taken.claims) as TokenClaims
  }
}

const digestOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex')
