import { Injectable } from '@keel/framework'
import { raw, type Sql, StoreOf, sql } from '@keel/framework/data'
import { EmissionFactor, ShipmentEmission } from '../domain/emission.js'

@Injectable()
export class EmissionFactorStore extends StoreOf(EmissionFactor) {
  /** Every factor that is not deactivated. */
  active(): Promise<EmissionFactor[]> {
    return this.everyWhere(raw('t."IsActive"'))
  }
}

@Injectable()
export class ShipmentEmissionStore extends StoreOf(ShipmentEmission) {
  /** The legs of the last calculation of a shipment, in their order. */
  async currentOf(shipmentId: string): Promise<ShipmentEmission[]> {
    const rows = await this.everyWhere(sql`t."ShipmentId" = ${shipmentId} and t."IsCurrent"`)
    return rows.sort((a, b) => a.sequence - b.sequence)
  }
}

/** The condition of emissions that no later calculation replaced. */
export const isCurrentEmission: Sql = raw('t."IsCurrent"')
