import { AutoApiController, Clock } from '@keel/framework'
import {
  EntityNotFoundError,
  type FileContent,
  type FilteredPagedInput,
  faultOf,
  type ImplementationOf,
  ValidationError,
} from '@keel/framework/contracts'
import {
  expectStamp,
  FacetedList,
  ImportingService,
  Imports,
  type ImportTarget,
  JsonView,
  PageReader,
  ReferenceSets,
  UnitOfWork,
} from '@keel/framework/data'
import { hasPermission, RequiresPermission } from '@keel/framework/security'
import type { SpreadsheetFormat } from '@keel/framework/spreadsheets'
import {
  type ActualTimeDto,
  type BookShipmentDto,
  type CopyShipmentDto,
  type CreateShipmentDto,
  type DispatchDeliveryDto,
  DocumentPermissions,
  type ForceStatusDto,
  HubErrors,
  type NewDocumentDto,
  OrderPermissions,
  type ReasonDto,
  type SetAddressesDto,
  type ShipmentActionDto,
  ShipmentAddressInput,
  ShipmentAppService,
  ShipmentDeletedEto,
  ShipmentDto,
  type ShipmentFileInput,
  type ShipmentListInput,
  ShipmentPage,
  ShipmentPermissions,
  ShipmentScheduleChangedEto,
  type ShipmentStatisticsDto,
  type ShipmentStatisticsInput,
  ShipmentUpdatedEto,
  type TimelineEntryDto,
  type UpcomingShipmentsInput,
  type UpdateShipmentDto,
  type UpsertedDto,
  type UpsertedManyDto,
  type UpsertShipmentDto,
  type UpsertShipmentsDto,
} from '../contracts/index.js'
import { CodeEntity } from '../domain/code-entity.js'
import { Document } from '../domain/document.js'
import { Order } from '../domain/order.js'
import { OrganizationContext } from '../domain/organization-context.js'
import { controllingCustomerOf, Shipment, ShipmentAddress, withSequences } from '../domain/shipment.js'
import type { ShipmentAction } from '../domain/shipment-lifecycle.js'
import { ShipmentMilestone } from '../domain/shipment-milestone.js'
import { ShipmentReferenceNumber } from '../domain/shipment-reference-number.js'
import { visibleOrganizationIds } from '../domain/shipment-visibility.js'
import { NewDocuments } from '../persistence/new-documents.js'
import { ShipmentChildren } from '../persistence/shipment-children.js'
import { upcomingCodes, upcomingShipments } from '../persistence/shipment-conditions.js'
import { ShipmentStatistics } from '../persistence/shipment-statistics.js'
import { ShipmentTimeline } from '../persistence/shipment-timeline.js'
import {
  DocumentStore,
  OrderStore,
  OrganizationStore,
  ShipmentAddressStore,
  ShipmentStore,
} from '../persistence/stores.js'
import { NewShipments } from './new-shipments.js'
import { occurrenceOf } from './occurrence.js'
import { changedMembersOf, changeEventsOf, delayOf, movesMilestones } from './shipment-changes.js'
import { ShipmentDelays } from './shipment-delays.js'
import { searchedInShipments, shipmentFacets } from './shipment-facets.js'
import { ShipmentImport } from './shipment-import.js'
import { type ActionInput, ShipmentLifecycle } from './shipment-lifecycle.js'
import { ShipmentMilestones } from './shipment-milestones.js'
import { ShipmentRouting } from './shipment-routing.js'
import { ShipmentRules } from './shipment-rules.js'
import { shipmentSheet } from './shipment-sheet.js'
import { chargedBy, ShipmentTotals } from './shipment-totals.js'
import { type UpsertSteps, Upserts } from './upserts.js'

const dayMs = 24 * 3_600_000
const yearMs = 365 * dayMs
/** Interface document, "Limits". */
const upcomingWindowMs = 14 * dayMs
const newDocumentsWindowMs = 28 * dayMs

