import { Clock, Injectable, Settings, warnCaller } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { expectStamp, type NewRow, ReferenceSets } from '@keel/framework/data'
import { hasPermission } from '@keel/framework/security'
import {
  type ActualTimeDto,
  DocumentStatus,
  EventSource,
  type ForceStatusDto,
  HubErrors,
  HubSettings,
  ReferenceType,
  ShipmentArrivedEto,
  ShipmentBookedEto,
  ShipmentCancelledEto,
  ShipmentCargoReceivedEto,
  ShipmentCompletedEto,
  ShipmentConfirmedEto,
  ShipmentCustomsClearedEto,
  ShipmentDeliveredEto,
  ShipmentDepartedEto,
  ShipmentHoldChangedEto,
  ShipmentOutForDeliveryEto,
  ShipmentPermissions,
  ShipmentReopenedEto,
  ShipmentStatus,
  ShipmentStatusChangedEto,
  ShipmentStatusForcedEto,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import type { Shipment } from '../domain/shipment.js'
import {
  refusalOf,
  type ShipmentAction,
  type ShipmentTransition,
  shipmentTransitions,
  targetOf,
} from '../domain/shipment-lifecycle.js'
import { ShipmentContainerStore } from '../persistence/consol-stores.js'
import { ShipmentChildren } from '../persistence/shipment-children.js'
import { ShipmentOpenChargesStore } from '../persistence/shipment-open-charges.js'
import {
  DocumentStore,
  ShipmentAddressStore,
  ShipmentReferenceNumberStore,
  ShipmentStatusHistoryStore,
  ShipmentStore,
} from '../persistence/stores.js'
import { occurrenceOf, sourceOfCaller } from './occurrence.js'
import { OrderLifecycle } from './order-lifecycle.js'
import { demandPortsAndCodes } from './reference-faults.js'
import { refusedByGuard, refusedForcing, refusedShipmentAction } from './refusals.js'
import { ShipmentEmissions } from './shipment-emissions.js'
import { ShipmentMilestones } from './shipment-milestones.js'
import { ShipmentRouting } from './shipment-routing.js'

/** The inputs of actions, merged: each action takes some of them. */
export type ActionInput = Partial<
  Pick<ActualTimeDto, 'actualTime' | 'portId' | 'entryNumber' | 'podDocumentId' | 'note'>
> & {
  readonly bookingReference?: string | null | undefined
  readonly estimatedDelivery?: Date | null | undefined
  readonly reason?: string | undefined
  readonly concurrencyStamp?: string | null | undefined
}

const eventOf = {
  book: ShipmentBookedEto,
  confirm: ShipmentConfirmedEto,
  receiveCargo: ShipmentCargoReceivedEto,
  depart: ShipmentDepartedEto,
  arrive: ShipmentArrivedEto,
  clearCustoms: ShipmentCustomsClearedEto,
  dispatchDelivery: ShipmentOutForDeliveryEto,
  deliver: ShipmentDeliveredEto,
  complete: ShipmentCompletedEto,
  cancel: ShipmentCancelledEto,
  reopen: ShipmentReopenedEto,
} as const satisfies Record<ShipmentAction, unknown>

/** Takes shipments through their states: guards, effects, status history and events, in one unit of work (domain model, section 2.1). */
@Injectable()
export class ShipmentLifecycle {
  constructor(
    private readonly shipments: ShipmentStore,
    private readonly addresses: ShipmentAddressStore,
    private readonly orders: OrderLifecycle,
    private readonly documents: DocumentStore,
    private readonly children: ShipmentChildren,
    private readonly containers: ShipmentContainerStore,
    private readonly milestones: ShipmentMilestones,
    private readonly referenceNumbers: ShipmentReferenceNumberStore,
    private readonly histories: ShipmentStatusHistoryStore,
    private readonly routing: ShipmentRouting,
    private readonly emissions: ShipmentEmissions,
    private readonly openCharges: ShipmentOpenChargesStore,
    private readonly references: ReferenceSets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Performs an action. Refuses one that the status does not allow, naming both, and what its guards refuse. */
  async perform(id: string, action: ShipmentAction, input: ActionInput): Promise<void> {
    const shipment = await this.shipments.get(id)
    expectStamp(shipment, input)
    const from = shipment.status
    const to = targetOf(action, from, hasPermission(ShipmentPermissions.ForceStatus))
    if (to === undefined) throw refusedShipmentAction(shipment, action)
    await demandPortsAndCodes(this.references, { ports: ['portId'] }, input)
    const { now } = this.clock
    const time = input.actualTime ?? now
    const { sets }: ShipmentTransition = shipmentTransitions[action]
    const changes = {
      ...(sets && { [sets]: time }),
      ...(input.bookingReference && { bookingReference: input.bookingReference }),
      ...(input.estimatedDelivery && { estimatedDelivery: input.estimatedDelivery }),
    }
    const before = shipment.get() as Shipment
    const roles = await this.rolesOn(id)
    const notReady = action === 'depart' ? await this.containersNotReady(shipment) : []
    const refusal = refusalOf(action, { ...before, ...changes } as Shipment, {
      time,
      now,
      roles,
      isRouted: action === 'confirm' && (await this.routing.hasLegs(id)),
      criticalExceptions: await this.criticalExceptions(id, action),
      openCharges: action === 'complete' ? await this.openCharges.countOf(id) : 0,
      lacksProofOfDelivery: await this.lacksProof(id, action, input.podDocumentId),
      containersNotReady: (await this.settings.isOn(HubSettings.RequireVgm)) ? notReady : [],
    })
    const { shipmentReference } = before
    if (refusal) throw refusedByGuard(refusal, { shipmentReference })
    if (notReady.length) {
      warnCaller(HubErrors.ContainersNotReady, { shipmentReference, containers: notReady.join(', ') })
    }
    const reason = input.reason ?? input.note ?? null
    shipment.raise(new eventOf[action]({ ...this.occurrence(shipment), from, to, reason }))
    await this.moveTo(shipment, to, { reason, changes })
    if (action === 'book') await this.milestones.plan(shipment, roles)
    const source = sourceOfCaller()
    await this.milestones.reach(shipment, action, {
      actualTime: time,
      portId: input.portId ?? undefined,
      source,
    })
    // A shipment that lacks what they are made of arrives without them.
    if (action === 'arrive') await this.emissions.recalculate(id)
    if (action === 'depart') await this.orders.shipWith(id)
    if (action === 'deliver') await this.orders.receiveWith(id)
    if (action === 'cancel') {
      await this.milestones.removeOpen(id)
      await this.children.unlink(id)
      await this.orders.releaseWith(id)
    }
    if (action === 'clearCustoms' && input.entryNumber)
      await this.referenceNumbers.note(id, ReferenceType.CustomsEntry, input.entryNumber)
  }

  /** Gives a shipment a status that no guard is asked about. */
  async force(id: string, { status: to, reason, ...input }: ForceStatusDto): Promise<void> {
    const shipment = await this.shipments.get(id)
    expectStamp(shipment, input)
    const from = shipment.status
    if (from === to) throw refusedForcing(shipment)
    shipment.raise(new ShipmentStatusForcedEto({ ...this.occurrence(shipment), from, to, reason }))
    await this.moveTo(shipment, to, { reason, source: EventSource.Manual })
  }

  /** Puts a shipment on hold, or releases it without a reason. A shipment that is not on hold stays as it is. */
  async hold(id: string, reason: string | null, input: object): Promise<void> {
    const shipment = await this.shipments.get(id)
    expectStamp(shipment, input)
    const isOnHold = reason !== null
    if (shipment.isOnHold === isOnHold && shipment.holdReason === reason) return
    shipment.raise(new ShipmentHoldChangedEto({ ...this.occurrence(shipment), isOnHold, reason }))
    await this.shipments.update(shipment, { isOnHold, holdReason: reason })
  }

  /** Writes the first statuses of new shipments into their histories. */
  async begin(shipments: readonly Shipment[]): Promise<void> {
    const first = { fromStatus: null, changeTime: this.clock.now, reason: null, source: sourceOfCaller() }
    await this.histories.insertEach(
      shipments.map(({ id: shipmentId, status: toStatus }) => ({ ...first, shipmentId, toStatus })),
    )
  }

  /** The same for some thousand new shipments, which are drafts, with one entry in the audit log. */
  async beginMany(shipments: readonly Pick<Shipment, 'id'>[]): Promise<void> {
    if (shipments.length === 0) return
    const first = { toStatus: ShipmentStatus.Draft, changeTime: this.clock.now, source: sourceOfCaller() }
    const histories = shipments.map(({ id: shipmentId }) => ({ ...first, shipmentId }))
    await this.histories.insertMany(histories, { audit: 'count', events: 'batch' })
  }

  private async moveTo(
    shipment: Shipment,
    to: ShipmentStatus,
    {
      reason,
      changes = {},
      source = sourceOfCaller(),
    }: { reason: string | null; changes?: NewRow<Shipment>; source?: EventSource },
  ): Promise<void> {
    const { status: from, id: shipmentId, shipmentReference } = shipment
    const event = { ...this.occurrence(shipment), shipmentId, shipmentReference, from, to, reason }
    shipment.raise(new ShipmentStatusChangedEto(event))
    await this.shipments.update(shipment, { ...changes, status: to })
    await this.record(shipment, from, to, reason, source)
  }

  private async record(
    { id: shipmentId }: Shipment,
    fromStatus: ShipmentStatus | null,
    toStatus: ShipmentStatus,
    reason: string | null,
    source: EventSource,
  ): Promise<void> {
    await this.histories.insert({
      shipmentId,
      fromStatus,
      toStatus,
      changeTime: this.clock.now,
      reason,
      source,
    })
  }

  private async rolesOn(shipmentId: string) {
    return new Set((await this.addresses.ofShipment(shipmentId)).map(({ role }) => role))
  }

  /** The codes of the types of open critical exceptions, for the actions that look at them. */
  private async criticalExceptions(shipmentId: string, action: ShipmentAction): Promise<readonly string[]> {
    if (action !== 'complete' && action !== 'dispatchDelivery') return []
    const types = await this.children.openCriticalTypes(shipmentId)
    const codes = await this.references.rows(CodeEntity, types)
    return types.flatMap((type) => codes.value(type, 'code') ?? [])
  }

  /** True when the platform demands a proof of delivery and the action names no document of this shipment. */
  private async lacksProof(
    shipmentId: string,
    action: ShipmentAction,
    documentId: string | null | undefined,
  ): Promise<boolean> {
    if (action !== 'deliver') return false
    const document = documentId ? await this.documents.find(documentId) : undefined
    const proves = document?.status === DocumentStatus.Published && document.shipmentId === shipmentId
    if (proves) return false
    if (documentId) throw new BusinessError(HubErrors.PodRequired)
    return this.settings.isOn(HubSettings.RequirePod)
  }

  /** The containers without which the platform lets no shipment depart; none while `Hub.RequireVgm` is off. */
  async containersHeldBack(shipment: Shipment): Promise<readonly string[]> {
    return (await this.settings.isOn(HubSettings.RequireVgm)) ? this.containersNotReady(shipment) : []
  }

  /** The full containers by sea that lack number, seal or verified gross mass. */
  private async containersNotReady({
    id,
    transportModeId,
    containerModeId,
  }: Shipment): Promise<readonly string[]> {
    if (!transportModeId || !containerModeId) return []
    const codes = await this.references.rows(CodeEntity, [transportModeId, containerModeId])
    const isFullBySea =
      codes.value(transportModeId, 'code') === 'Sea' && codes.value(containerModeId, 'code') === 'FCL'
    return isFullBySea ? this.containers.notReady(id) : []
  }

  private occurrence(shipment: Shipment) {
    return occurrenceOf(shipment, this.clock.now)
  }
}
