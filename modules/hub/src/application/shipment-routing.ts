import { Clock, Injectable } from '@keel/framework'
import type { NewRow } from '@keel/framework/data'
import { ReferenceSets } from '@keel/framework/data'
import { ShipmentScheduleChangedEto, ShipmentStatus, ShipmentUpdatedEto } from '../contracts/index.js'
import { Vessel } from '../domain/carrier.js'
import { Consol } from '../domain/consol.js'
import { type RoutedConsol, type Routing, routedMembers, routingOf } from '../domain/routing.js'
import type { Shipment } from '../domain/shipment.js'
import { ConsolLegStore, ConsolShipmentStore } from '../persistence/consol-stores.js'
import { ShipmentStore } from '../persistence/stores.js'
import { changedMembersOf, changeEventsOf, delayOf, movesMilestones } from './shipment-changes.js'
import { ShipmentDelays } from './shipment-delays.js'
import { ShipmentEmissions } from './shipment-emissions.js'
import { ShipmentMilestones } from './shipment-milestones.js'

/** Lets ports, dates and carriage of shipments follow the legs of their consols. */
@Injectable()
export class ShipmentRouting {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly links: ConsolShipmentStore,
    private readonly legs: ConsolLegStore,
    private readonly milestones: ShipmentMilestones,
    private readonly delays: ShipmentDelays,
    private readonly emissions: ShipmentEmissions,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
  ) {}

  /** Derives the routing of these shipments anew, also of those that the caller does not see. Overridden and ended ones stay as they are. */
  async derive(shipmentIds: readonly string[]): Promise<void> {
    const ids = [...new Set(shipmentIds)]
    const consols = await this.consolsOf(ids)
    for (const shipment of await this.shipments.everyWithIds(ids)) {
      const isEnded =
        shipment.status === ShipmentStatus.Completed || shipment.status === ShipmentStatus.Cancelled
      const routing = routingOf(consols.get(shipment.id) ?? [])
      if (routing && !isEnded && !shipment.isRoutingOverridden) await this.apply(shipment, routing)
      if (!isEnded) await this.emissions.recalculate(shipment.id)
    }
  }

  /** True when a shipment travels on a consol that has legs. */
  async hasLegs(shipmentId: string): Promise<boolean> {
    const consols = (await this.consolsOf([shipmentId])).get(shipmentId) ?? []
    return consols.some(({ legs }) => legs.length > 0)
  }

  /** True when a change by hand of these members stops the routing of a shipment from following its consols. */
  async isOverriddenBy(shipmentId: string, members: readonly string[]): Promise<boolean> {
    const routed: ReadonlySet<string> = new Set(routedMembers)
    return members.some((member) => routed.has(member)) && this.hasLegs(shipmentId)
  }

  /** Changes dates of a shipment, with everything that follows: events, a delay, and estimated times of milestones. */
  async apply(shipment: Shipment, changes: NewRow<Shipment> & Routing): Promise<void> {
    const before = { ...(shipment.get() as Shipment) } as Shipment
    const members = changedMembersOf(before, changes as never)
    if (!members.length) return
    const { updated, rescheduled } = changeEventsOf(before, changes as never, members, this.clock.now)
    shipment.raise(new ShipmentUpdatedEto(updated))
    if (rescheduled) shipment.raise(new ShipmentScheduleChangedEto(rescheduled))
    await this.shipments.update(shipment, changes)
    const delay = delayOf(before, shipment.estimatedArrival)
    if (delay) await this.delays.raise({ ...delay, shipmentId: shipment.id })
    if (movesMilestones(members)) await this.milestones.follow(shipment)
  }

  /** The consols of shipments with their legs, in the order of the journey. */
  private async consolsOf(shipmentIds: readonly string[]): Promise<ReadonlyMap<string, RoutedConsol[]>> {
    const links = await this.links.ofShipments(shipmentIds)
    const consolIds = [...new Set(links.map(({ consolId }) => consolId))]
    if (!consolIds.length) return new Map()
    const legs = await this.legs.ofConsols(consolIds)
    const [consols, vessels] = await Promise.all([
      this.references.rows(Consol, consolIds),
      this.references.rows(
        Vessel,
        legs.map(({ vesselId }) => vesselId),
      ),
    ])
    const routed = new Map(
      consolIds.map((id) => [
        id,
        {
          consol: {
            carrierId: consols.value(id, 'carrierId') ?? null,
            masterBillNumber: consols.value(id, 'masterBillNumber') ?? null,
          },
          legs: legs
            .filter(({ consolId }) => consolId === id)
            .map((leg) => ({
              ...(leg.get() as typeof leg),
              vesselName: leg.vesselId ? vessels.value(leg.vesselId, 'name')?.slice(0, 50) : null,
            })),
        } as RoutedConsol,
      ]),
    )
    const found = new Map<string, RoutedConsol[]>()
    for (const { shipmentId, consolId } of links)
      found.set(shipmentId, [...(found.get(shipmentId) ?? []), routed.get(consolId) as RoutedConsol])
    return found
  }
}