const view = new JsonView(Shipment, ShipmentDto, {
  searchIn: searchedInShipments,
  collections: {
    milestones: { entity: ShipmentMilestone, by: 'shipmentId', orderBy: ['sequence'] },
    referenceNumbers: {
      entity: ShipmentReferenceNumber,
      by: 'shipmentId',
      orderBy: ['referenceType', 'value'],
    },
    addresses: { entity: ShipmentAddress, by: 'shipmentId', orderBy: ['role', 'sequence'] },
    orders: {
      entity: Order,
      by: 'shipmentId',
      orderBy: ['orderNumber', 'splitNumber'],
      permission: OrderPermissions.View,
    },
    documents: {
      entity: Document,
      by: 'shipmentId',
      orderBy: ['creationTime'],
      permission: DocumentPermissions.View,
    },
  },
})

/** The members that a copy of a shipment takes over beside the parties. */
const copiedMembers = [
  ...['transportModeId', 'containerModeId', 'incotermId', 'serviceLevelId', 'releaseTypeId', 'packageTypeId'],
  ...['firstConsolLegDeparturePortId', 'lastConsolLegArrivalPortId', 'originPortId', 'destinationPortId'],
  ...['direction', 'cargoDescription', 'totalPackages', 'totalGrossWeight', 'totalVolume'],
  ...['isDangerousGoods', 'isTemperatureControlled'],
]

const list = new FacetedList(view, shipmentFacets, HubErrors.UnknownFilterField)

@AutoApiController(ShipmentAppService)
@RequiresPermission(ShipmentPermissions)
export class ShipmentService extends ImportingService implements ImplementationOf<typeof ShipmentAppService> {
  /** Parties that the shipment has already are not written again. */
  private readonly upsertSteps: UpsertSteps<UpsertShipmentDto> = {
    create: {
      permission: ShipmentPermissions.Create,
      run: (input) => UnitOfWork.gathering(() => this.newShipments.create(input)),
      newOf: (inputs) => this.newShipments.newOf(inputs),
      runEach: (inputs) => UnitOfWork.gathering(() => this.newShipments.createEach(inputs)),
    },
    taken: [HubErrors.ShipmentExternalIdAlreadyExists, HubErrors.ShipmentReferenceAlreadyExists],
    find: ({ sourceSystem, externalId }) => this.shipments.visibleOfSource(sourceSystem, externalId),
    update: async (id, { addresses, ...changes }) => {
      if (addresses) await this.companies.hold(addresses.map(({ organizationId }) => organizationId))
      await this.update(id, changes)
      if (addresses && !hasParties(await this.addresses.ofShipment(id), addresses))
        await this.setAddresses(id, { addresses })
    },
  }

  constructor(
    private readonly shipments: ShipmentStore,
    private readonly addresses: ShipmentAddressStore,
    private readonly orders: OrderStore,
    private readonly documents: DocumentStore,
    private readonly pages: PageReader,
    private readonly references: ReferenceSets,
    private readonly rules: ShipmentRules,
    private readonly children: ShipmentChildren,
    private readonly delays: ShipmentDelays,
    private readonly routing: ShipmentRouting,
    private readonly totals: ShipmentTotals,
    private readonly lifecycle: ShipmentLifecycle,
    private readonly milestones: ShipmentMilestones,
    private readonly timeline: ShipmentTimeline,
    private readonly statistics: ShipmentStatistics,
    private readonly organizations: OrganizationContext,
    private readonly companies: OrganizationStore,
    private readonly newDocuments: NewDocuments,
    private readonly newShipments: NewShipments,
    private readonly clock: Clock,
    private readonly shipmentImport: ShipmentImport,
    private readonly upserts: Upserts,
    imports: Imports,
  ) {
    super(imports)
  }

  override get importTarget(): ImportTarget {
    return this.shipmentImport.target
  }

  get(id: string): Promise<ShipmentDto> {
    return this.pages.one(ShipmentDto, view, id)
  }

