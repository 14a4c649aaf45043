import { AutoApiController, Clock } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  demandReferences,
  entityMeta,
  expectStamp,
  JsonView,
  Locks,
  type NewRow,
  PageReader,
  ReferenceSets,
  RowRules,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type AddShipmentDto,
  type BookConsolDto,
  type ConsolActionDto,
  ConsolAppService,
  type ConsolDto,
  ConsolLegDto,
  type ConsolLegInput,
  ConsolPermissions,
  ConsolShipmentDto,
  ConsolStatus,
  ConsolStatusChangedEto,
  type ConsolTimeDto,
  type CreateConsolDto,
  HubErrors,
  type ReasonDto,
  type SetLegsDto,
  ShipmentStatus,
  type UpdateConsolDto,
} from '../contracts/index.js'
import { isAirWaybill } from '../domain/air-waybill.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Consol, ConsolLeg, ConsolShipment } from '../domain/consol.js'
import { type ConsolAction, consolTransitions } from '../domain/consol-lifecycle.js'
import { firstRefusal, type Guard, targetOfMove } from '../domain/lifecycle.js'
import { journeyFault } from '../domain/routing.js'
import { SailingSchedule } from '../domain/sailing-schedule.js'
import {
  ConsolLegStore,
  ConsolShipmentStore,
  ConsolStore,
  ContainerStore,
} from '../persistence/consol-stores.js'
import { OrganizationStore, ShipmentStore } from '../persistence/stores.js'
import { occurrence } from './occurrence.js'
import { consolNotEditable, refusedByGuard, refusedConsolAction, shipmentNotEditable } from './refusals.js'
import { ShipmentLifecycle } from './shipment-lifecycle.js'
import { ShipmentRouting } from './shipment-routing.js'

const legView = new JsonView(ConsolLeg, ConsolLegDto, {})
const linkView = new JsonView(ConsolShipment, ConsolShipmentDto, {})
const mostShipments = 1000

const journeyErrors = {
  samePort: HubErrors.LegSamePort,
  notContiguous: HubErrors.LegsNotContiguous,
  datesOverlap: HubErrors.LegDatesOverlap,
} as const

