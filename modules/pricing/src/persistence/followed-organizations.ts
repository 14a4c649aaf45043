import { Injectable } from '@keel/framework'
import { Locks, StoreOf, Stores, sql } from '@keel/framework/data'
import { FollowedOrganization } from '../domain/followed-organization.js'
import { MarginRule } from '../domain/margin-rule.js'
import { Quote, ShipmentCharge } from '../domain/quote.js'
import { RateCard } from '../domain/rate-card.js'

/** Held by whoever writes what Hub told of organizations and ports into rows: two at once would wait for each other's quotes. */
export const followLock = 'Pricing.FollowedHub'

/** What Hub told of an organization at an instant. */
export interface ToldOrganization {
  readonly id: string
  readonly code: string
  /** The full name; not told when undefined. */
  readonly name?: string | null | undefined
  readonly at: Date
}

/** The organizations whose codes changed or that merges were about. */
@Injectable()
export class FollowedOrganizationStore extends StoreOf(FollowedOrganization) {}

/** Keeps what Hub tells of organizations, and writes it into all rows that belong to them. Methods run in the unit of work at hand. */
@Injectable()
export class OrganizationsOfRows {
  constructor(
    private readonly followed: FollowedOrganizationStore,
    private readonly stores: Stores,
    private readonly locks: Locks,
  ) {}

  /** Takes what Hub tells one after the other: of a merge, and of the next one into a third organization, the second sees what the first one wrote. */
  async lock(): Promise<void> {
    await this.locks.hold(followLock, { database: this.followed.database })
  }

  /** Notes that an organization was there with a code. What was told of a later time stays; a merge that was told of an earlier time is over: the organization was restored. */
  async noteCode({ id, code, name, at }: ToldOrganization): Promise<void> {
    const known = await this.followed.find(id)
    if (!known) {
      await this.followed.insert({ id, code, codeTime: at, name: name ?? null })
      return
    }
    const isRestored = known.mergeTime !== null && known.mergeTime < at
    await this.followed.update(known, {
      ...(known.codeTime <= at && { code, codeTime: at, ...(name && { name }) }),
      ...(isRestored && { mergedIntoId: null, mergeTime: null }),
    })
  }

  /** Notes that an organization was merged into another one, unless something later was told of it. */
  async noteMerge(source: ToldOrganization, targetId: string): Promise<void> {
    await this.noteCode(source)
    const known = await this.followed.get(source.id)
    if (known.codeTime <= source.at && (known.mergeTime === null || known.mergeTime <= source.at))
      await this.followed.update(known, { mergedIntoId: targetId, mergeTime: source.at })
  }

  /** The organization that has what is an organization's: itself, or the last one of those that it was merged into. Undefined when nothing was told of it. */
  async survivorOf(id: string): Promise<FollowedOrganization | undefined> {
    const passed = new Set<string>()
    let found = await this.followed.find(id)
    while (found?.mergedIntoId && !passed.has(found.id)) {
      passed.add(found.id)
      found = await this.followed.find(found.mergedIntoId)
    }
    return found
  }

  /** Gives all that one organization has to another one. */
  async move(sourceId: string, { id, code, name }: FollowedOrganization): Promise<void> {
    const isOfSource = sql`t."OrganizationId" = ${sourceId}`
    const held = { organizationId: id, organizationCode: code }
    await this.stores.of(RateCard).updateEveryWhere(isOfSource, held)
    await this.stores.of(MarginRule).updateEveryWhere(isOfSource, held)
    await this.stores
      .of(Quote)
      .updateEveryWhere(isOfSource, { ...held, ...(name && { organizationName: name }) })
    const charges = this.stores.of(ShipmentCharge)
    await charges.updateEveryWhere(sql`t."DebtorOrganizationId" = ${sourceId}`, { debtorOrganizationId: id })
    await charges.updateEveryWhere(sql`t."CreditorOrganizationId" = ${sourceId}`, {
      creditorOrganizationId: id,
    })
  }

  /** Writes the code of an organization into those of its rows that have another one. */
  async recode({ id, code: organizationCode }: FollowedOrganization): Promise<void> {
    const hasOther = sql`t."OrganizationId" = ${id} and t."OrganizationCode" is distinct from ${organizationCode}`
    await this.stores.of(RateCard).updateEveryWhere(hasOther, { organizationCode })
    await this.stores.of(MarginRule).updateEveryWhere(hasOther, { organizationCode })
    await this.stores.of(Quote).updateEveryWhere(hasOther, { organizationCode })
  }
}
