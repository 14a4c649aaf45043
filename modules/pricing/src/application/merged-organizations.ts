import { randomUUID } from 'node:crypto'
import { Clock, Injectable } from '@keel/framework'
import { EventHandler } from '@keel/framework/events'
import { OrganizationMergedEto } from '@keel/hub/contracts'
import { RateCardExpiredEto, RateCardStatus } from '../contracts/index.js'
import { RowsOfOrganizations } from '../persistence/rows-of-organizations.js'
import { RateCardStore } from '../persistence/stores.js'

/**
 * Gives what Pricing has of an organization to the one that it was merged into (domain model, section 6.5). The event is handled exactly once; what is
 * made for the organization that went while the event is on its way stays with it.
 */
@Injectable()
export class MergedOrganizations {
  constructor(
    private readonly rows: RowsOfOrganizations,
    private readonly cards: RateCardStore,
    private readonly clock: Clock,
  ) {}

  @EventHandler(OrganizationMergedEto)
  async follow({ entityId: id, reference: code, name, sourceId, sourceCode }: OrganizationMergedEto) {
    await this.endCardsBeside(id, sourceId, `${sourceCode} → ${code}`)
    await this.rows.move(sourceId, { id, code, name })
  }

  /**
   * Ends the selling cards of the organization that went which would stand beside one of the organization that stays: customers have one price, and that
   * organization keeps its own.
   */
  private async endCardsBeside(id: string, sourceId: string, statusReason: string): Promise<void> {
    for (const card of await this.cards.sellingBeside(id, sourceId)) {
      const { id: entityId, reference, version, validTo } = card
      const occurrence = { eventId: randomUUID(), occurredAt: this.clock.now, entityId, userId: null }
      card.raise(new RateCardExpiredEto({ ...occurrence, reference, version, validTo }))
      await this.cards.update(card, { status: RateCardStatus.Expired, statusReason })
    }
  }
}