  getList(input: ShipmentListInput): Promise<ShipmentPage> {
    return this.pages.facetedPage(ShipmentPage, list, { ...input, defaultSorting: 'creationTime DESC' })
  }

  @RequiresPermission(ShipmentPermissions.View)
  async getUpcomingShipments(input: UpcomingShipmentsInput): Promise<ShipmentPage> {
    // Whole seconds, so that requests of the same second share their count.
    const now = Math.floor(this.clock.nowMs / 1000) * 1000
    const from = input.startDate ?? new Date(now - (now % dayMs))
    const to = input.endDate ?? new Date(now + upcomingWindowMs)
    if (to < from) throw new ValidationError([faultOf('endDate', 'Hub:Validation:EndsBeforeStart')])
    const conditions = upcomingShipments(
      await this.references.matching(CodeEntity, 'code', upcomingCodes),
      from,
      to,
    )
    return this.pages.facetedPage(ShipmentPage, list, {
      ...input,
      defaultSorting: 'estimatedDeparture ASC',
      conditions,
    })
  }

  getListAsExcelFile(input: ShipmentFileInput): Promise<FileContent> {
    return this.listAs('xlsx', input)
  }

  getListAsCsvFile(input: ShipmentFileInput): Promise<FileContent> {
    return this.listAs('csv', input)
  }

  @RequiresPermission(ShipmentPermissions.View)
  async getNewDocuments(input: FilteredPagedInput): Promise<{ totalCount: number; items: NewDocumentDto[] }> {
    if (!hasPermission(DocumentPermissions.View)) return { totalCount: 0, items: [] }
    return this.newDocuments.page(new Date(this.clock.nowMs - newDocumentsWindowMs), input)
  }

  create(input: CreateShipmentDto): Promise<ShipmentDto> {
    return UnitOfWork.gathering(async () => {
      const { id } = await this.newShipments.create(input)
      return this.get(id)
    })
  }

  update(id: string, input: UpdateShipmentDto): Promise<ShipmentDto> {
    return this.getAfter(id, () => this.change(id, input))
  }

  private async change(id: string, input: UpdateShipmentDto): Promise<void> {
    const shipment = await this.shipments.get(id)
    expectStamp(shipment, input)
    const { concurrencyStamp: _, ...changes } = input
    const before = { ...(shipment.get() as Shipment) } as Shipment
    this.rules.checkStaffMembers(changes, await this.organizations.current(), before)
    const shipmentAfter = { ...before, ...withoutUndefined(changes) }
    await this.rules.checkReferences(shipmentAfter, before)
    this.raiseChanges(shipment, before, changes)
    await this.shipments.update(shipment, {
      ...changes,
      ...(chargedBy.some((member) => changes[member] !== undefined) && {
        totalChargeableWeight: await this.totals.chargeableWeightOf(shipmentAfter),
      }),
      ...((await this.overridesRouting(before, changes)) && { isRoutingOverridden: true }),
    })
    const delay = delayOf(before, shipment.estimatedArrival)
    if (delay) await this.delays.raise({ ...delay, shipmentId: id })
    if (movesMilestones(Object.keys(changes))) await this.milestones.follow(shipment)
    if (before.isRoutingOverridden && changes.isRoutingOverridden === false) await this.routing.derive([id])
  }

  @RequiresPermission(ShipmentPermissions.Edit)
  upsert(input: UpsertShipmentDto): Promise<UpsertedDto> {
    return this.upserts.one(input, this.upsertSteps)
  }

  @RequiresPermission(ShipmentPermissions.Edit)
  upsertMany({ rows }: UpsertShipmentsDto): Promise<UpsertedManyDto> {
    return this.upserts.many(rows, this.upsertSteps)
  }

  @RequiresPermission(ShipmentPermissions.View)
  async getByReference(reference: string): Promise<ShipmentDto> {
    const shipment = await this.shipments.findByReference(reference)
    if (!shipment) throw new EntityNotFoundError('Shipment', reference)
    return this.get(shipment.id)
  }

