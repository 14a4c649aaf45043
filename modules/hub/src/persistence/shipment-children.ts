import { Injectable } from '@keel/framework'
import { type NewRow, Stores, sql } from '@keel/framework/data'
import { Severity } from '../contracts/index.js'
import { ConsolShipment } from '../domain/consol.js'
import { ShipmentContainer } from '../domain/container.js'
import { PackLine } from '../domain/pack-line.js'
import { ShipmentAddress } from '../domain/shipment.js'
import { ShipmentException } from '../domain/shipment-exception.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { ShipmentNote } from '../domain/shipment-note.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'

/** The rows that belong to shipments, also those that the caller does not see. */
@Injectable()
export class ShipmentChildren {
  constructor(private readonly stores: Stores) {}

  /** Deletes the rows of a shipment one by one, so that audit log and events tell of them. */
  async removeOf(shipmentId: string): Promise<void> {
    for (const entity of [
      ShipmentAddress,
      ShipmentReferenceNumber,
      ShipmentMilestone,
      ShipmentNote,
      ShipmentException,
      ShipmentContainer,
      ConsolShipment,
      PackLine,
    ] as const) {
      const store = this.stores.of(entity as typeof ShipmentAddress)
      for (const row of await store.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)) await store.remove(row)
    }
  }

  /** Takes a shipment from its consols. */
  async unlink(shipmentId: string): Promise<void> {
    const links = this.stores.of(ConsolShipment)
    for (const link of await links.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)) await links.remove(link)
  }

  /** True when a shipment has an open exception that says this. */
  async isRaised(shipmentId: string, description: string): Promise<boolean> {
    return (await this.openSaying(shipmentId, description)).length > 0
  }

  /** Resolves the open exceptions of a shipment that say this. */
  async resolve(shipmentId: string, description: string, resolvedTime: Date): Promise<void> {
    const exceptions = this.stores.of(ShipmentException)
    for (const exception of await this.openSaying(shipmentId, description))
      await exceptions.update(exception, { resolvedTime })
  }

  private openSaying(shipmentId: string, description: string): Promise<ShipmentException[]> {
    return this.stores
      .of(ShipmentException)
      .everyWhere(
        sql`t."ShipmentId" = ${shipmentId} and t."ResolvedTime" is null and t."Description" = ${description}`,
      )
  }

  /** Adds an exception that the program itself raises. */
  async raise(exception: NewRow<ShipmentException>): Promise<void> {
    await this.stores.of(ShipmentException).insert(exception)
  }

  /** The same for some thousand, with one entry in the audit log. Each is told of. */
  async raiseMany(exceptions: readonly NewRow<ShipmentException>[]): Promise<void> {
    await this.stores.of(ShipmentException).insertMany(exceptions, { audit: 'count', events: 'rows' })
  }

  /** The types, as code entities, of critical exceptions that are not resolved. */
  async openCriticalTypes(shipmentId: string): Promise<readonly string[]> {
    const open = await this.stores
      .of(ShipmentException)
      .everyWhere(
        sql`t."ShipmentId" = ${shipmentId} and t."ResolvedTime" is null and t."Severity" = ${Severity.Critical}`,
      )
    return open.map(({ exceptionTypeId }) => exceptionTypeId)
  }
}
