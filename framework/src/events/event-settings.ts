import { z } from 'zod'
import { configurationSection } from '../modularity/configuration.js'

/** How a host delivers events. */
export const EventSettings = configurationSection('Events', {
  /** `false`: this process publishes, and leaves sending and handling to others. */
  isDeliveryEnabled: z.boolean().default(true),
  /** The longest pause between two looks at outbox and inbox; new events wake the readers. */
  pollMs: z.int().min(50).max(60_000).default(2000),
  /** Events that are handled at once, in each database. */
  concurrency: z.int().min(1).max(32).default(2),
  /** Attempts after the first one; then the event is discarded and waits to be replayed. */
  maxRetries: z.int().min(0).max(100).default(10),
  /** The pause before the second attempt; it doubles with each, up to ten minutes. */
  firstRetryMs: z.int().min(1).default(1000),
  /** Days that it is remembered that an event was handled: it must not come again later than that. */
  keepHandledDays: z.int().min(1).default(7),
})
