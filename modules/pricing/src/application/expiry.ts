import { randomUUID } from 'node:crypto'
import { Clock, Injectable, Logger } from '@keel/framework'
import { RecurringJob } from '@keel/framework/jobs'
import { RateCardExpiredEto, RateCardStatus } from '../contracts/index.js'
import { QuoteStore, RateCardStore } from '../persistence/stores.js'
import { QuoteChanges } from './quote-changes.js'

/** Ends quotes and rate cards whose last day is over. */
@Injectable()
export class Expiry {
  constructor(
    private readonly quotes: QuoteStore,
    private readonly cards: RateCardStore,
    private readonly changes: QuoteChanges,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  @RecurringJob('7 0 * * *')
  async expire(): Promise<void> {
    const today = this.clock.now.toISOString().slice(0, 10)
    const quotes = await this.quotes.endedBefore(today)
    for (const quote of quotes) await this.changes.perform(quote, 'expire')
    const cards = await this.cards.endedBefore(today)
    for (const card of cards) {
      const { id: entityId, reference, version, validTo } = card
      const occurrence = { eventId: randomUUID(), occurredAt: this.clock.now, entityId, userId: null }
      card.raise(new RateCardExpiredEto({ ...occurrence, reference, version, validTo }))
      await this.cards.update(card, { status: RateCardStatus.Expired })
    }
    if (quotes.length || cards.length)
      this.logger.info({ quotes: quotes.length, cards: cards.length }, 'quotes and rate cards expired')
  }
}