  @RequiresPermission(ShipmentPermissions.View)
  async getTimeline(id: string): Promise<TimelineEntryDto[]> {
    await this.shipments.get(id)
    return this.timeline.of(id)
  }

  @RequiresPermission(ShipmentPermissions.View)
  getStatistics({ from, to, groupBy }: ShipmentStatisticsInput): Promise<ShipmentStatisticsDto[]> {
    const end = to ?? new Date(this.clock.nowMs + yearMs)
    const start = from ?? new Date(end.getTime() - (to ? 1 : 2) * yearMs)
    if (end < start) throw new ValidationError([faultOf('to', 'Hub:Validation:EndsBeforeStart')])
    return this.statistics.of(start, end, groupBy)
  }

  @RequiresPermission(ShipmentPermissions.Edit)
  async setAddresses(id: string, { addresses: given, ...input }: SetAddressesDto): Promise<ShipmentDto> {
    await this.companies.hold(given.map(({ organizationId }) => organizationId))
    const shipment = await this.shipments.get(id)
    expectStamp(shipment, input)
    const before = await this.addresses.ofShipment(id)
    const scope = await this.organizations.current()
    const parties = withSequences(await this.rules.checkParties(given, scope, before))
    const changedFields = ['addresses']
    shipment.raise(new ShipmentUpdatedEto({ ...occurrenceOf(shipment, this.clock.now), changedFields }))
    // The time makes it a change also when the same organizations see it: of two at once the second is refused.
    await this.shipments.update(shipment, {
      visibleOrganizationIds: visibleOrganizationIds(parties),
      controllingCustomerId: controllingCustomerOf(parties),
      lastModificationTime: this.clock.now,
    })
    await this.addresses.replace(id, before, parties)
    return this.get(id)
  }

  /** The copy has parties, cargo, modes and ports; neither dates, bills nor ties to other systems. */
  @RequiresPermission(ShipmentPermissions.Create)
  async copy(id: string, { newReference: shipmentReference }: CopyShipmentDto): Promise<ShipmentDto> {
    const source = await this.shipments.get(id)
    const seesValue = hasPermission(ShipmentPermissions.ViewGoodsValue)
    const addresses = (await this.addresses.ofShipment(id)).map(
      (party) => pick(party, Object.keys(ShipmentAddressInput.shape)) as ShipmentAddressInput,
    )
    const cargo = pick(
      source,
      seesValue ? [...copiedMembers, 'goodsValue', 'goodsCurrencyCode'] : copiedMembers,
    )
    return this.create({ ...cargo, shipmentReference, addresses })
  }

