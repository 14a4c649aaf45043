import { Injectable } from '@keel/framework'
import { EventHandler } from '@keel/framework/events'
import { OrganizationMergedEto } from '@keel/hub/contracts'
import { RowsOfOrganizations } from '../persistence/rows-of-organizations.js'
import { RateCardStore } from '../persistence/stores.js'
import { Expiry } from './expiry.js'

/**
 * Gives what Pricing has of an organization to the one that it was merged into (domain model, section 6.5). The event is handled exactly once; what is
 * made for the organization that went while the event is on its way stays with it.
 */
@Injectable()
export class MergedOrganizations {
  constructor(
    private readonly rows: RowsOfOrganizations,
    private readonly cards: RateCardStore,
    private readonly expiry: Expiry,
  ) {}

  @EventHandler(OrganizationMergedEto)
  async follow({ entityId: id, reference: code, name, sourceId, sourceCode }: OrganizationMergedEto) {
    // Customers have one price, and the organization that stays keeps its own.
    for (const card of await this.cards.sellingBeside(id, sourceId))
      await this.expiry.expireCard(card, `${sourceCode} → ${code}`)
    await this.rows.move(sourceId, { id, code, name })
  }
}
