import { z } from '../../contracts/index.js'
import { configurationSection } from '../../modularity/configuration.js'

/** What is kept of creations that callers name by an `Idempotency-Key`. */
export const IdempotencySettings = configurationSection('Idempotency', {
  /** The most keys of one caller within a day; further ones are refused with 429. */
  mostKeysPerCaller: z.int().min(1).default(20_000),
  /** Answers with more bytes are not kept: a repeated creation is then refused with 409 instead of answered. */
  mostAnswerBytes: z
    .int()
    .min(0)
    .default(128 * 1024),
})