  /** Deletes its documents and detaches its orders, also those that the caller does not see. */
  async delete(id: string): Promise<void> {
    const shipment = await this.shipments.get(id)
    shipment.raise(new ShipmentDeletedEto(occurrenceOf(shipment, this.clock.now)))
    await this.shipments.remove(shipment)
    await this.children.removeOf(id)
    for (const order of await this.orders.ofShipment(id))
      await this.orders.update(order, { shipmentId: null })
    for (const document of await this.documents.ofShipment(id)) await this.documents.remove(document)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  book(id: string, input: BookShipmentDto): Promise<ShipmentDto> {
    return this.perform(id, 'book', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  confirm(id: string, input: BookShipmentDto): Promise<ShipmentDto> {
    return this.perform(id, 'confirm', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  receiveCargo(id: string, input: ActualTimeDto): Promise<ShipmentDto> {
    return this.perform(id, 'receiveCargo', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  depart(id: string, input: ActualTimeDto): Promise<ShipmentDto> {
    return this.perform(id, 'depart', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  arrive(id: string, input: ActualTimeDto): Promise<ShipmentDto> {
    return this.perform(id, 'arrive', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  clearCustoms(id: string, input: ActualTimeDto): Promise<ShipmentDto> {
    return this.perform(id, 'clearCustoms', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  dispatchDelivery(id: string, input: DispatchDeliveryDto): Promise<ShipmentDto> {
    return this.perform(id, 'dispatchDelivery', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  deliver(id: string, input: ActualTimeDto): Promise<ShipmentDto> {
    return this.perform(id, 'deliver', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  complete(id: string, input: ShipmentActionDto): Promise<ShipmentDto> {
    return this.perform(id, 'complete', input)
  }

  @RequiresPermission(ShipmentPermissions.Cancel)
  cancel(id: string, input: ReasonDto): Promise<ShipmentDto> {
    return this.perform(id, 'cancel', input)
  }

  @RequiresPermission(ShipmentPermissions.Reopen)
  reopen(id: string, input: ReasonDto): Promise<ShipmentDto> {
    return this.perform(id, 'reopen', input)
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  setHold(id: string, { reason, ...input }: ReasonDto): Promise<ShipmentDto> {
    return this.getAfter(id, () => this.lifecycle.hold(id, reason, input))
  }

  @RequiresPermission(ShipmentPermissions.ChangeStatus)
  releaseHold(id: string, input: ShipmentActionDto): Promise<ShipmentDto> {
    return this.getAfter(id, () => this.lifecycle.hold(id, null, input))
  }

  @RequiresPermission(ShipmentPermissions.ForceStatus)
  forceStatus(id: string, input: ForceStatusDto): Promise<ShipmentDto> {
    return this.getAfter(id, () => this.lifecycle.force(id, input))
  }

  /** True for a change by hand of what follows the consols, unless the change says itself whether it does. */
  private async overridesRouting(before: Shipment, changes: Partial<UpdateShipmentDto>): Promise<boolean> {
    if (before.isRoutingOverridden || changes.isRoutingOverridden != null) return false
    return this.routing.isOverriddenBy(before.id, changedMembersOf(before, changes))
  }

  /** Tells of changed members, and of an estimated arrival that moved by a day or more. */
  private raiseChanges(shipment: Shipment, before: Shipment, changes: Partial<UpdateShipmentDto>): void {
    const members = changedMembersOf(before, changes)
    if (!members.length) return
    const { updated, rescheduled } = changeEventsOf(before, changes, members, this.clock.now)
    shipment.raise(new ShipmentUpdatedEto(updated))
    if (rescheduled) shipment.raise(new ShipmentScheduleChangedEto(rescheduled))
  }

  private perform(id: string, action: ShipmentAction, input: ActionInput): Promise<ShipmentDto> {
    return this.getAfter(id, () => this.lifecycle.perform(id, action, input))
  }

  /** A shipment after work on it. New rows and events of the work are sent together. */
  private getAfter(id: string, work: () => Promise<void>): Promise<ShipmentDto> {
    return UnitOfWork.gathering(async () => {
      await work()
      return this.get(id)
    })
  }

  private listAs(format: SpreadsheetFormat, input: ShipmentFileInput): Promise<FileContent> {
    return this.pages.file(format, shipmentSheet, list, { ...input, defaultSorting: 'creationTime DESC' })
  }
}

function pick(row: object, members: readonly string[]): object {
  return Object.fromEntries(members.map((member) => [member, (row as Record<string, unknown>)[member]]))
}

/** True when a shipment has these parties and no others. What is not given of a party, and a name that its organization gives, may be anything. */
function hasParties(own: readonly ShipmentAddress[], given: readonly ShipmentAddressInput[]): boolean {
  if (own.length !== given.length) return false
  return withSequences(given).every((party) => {
    const was = own.find(({ role, sequence }) => role === party.role && sequence === party.sequence)
    return Object.entries(party).every(([name, value]) => {
      if (value === undefined || (name === 'companyName' && value === null)) return true
      return was !== undefined && (was[name as keyof ShipmentAddress] ?? null) === value
    })
  })
}

function withoutUndefined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
