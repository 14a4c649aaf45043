import { EventDto, enumeration, z } from '@keel/framework/contracts'
import { ConsolStatus } from './enumerations.js'
import { occurrence } from './occurrence.js'

const status = enumeration('ConsolStatus', ConsolStatus)

/** The status of a consol changed, by whatever action. Its reference is the number of the consol. */
export class ConsolStatusChangedEto extends EventDto('Hub.Consol.StatusChanged', {
  ...occurrence,
  from: status,
  to: status,
  reason: z.string().nullish(),
}) {}

/** The events of consols, for `events` of the module. */
export const consolEvents = [ConsolStatusChangedEto] as const
