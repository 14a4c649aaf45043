import { z } from '../../contracts/index.js'
import { configurationSection } from '../../modularity/configuration.js'

/** The bounds of event streams to browsers. */
export const LiveEventSettings = configurationSection('LiveEvents', {
  /** The most open streams of one process; further ones are refused with 503. 0 for none at all. */
  maxStreams: z.int().min(0).default(5000),
  /** The most open streams of one person in one process; further ones are refused with 429. */
  maxStreamsPerUser: z.int().min(1).default(10),
  /** Seconds between two comments that keep proxies from closing a quiet stream. */
  heartbeatSeconds: z.int().min(1).max(300).default(20),
  /** Seconds within which a ticket opens a stream. */
  ticketSeconds: z.int().min(1).max(300).default(30),
})
