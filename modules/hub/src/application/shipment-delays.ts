import { Clock, Injectable } from '@keel/framework'
import { type NewRow, ReferenceSets } from '@keel/framework/data'
import { CodeEntity } from '../domain/code-entity.js'
import type { ShipmentException } from '../domain/shipment-exception.js'
import { ShipmentChildren } from '../persistence/shipment-children.js'

/** A delay of a shipment. */
export type Delay = Required<Pick<NewRow<ShipmentException>, 'shipmentId' | 'severity' | 'delayHours'>>

/** Raises delays as exceptions of shipments. */
@Injectable()
export class ShipmentDelays {
  constructor(
    private readonly children: ShipmentChildren,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
  ) {}

  async raise(delay: Delay): Promise<void> {
    for (const exception of await this.exceptionsOf([delay])) await this.children.raise(exception)
  }

  /** The same with one entry in the audit log. */
  async raiseMany(delays: readonly Delay[]): Promise<void> {
    if (delays.length) await this.children.raiseMany(await this.exceptionsOf(delays))
  }

  /** None where the installation has no code for delays. */
  private async exceptionsOf(delays: readonly Delay[]): Promise<NewRow<ShipmentException>[]> {
    const codes = await this.references.matching(CodeEntity, 'code', ['DEL'])
    const type = codes.idsBy('code', 'DEL').find((code) => codes.value(code, 'type') === 'ExceptionType')
    if (!type) return []
    return delays.map((delay) => ({ ...delay, exceptionTypeId: type, raisedTime: this.clock.now }))
  }
}
