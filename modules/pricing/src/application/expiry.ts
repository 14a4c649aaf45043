import { randomUUID } from 'node:crypto'
import { Clock, Injectable, Logger } from '@keel/framework'
import { RecurringJob } from '@keel/framework/jobs'
import { RateCardExpiredEto, RateCardStatus } from '../contracts/index.js'
import type { RateCard } from '../domain/rate-card.js'
import { QuoteStore, RateCardStore } from '../persistence/stores.js'
import { QuoteChanges } from './quote-changes.js'

/** Ends quotes and rate cards: those whose last day is over, each night. */
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
    for (const card of cards) await this.expireCard(card)
    if (quotes.length || cards.length)
      this.logger.info({ quotes: quotes.length, cards: cards.length }, 'quotes and rate cards expired')
  }
  /** Ends a card that counted, and tells of it. */
  async expireCard(card: RateCard, statusReason?: string): Promise<void> {
    const { id: entityId, reference, version, validTo } = card
    const occurrence = { eventId: randomUUID(), occurredAt: this.clock.now, entityId, userId: null }
    card.raise(new RateCardExpiredEto({ ...occurrence, reference, version, validTo }))
    await this.cards.update(card, { status: RateCardStatus.Expired, ...(statusReason && { statusReason }) })
  }
}
