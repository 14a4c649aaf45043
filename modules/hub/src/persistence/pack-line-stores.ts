import { Injectable } from '@keel/framework'
import { StoreOf, sql } from '@keel/framework/data'
import { PackLine, PackLineDangerousGoods } from '../domain/pack-line.js'

@Injectable()
export class PackLineStore extends StoreOf(PackLine) {
  /** Every line of a shipment. */
  ofShipment(shipmentId: string): Promise<PackLine[]> {
    return this.everyWhere(sql`t."ShipmentId" = ${shipmentId}`)
  }
}

@Injectable()
export class PackLineDangerousGoodsStore extends StoreOf(PackLineDangerousGoods) {
  /** All dangerous goods in these lines. */
  ofLines(packLineIds: readonly string[]): Promise<PackLineDangerousGoods[]> {
    return this.everyWhere(sql`t."PackLineId" = any(${packLineIds}::uuid[])`)
  }
}
