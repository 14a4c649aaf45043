import { MilestoneCode } from '../contracts/enumerations.js'
import type { Shipment } from './shipment.js'

const { BKD, CRD, PUP, GIN, LOD, DEP, ARV, DIS, GOU, DLV, EMR } = MilestoneCode

/** The name of a milestone as templates have it. */
export type MilestoneName = keyof typeof MilestoneCode

/** The members of a shipment that say when and where its milestones are planned. */
export type PlannedShipment = Pick<
  Shipment,
  | 'cargoReadyDate'
  | 'estimatedPickup'
  | 'estimatedDeparture'
  | 'estimatedArrival'
  | 'estimatedDelivery'
  | 'firstConsolLegDeparturePortId'
  | 'lastConsolLegArrivalPortId'
>

/** A milestone to expect. */
export interface PlannedMilestone {
  readonly code: MilestoneCode
  readonly sequence: number
  readonly portId: string | null
  readonly plannedTime: Date | null
}

const departurePortCodes: ReadonlySet<MilestoneCode> = new Set([GIN, LOD, DEP])
const arrivalPortCodes: ReadonlySet<MilestoneCode> = new Set([ARV, DIS, GOU])

/**
 * The milestones that a template gives a shipment (domain model, section 2.7): the pick-up only from a door, and the return of
 * the empty container only for full containers.
 */
export function plannedMilestones(
  template: readonly MilestoneName[],
  shipment: PlannedShipment,
  { fromDoor, isFullContainer }: { fromDoor: boolean; isFullContainer: boolean },
): PlannedMilestone[] {
  return template
    .map((name) => MilestoneCode[name])
    .filter((code) => (code !== PUP || fromDoor) && (code !== EMR || isFullContainer))
    .map((code) => ({
      code,
      sequence: sequenceOf(code),
      portId: portOf(code, shipment),
      plannedTime: timeOf(code, shipment),
    }))
}

/** The place of a milestone among those of a shipment, with room between. */
export function sequenceOf(code: MilestoneCode): number {
  return (code - BKD + 1) * 10
}

function portOf(code: MilestoneCode, shipment: PlannedShipment): string | null {
  if (departurePortCodes.has(code)) return shipment.firstConsolLegDeparturePortId
  return arrivalPortCodes.has(code) ? shipment.lastConsolLegArrivalPortId : null
}

/** When a milestone is expected by the dates of its shipment; null where no date tells. */
export function timeOf(code: MilestoneCode, shipment: PlannedShipment): Date | null {
  switch (code) {
    case CRD:
      return shipment.cargoReadyDate
    case PUP:
      return shipment.estimatedPickup
    case DEP:
      return shipment.estimatedDeparture
    case ARV:
      return shipment.estimatedArrival
    case DLV:
      return shipment.estimatedDelivery
    default:
      return null
  }
}
