import { z } from 'zod'
import { configurationSection } from '../modularity/configuration.js'

/** How a host works on jobs. */
export const JobSettings = configurationSection('Jobs', {
  /** `false`: this process adds jobs and leaves the work to others. */
  isWorkerEnabled: z.boolean().default(true),
  /** Jobs that this process works on at once. From 2 on, one of them is of a kind that ends soon. */
  concurrency: z.int().min(1).max(64).default(3),
  /** The longest pause between two looks at the queue; new jobs wake the workers. */
  pollMs: z.int().min(50).max(60_000).default(2000),
  /** A worker that gives no sign of life for this long has lost its jobs to others. */
  leaseMs: z.int().min(500).max(600_000).default(30_000),
  /** The pause before the second attempt; it doubles with each, up to an hour. */
  firstRetryMs: z.int().min(1).default(10_000),
  /** How long finished jobs can be looked at. */
  keepFinishedDays: z.int().min(1).default(7),
})
