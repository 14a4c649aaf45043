import { Clock, Injectable } from '@keel/framework'
import { faultOf, ValidationError } from '@keel/framework/contracts'
import { type ReferenceSet, ReferenceSets } from '@keel/framework/data'
import { mostPackages, ShipmentUpdatedEto } from '../contracts/index.js'
import { chargeableWeight } from '../domain/chargeable-weight.js'
import { CodeEntity } from '../domain/code-entity.js'
import type { Shipment } from '../domain/shipment.js'
import { PackLineDangerousGoodsStore, PackLineStore } from '../persistence/pack-line-stores.js'
import { ShipmentStore } from '../persistence/stores.js'
import { changedMembersOf, changeEventsOf } from './shipment-changes.js'

/** Keeps the totals of shipments in step with their lines of cargo. */
@Injectable()
export class ShipmentTotals {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly lines: PackLineStore,
    private readonly dangerousGoods: PackLineDangerousGoodsStore,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
  ) {}

  /** Gives a shipment the totals of its lines. One without any keeps what it has. */
  async follow(shipmentId: string): Promise<void> {
    const shipment = await this.shipments.get(shipmentId)
    const lines = await this.lines.ofShipment(shipmentId)
    const dangerous = await this.dangerousGoods.ofLines(lines.map(({ id }) => id))
    const before = { ...(shipment.get() as Shipment) } as Shipment
    const [totalGrossWeight, totalVolume] = lines.length
      ? [sum(lines.map((line) => line.grossWeightKg)), volumeSum(lines.map((line) => line.volumeM3))]
      : [shipment.totalGrossWeight, shipment.totalVolume]
    const totalPackages = sum(lines.map((line) => line.packageCount))
    if (totalPackages > mostPackages)
      throw new ValidationError([faultOf('packageCount', 'Validation:OutOfRange')])
    const changes = {
      ...(lines.length && { totalPackages }),
      totalGrossWeight,
      totalVolume,
      totalChargeableWeight: await this.chargeableWeightOf({ ...before, totalGrossWeight, totalVolume }),
      isDangerousGoods: dangerous.length > 0,
    }
    const members = changedMembersOf(before, changes as never)
    if (!members.length) return
    shipment.raise(new ShipmentUpdatedEto(changeEventsOf(before, {}, members, this.clock.now).updated))
    await this.shipments.update(shipment, changes)
  }

  /** What the freight of a shipment is charged by; null while that is not known. */
  async chargeableWeightOf(shipment: ChargedShipment): Promise<number | null> {
    const { transportModeId, containerModeId } = shipment
    return chargeableWeightWith(
      await this.references.rows(CodeEntity, [transportModeId, containerModeId]),
      shipment,
    )
  }
}

/** Members that decide by what the freight of a shipment is charged. */
export const chargedBy = ['transportModeId', 'containerModeId', 'totalGrossWeight', 'totalVolume'] as const

/** A shipment by these members. */
type ChargedShipment = Partial<Pick<Shipment, (typeof chargedBy)[number]>>

/** {@link ShipmentTotals.chargeableWeightOf} with the code entities that were read before. */
export function chargeableWeightWith(
  codes: ReferenceSet,
  { transportModeId, containerModeId, totalGrossWeight, totalVolume }: ChargedShipment,
): number | null {
  if (!transportModeId) return null
  const modes = {
    transportMode: codes.value(transportModeId, 'code'),
    containerMode: containerModeId && codes.value(containerModeId, 'code'),
  }
  return chargeableWeight(modes, totalGrossWeight, totalVolume)
}

function sum(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0) * 1000) / 1000
}

/** Null while no line has a volume. */
function volumeSum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length ? sum(known) : null
}
