import { randomUUID } from 'node:crypto'
import { ambient, Clock, Injectable } from '@keel/framework'
import type { NewRow } from '@keel/framework/data'
import {
  type QuoteAction,
  type QuoteStatus,
  QuoteStatusChangedEto,
  quoteTransitions,
  statusAfter,
} from '../contracts/index.js'
import type { Quote } from '../domain/quote.js'
import { QuoteStore } from '../persistence/stores.js'
import { refusedQuoteAction } from './refusals.js'

/** What an action does beside the change of the status. */
export interface QuoteChange {
  readonly reason?: string
  readonly values?: NewRow<Quote>
}

/** Changes the status of quotes, and tells of it. */
@Injectable()
export class QuoteChanges {
  constructor(
    private readonly quotes: QuoteStore,
    private readonly clock: Clock,
  ) {}

  /** The status that an action leads to. Refuses an action that is not possible. */
  demand(quote: Quote, action: QuoteAction): QuoteStatus {
    const to = statusAfter(action, quote.status)
    if (to === undefined) throw refusedQuoteAction(quote, action, quoteTransitions[action].to)
    return to
  }

  async perform(quote: Quote, action: QuoteAction, { reason, values }: QuoteChange = {}): Promise<void> {
    const { status: from } = quote
    const to = this.demand(quote, action)
    quote.raise(new QuoteStatusChangedEto({ ...this.occurrence(quote), from, to, reason: reason ?? null }))
    // The time makes a second calculation a change too: of two at once one is refused.
    await this.quotes.update(quote, {
      ...values,
      ...{ status: to, statusReason: reason ?? null, lastModificationTime: this.clock.now },
    })
  }

  /** The members that every event of a quote has. */
  occurrence({ id, reference, organizationId }: Quote) {
    return {
      ...{ eventId: randomUUID(), occurredAt: this.clock.now, entityId: id, reference, organizationId },
      userId: ambient().principal.userId ?? null,
    }
  }
}