@AutoApiController(ConsolAppService)
@RequiresPermission(ConsolPermissions)
export class ConsolService extends CrudService(ConsolAppService, Consol, {
  searchIn: ['consolNumber', 'masterBillNumber', 'bookingReference'],
  defaultSorting: 'creationTime DESC',
  filterBy: ['status', 'carrierId'],
  checksReferences: true,
}) {
  constructor(
    private readonly databases: Databases,
    private readonly rules: RowRules,
    pages: PageReader,
    private readonly consols: ConsolStore,
    private readonly legs: ConsolLegStore,
    private readonly links: ConsolShipmentStore,
    private readonly containers: ContainerStore,
    private readonly shipments: ShipmentStore,
    private readonly organizations: OrganizationStore,
    private readonly lifecycle: ShipmentLifecycle,
    private readonly routing: ShipmentRouting,
    private readonly references: ReferenceSets,
    private readonly locks: Locks,
    private readonly clock: Clock,
  ) {
    super(databases, rules, pages)
  }

  override async create(input: CreateConsolDto): Promise<ConsolDto> {
    await this.checkMasterBill(input)
    await this.demandOwnBill(input)
    return super.create({ ...input, consolNumber: await this.consols.nextNumber() })
  }

  override async update(id: string, input: UpdateConsolDto): Promise<ConsolDto> {
    await this.organizations.hold([input.sendingAgentId, input.receivingAgentId])
    const consol = await this.changeable(id, {})
    const { transportModeId = consol.transportModeId, masterBillNumber = consol.masterBillNumber } = input
    await this.checkMasterBill({ transportModeId, masterBillNumber })
    const { carrierId = consol.carrierId } = input
    if (carrierId !== consol.carrierId || masterBillNumber !== consol.masterBillNumber)
      await this.demandOwnBill({ carrierId, masterBillNumber }, id)
    if (transportModeId !== consol.transportModeId && (await this.links.ofConsol(id)).length)
      throw new BusinessError(HubErrors.TransportModeMismatch, numberOf(consol))
    const updated = await super.update(id, input)
    await this.deriveShipments(id)
    return updated
  }

  override async delete(id: string): Promise<void> {
    const consol = await this.store.get(id)
    if (consol.status !== ConsolStatus.Planned && consol.status !== ConsolStatus.Cancelled)
      throw consolNotEditable(consol)
    await this.unlink(id)
    for (const leg of await this.legs.ofConsols([id])) await this.legs.remove(leg)
    await this.consols.remove(consol)
  }

  @RequiresPermission(ConsolPermissions.View)
  async getLegs(id: string): Promise<ConsolLegDto[]> {
    await this.store.get(id)
    const conditions = legView.equal({ consolId: id })
    return this.pages.array(ConsolLegDto, legView, {
      conditions,
      maxResultCount: 20,
      defaultSorting: 'legNumber',
    })
  }

  @RequiresPermission(ConsolPermissions.Edit)
  async setLegs(id: string, { legs, ...input }: SetLegsDto): Promise<ConsolLegDto[]> {
    const consol = await this.changeable(id, input)
    const wanted = await this.withSailings(legs)
    const found = journeyFault(wanted)
    if (found)
      throw new BusinessError(journeyErrors[found.fault], { ...numberOf(consol), legNumber: found.index + 1 })
    const before = await this.legs.ofConsols([id])
    for (const [index, leg] of wanted.entries()) await this.checkLeg(leg, index, before[index])
    for (const [index, leg] of wanted.entries()) {
      const row = before[index]
      const values = { ...emptyLeg, ...leg, legNumber: index + 1 }
      if (row) await this.legs.update(row, values)
      else await this.legs.insert({ ...values, consolId: id })
    }
    for (const leg of before.slice(wanted.length)) await this.legs.remove(leg)
    const [first, last] = [wanted[0], wanted.at(-1)]
    await this.consols.update(consol, {
      firstLoadPortId: first?.departurePortId ?? null,
      lastDischargePortId: last?.arrivalPortId ?? null,
      estimatedDeparture: first?.estimatedDeparture ?? null,
      estimatedArrival: last?.estimatedArrival ?? null,
      // Of two at once the second is refused: legs have no stamp.
      lastModificationTime: this.clock.now,
    })
    await this.deriveShipments(id)
    return this.getLegs(id)
  }

  @RequiresPermission(ConsolPermissions.View)
  async getShipments(id: string): Promise<ConsolShipmentDto[]> {
    await this.store.get(id)
    const conditions = linkView.equal({ consolId: id })
    return this.pages.array(ConsolShipmentDto, linkView, {
      conditions,
      maxResultCount: mostShipments,
      defaultSorting: 'creationTime',
    })
  }

  @RequiresPermission(ConsolPermissions.Edit)
  async addShipment(
    id: string,
    { shipmentId, sequence, ...input }: AddShipmentDto,
  ): Promise<ConsolShipmentDto> {
    const consol = await this.store.get(id)
    expectStamp(consol, input)
    if (consol.status > ConsolStatus.Booked) throw consolNotEditable(consol)
    const shipment = await this.shipments.find(shipmentId)
    if (!shipment) throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:NoSuchShipment')])
    const { status, transportModeId } = shipment
    if (status >= ShipmentStatus.InTransit) throw shipmentNotEditable(shipment)
    if (transportModeId && transportModeId !== consol.transportModeId)
      throw new BusinessError(HubErrors.TransportModeMismatch, numberOf(consol))
    if (consol.cargoCutOff && consol.cargoCutOff < this.clock.now)
      throw new BusinessError(HubErrors.CutOffPassed, {
        ...numberOf(consol),
        cutOff: consol.cargoCutOff.toISOString(),
      })
    if ((await this.links.ofConsol(id)).length >= mostShipments) throw consolNotEditable(consol)
    const others = await this.links.ofShipments([shipmentId])
    const link = await this.links.insert({
      consolId: id,
      shipmentId,
      sequence: sequence ?? Math.max(0, ...others.map((other) => other.sequence)) + 1,
    })
    // A close at the same time is refused, or refuses this.
    await this.consols.update(consol, { lastModificationTime: this.clock.now })
    await this.routing.derive([shipmentId])
    return this.pages.one(ConsolShipmentDto, linkView, link.id)
  }

  @RequiresPermission(ConsolPermissions.Edit)
  async removeShipment(id: string, shipmentId: string): Promise<void> {
    const consol = await this.changeable(id, {})
    const link = (await this.links.ofConsol(id)).find((one) => one.shipmentId === shipmentId)
    if (!link) throw new ValidationError([faultOf('shipmentId', 'Hub:Validation:NoSuchShipment')])
    await this.links.remove(link)
    await this.consols.update(consol, { lastModificationTime: this.clock.now })
    await this.routing.derive([shipmentId])
  }

  @RequiresPermission(ConsolPermissions.ChangeStatus)
  book(id: string, { bookingReference, ...input }: BookConsolDto): Promise<ConsolDto> {
    return this.perform(id, 'book', input, { changes: { bookingReference } })
  }

  @RequiresPermission(ConsolPermissions.ChangeStatus)
  close(id: string, input: ConsolActionDto): Promise<ConsolDto> {
    return this.perform(id, 'close', input)
  }

  @RequiresPermission(ConsolPermissions.ChangeStatus)
  async depart(id: string, { actualTime, ...input }: ConsolTimeDto): Promise<ConsolDto> {
    const time = actualTime ?? this.clock.now
    await this.perform(id, 'depart', input, { time, changes: { actualDeparture: time } })
    const [first] = await this.legs.ofConsols([id])
    if (first) await this.legs.update(first, { actualDeparture: time })
    for (const shipment of await this.shipmentsOn(id))
      if (shipment.status === ShipmentStatus.Confirmed || shipment.status === ShipmentStatus.CargoReceived)
        await this.lifecycle.perform(shipment.id, 'depart', { actualTime: time })
    return this.get(id)
  }

  @RequiresPermission(ConsolPermissions.ChangeStatus)
  async arrive(id: string, { actualTime, ...input }: ConsolTimeDto): Promise<ConsolDto> {
    const time = actualTime ?? this.clock.now
    await this.perform(id, 'arrive', input, { time, changes: { actualArrival: time } })
    const last = (await this.legs.ofConsols([id])).at(-1)
    if (last) await this.legs.update(last, { actualArrival: time })
    const shipments = await this.shipmentsOn(id)
    const links = await this.links.ofShipments(shipments.map((shipment) => shipment.id))
    const lastConsolOf = new Map(links.map(({ shipmentId, consolId }) => [shipmentId, consolId]))
    for (const shipment of shipments)
      if (shipment.status === ShipmentStatus.InTransit && lastConsolOf.get(shipment.id) === id)
        await this.lifecycle.perform(shipment.id, 'arrive', { actualTime: time })
    return this.get(id)
  }

  @RequiresPermission(ConsolPermissions.ChangeStatus)
  complete(id: string, input: ConsolActionDto): Promise<ConsolDto> {
    return this.perform(id, 'complete', input)
  }

  @RequiresPermission(ConsolPermissions.ChangeStatus)
  async cancel(id: string, { reason, ...input }: ReasonDto): Promise<ConsolDto> {
    const cancelled = await this.perform(id, 'cancel', input, { reason })
    await this.unlink(id)
    return cancelled
  }

  /** Performs an action: guards, the new status, and its event. */
  private async perform(
    id: string,
    action: ConsolAction,
    input: object,
    {
      time = this.clock.now,
      changes = {},
      reason = null as string | null,
    }: {
      time?: Date
      changes?: NewRow<Consol>
      reason?: string | null
    } = {},
  ): Promise<ConsolDto> {
    const consol = await this.store.get(id)
    expectStamp(consol, input)
    const { moves, guards } = consolTransitions[action]
    const from = consol.status
    const to = targetOfMove<ConsolStatus>({ moves }, from)
    if (to === undefined) throw refusedConsolAction(consol, action, moves[0][1])
    const refusal = firstRefusal(guards as readonly Guard<Consol, never>[], consol, {
      time,
      now: this.clock.now,
      legs: (await this.legs.ofConsols([id])).length,
      shipmentStatuses: (await this.shipmentsOn(id)).map(({ status }) => status),
      containersInside: action === 'complete' ? await this.containers.countInside(id) : 0,
    } as never)
    if (refusal) throw refusedByGuard(refusal, numberOf(consol))
    const event = occurrence(consol, consol.consolNumber, this.clock.now)
    consol.raise(new ConsolStatusChangedEto({ ...event, from, to, reason }))
    await this.consols.update(consol, { ...changes, status: to })
    return this.get(id)
  }

  private async shipmentsOn(id: string) {
    const links = await this.links.ofConsol(id)
    return this.shipments.everyWithIds(links.map(({ shipmentId }) => shipmentId))
  }

  private async deriveShipments(id: string): Promise<void> {
    await this.routing.derive((await this.links.ofConsol(id)).map(({ shipmentId }) => shipmentId))
  }

  private async unlink(id: string): Promise<void> {
    const links = await this.links.ofConsol(id)
    for (const link of links) await this.links.remove(link)
    await this.routing.derive(links.map(({ shipmentId }) => shipmentId))
  }

  private async changeable(id: string, input: object): Promise<Consol> {
    const consol = await this.store.get(id)
    expectStamp(consol, input)
    if (consol.status === ConsolStatus.Completed || consol.status === ConsolStatus.Cancelled)
      throw consolNotEditable(consol)
    return consol
  }

  private async checkMasterBill({
    transportModeId,
    masterBillNumber,
  }: Pick<CreateConsolDto, 'transportModeId' | 'masterBillNumber'>): Promise<void> {
    if (!masterBillNumber || isAirWaybill(masterBillNumber)) return
    const modes = await this.references.rows(CodeEntity, [transportModeId])
    if (modes.value(transportModeId, 'code') === 'Air')
      throw new BusinessError(HubErrors.InvalidMasterBill, { masterBillNumber })
  }

  /** Refuses a master bill that the carrier has on another consol (domain model, section 1.2, H12). Of two at once the second one sees the first. */
  private async demandOwnBill(
    { carrierId, masterBillNumber }: Pick<UpdateConsolDto, 'carrierId' | 'masterBillNumber'>,
    ownId?: string,
  ): Promise<void> {
    if (!carrierId || !masterBillNumber) return
    const database = this.store.database
    await this.locks.hold(`Hub.MasterBill ${carrierId} ${masterBillNumber}`, { database })
    const others = await this.consols.withBill(carrierId, masterBillNumber)
    const other = others.find((consol) => consol.id !== ownId)
    if (other)
      throw new BusinessError(HubErrors.MasterBillAlreadyExists, { masterBillNumber, ...numberOf(other) })
  }

  private async checkLeg(leg: ConsolLegInput, index: number, before: ConsolLeg | undefined): Promise<void> {
    const check = { databases: this.databases, rules: this.rules, sets: this.references }
    try {
      await demandReferences(check, entityMeta(ConsolLeg), leg, before)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      throw new ValidationError(
        error.validationErrors.map((fault) => ({
          ...fault,
          members: fault.members.map((member) => `legs[${index}].${member}`),
        })),
      )
    }
  }

  /** The legs with the dates, ship and voyage of the departures that they name, where they give none of their own. */
  private async withSailings(legs: readonly ConsolLegInput[]): Promise<ConsolLegInput[]> {
    const sailings = await this.references.rows(
      SailingSchedule,
      legs.map(({ sailingScheduleId }) => sailingScheduleId),
    )
    return legs.map((leg) => {
      const { sailingScheduleId: id } = leg
      if (!id || !sailings.has(id)) return leg
      const dateOf = (member: string) => new Date(sailings.value(id, member) as string)
      return {
        ...leg,
        estimatedDeparture: leg.estimatedDeparture ?? dateOf('estimatedDeparture'),
        estimatedArrival: leg.estimatedArrival ?? dateOf('estimatedArrival'),
        vesselId: leg.vesselId ?? sailings.value(id, 'vesselId') ?? null,
        voyageFlightNumber: leg.voyageFlightNumber ?? sailings.value(id, 'voyageFlightNumber') ?? null,
      }
    })
  }
}

/** The members that a leg has not unless its input says so. */
const emptyLeg = {
  departureTerminalId: null,
  arrivalTerminalId: null,
  carrierId: null,
  vesselId: null,
  voyageFlightNumber: null,
  sailingScheduleId: null,
  estimatedDeparture: null,
  estimatedArrival: null,
  actualDeparture: null,
  actualArrival: null,
  distanceKm: null,
} as const

function numberOf({ consolNumber }: Consol) {
  return { consolNumber }
}
