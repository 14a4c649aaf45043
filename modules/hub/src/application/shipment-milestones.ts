import { Injectable } from '@keel/framework'
import { ReferenceSets } from '@keel/framework/data'
import { AddressRole, EventSource, MilestoneCode } from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import {
  type MilestoneName,
  type PlannedShipment,
  plannedMilestones,
  sequenceOf,
  timeOf,
} from '../domain/milestone-plan.js'
import type { Shipment } from '../domain/shipment.js'
import type { ShipmentAction } from '../domain/shipment-lifecycle.js'
import { ShipmentMilestoneStore } from '../persistence/stores.js'

const { BKD, BKC, PUP, GIN, DEP, ARV, CCI, DLV } = MilestoneCode

/** The milestone that an action reaches; receiving the cargo reaches the pick-up where there is one. */
const reachedBy: Partial<Record<ShipmentAction, MilestoneCode>> = {
  book: BKD,
  confirm: BKC,
  depart: DEP,
  arrive: ARV,
  clearCustoms: CCI,
  deliver: DLV,
}

/** Keeps the milestones of shipments in step with their actions and dates. */
@Injectable()
export class ShipmentMilestones {
  constructor(
    private readonly milestones: ShipmentMilestoneStore,
    private readonly references: ReferenceSets,
  ) {}

  /** Adds the milestones of the template of the transport mode, which a shipment does not have yet. */
  async plan(shipment: Shipment, roles: ReadonlySet<AddressRole>): Promise<void> {
    const { id: shipmentId, transportModeId, containerModeId } = shipment
    const codes = await this.references.rows(CodeEntity, [transportModeId, containerModeId])
    const attributes = transportModeId && codes.value(transportModeId, 'attributes')
    const { milestones = [] } = JSON.parse(attributes || '{}') as { milestones?: MilestoneName[] }
    const planned = plannedMilestones(milestones, shipment, {
      fromDoor: roles.has(AddressRole.PickupFrom),
      isFullContainer: !!containerModeId && codes.value(containerModeId, 'code') === 'FCL',
    })
    const had = new Set((await this.milestones.ofShipment(shipmentId)).map(({ code }) => code))
    for (const milestone of planned.filter(({ code }) => !had.has(code)))
      await this.milestones.insert({
        ...milestone,
        shipmentId,
        estimatedTime: milestone.plannedTime,
        source: EventSource.System,
      })
  }

  /** Gives the milestone that an action reaches its actual time; a shipment without it gets it. */
  async reach(
    { id: shipmentId }: Shipment,
    action: ShipmentAction,
    { actualTime, portId, source }: { actualTime: Date; portId: string | undefined; source: EventSource },
  ): Promise<void> {
    const milestones = await this.milestones.ofShipment(shipmentId)
    const pickup = milestones.some(({ code }) => code === PUP) ? PUP : GIN
    const code = action === 'receiveCargo' ? pickup : reachedBy[action]
    if (code === undefined) return
    const milestone = milestones.find((one) => one.code === code)
    const reached = { actualTime, source, ...(portId && { portId }) }
    if (milestone) await this.milestones.update(milestone, reached)
    else await this.milestones.insert({ shipmentId, code, sequence: sequenceOf(code), ...reached })
  }

  /** Moves the estimated times of milestones that have not happened to the dates of their shipment. */
  async follow(shipment: Shipment): Promise<void> {
    for (const milestone of await this.milestones.ofShipment(shipment.id)) {
      const estimatedTime = timeOf(milestone.code, shipment)
      if (!milestone.actualTime && estimatedTime) await this.milestones.update(milestone, { estimatedTime })
    }
  }

  /** The same for shipments by their ids, with one entry in the audit log. */
  async followMany(shipments: ReadonlyMap<string, PlannedShipment>): Promise<void> {
    if (shipments.size === 0) return
    const open = await this.milestones.openOf([...shipments.keys()])
    const moved = open.flatMap(({ id, shipmentId, code }) => {
      const estimatedTime = timeOf(code, shipments.get(shipmentId) as PlannedShipment)
      return estimatedTime ? { id, estimatedTime } : []
    })
    if (moved.length) await this.milestones.updateMany(moved, { audit: 'count', events: 'batch' })
  }

  /** Deletes the milestones of a cancelled shipment that have not happened. */
  async removeOpen(shipmentId: string): Promise<void> {
    for (const milestone of await this.milestones.ofShipment(shipmentId))
      if (!milestone.actualTime) await this.milestones.remove(milestone)
  }
}
