import { Injectable } from '@keel/framework'
import { Locks, StoreOf, Stores, sql } from '@keel/framework/data'
import { FollowedPort } from '../domain/followed-port.js'
import { Quote, QuoteOption } from '../domain/quote.js'
import { RateLane } from '../domain/rate-card.js'
import { RateZoneMember } from '../domain/rate-zone.js'
import { followLock } from './followed-organizations.js'

/** The ports whose codes changed. */
@Injectable()
export class FollowedPortStore extends StoreOf(FollowedPort) {}

/** Keeps what Hub tells of the codes of ports, and writes it into all rows that name ports. Methods run in the unit of work at hand. */
@Injectable()
export class PortsOfRows {
  constructor(
    private readonly followed: FollowedPortStore,
    private readonly stores: Stores,
    private readonly locks: Locks,
  ) {}

  /** Takes what Hub tells one after the other. */
  async lock(): Promise<void> {
    await this.locks.hold(followLock, { database: this.followed.database })
  }

  /** Notes the code that a port had from an instant on, unless a later one is known. */
  async noteCode(id: string, unLocode: string, codeTime: Date): Promise<void> {
    const known = await this.followed.find(id)
    if (!known) await this.followed.insert({ id, unLocode, codeTime })
    else if (known.codeTime <= codeTime) await this.followed.update(known, { unLocode, codeTime })
  }

  /** The code that Hub told last of a port; undefined when it told none. */
  async codeOf(id: string): Promise<string | undefined> {
    return (await this.followed.find(id))?.unLocode
  }

  /** Writes the code of a port into all rows that name it by another one and were made up to an instant. Later ones name a port that got that code since. */
  async recode(before: string, code: string, until: Date): Promise<void> {
    if (before === code) return
    const isBefore = sql`t."CreationTime" <= ${until}`
    const members = this.stores.of(RateZoneMember)
    const both = sql`t."UnLocode" = ${before} and ${isBefore} and exists (select from "PricingRateZoneMembers" same
      where same."RateZoneId" = t."RateZoneId" and same."UnLocode" = ${code} and same."IsDeleted" = false)`
    for (const member of await members.everyWhere(both)) await members.remove(member)
    await members.updateEveryWhere(sql`t."UnLocode" = ${before} and ${isBefore}`, { unLocode: code })
    const lanes = this.stores.of(RateLane)
    await lanes.updateEveryWhere(sql`t."OriginUnLocode" = ${before} and ${isBefore}`, {
      originUnLocode: code,
    })
    await lanes.updateEveryWhere(sql`t."DestinationUnLocode" = ${before} and ${isBefore}`, {
      destinationUnLocode: code,
    })
    await lanes.updateEveryWhere(sql`t."ViaUnLocode" = ${before} and ${isBefore}`, { viaUnLocode: code })
    const quotes = this.stores.of(Quote)
    await quotes.updateEveryWhere(sql`t."OriginUnLocode" = ${before} and ${isBefore}`, {
      originUnLocode: code,
    })
    await quotes.updateEveryWhere(sql`t."DestinationUnLocode" = ${before} and ${isBefore}`, {
      destinationUnLocode: code,
    })
    await this.stores
      .of(QuoteOption)
      .updateEveryWhere(sql`t."ViaUnLocode" = ${before} and ${isBefore}`, { viaUnLocode: code })
  }
}
