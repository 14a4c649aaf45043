import { EventDto, z } from '@keel/framework/contracts'
import { occurrence } from './occurrence.js'

/**
 * A port has another UN/LOCODE. What refers to the port by its code is to follow. Its reference is the new code. These events have one key for all ports: a code
 * that one port gave up and another one took is rewritten in this order.
 */
export class PortCodeChangedEto extends EventDto('Hub.Port.CodeChanged', {
  ...occurrence,

  /** The UN/LOCODE before. */
  oldCode: z.string(),
}) {}

/** The events of ports, for `events` of the module. */
export const portEvents = [PortCodeChangedEto] as const
