import { z } from '@keel/framework/contracts'

/** A time of the clock: hours and minutes. */
export const clockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
  .meta({ examples: ['22:00'] })
