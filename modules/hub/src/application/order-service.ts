import { AutoApiController, Clock } from '@keel/framework'
import { BusinessError, faultOf, pageLimits, ValidationError } from '@keel/framework/contracts'
import {
  CrudService,
  Databases,
  expectStamp,
  JsonView,
  PageReader,
  ReferenceSets,
  RowRules,
  type Sql,
  UnitOfWork,
} from '@keel/framework/data'
import { demandPermission, RequiresPermission } from '@keel/framework/security'
import {
  AddressRole,
  type AttachOrderDto,
  type ConfirmOrderDto,
  type CreateOrderDto,
  HubErrors,
  type OrderActionDto,
  OrderAllocationChangedEto,
  OrderAppService,
  OrderDeletedEto,
  type OrderDto,
  OrderLineDto,
  type OrderLineInput,
  type OrderListInput,
  OrderPermissions,
  OrderSplitEto,
  OrderStatus,
  OrderStatusHistoryDto,
  type ReasonDto,
  type ReceiveOrderDto,
  type SetOrderLinesDto,
  ShipmentPermissions,
  ShipmentStatus,
  type SplitOrderDto,
  type UpdateOrderDto,
  type UpsertedDto,
  type UpsertedManyDto,
  type UpsertOrderDto,
  type UpsertOrdersDto,
} from '../contracts/index.js'
import { amountOf, decimalOf, sumOf, unitsOf } from '../domain/exact-decimal.js'
import { Order, OrderLine, OrderStatusHistory } from '../domain/order.js'
import { Organization } from '../domain/organization.js'
import type { Shipment } from '../domain/shipment.js'
import { visibleOrganizationIds } from '../domain/shipment-visibility.js'
import { orderConditions } from '../persistence/order-conditions.js'
import {
  OrderLineStore,
  OrderStore,
  OrganizationStore,
  ShipmentAddressStore,
  ShipmentStore,
} from '../persistence/stores.js'
import { HsCodeRules } from './hs-code-rules.js'
import { OrderLifecycle } from './order-lifecycle.js'
import { OrderRules } from './order-rules.js'
import { orderRefusal, shipmentNotEditable } from './refusals.js'
import { ShipmentParents } from './shipment-parents.js'
import { type UpsertSteps, Upserts } from './upserts.js'

/** Digits before the point of amounts and quantities in the database. */
const mostDigits = 14

const lineView = new JsonView(OrderLine, OrderLineDto)
const historyView = new JsonView(OrderStatusHistory, OrderStatusHistoryDto)

@AutoApiController(OrderAppService)
@RequiresPermission(OrderPermissions)
export class OrderService extends CrudService(OrderAppService, Order, {
  searchIn: ['orderNumber', 'description'],
  filterBy: ['status', 'buyerId', 'supplierId', 'shipmentId'],
  defaultSorting: 'creationTime DESC',
}) {
  /** An order is changed where it differs alone: one that is closed may be sent again as it is. */
  private readonly upsertSteps: UpsertSteps<UpsertOrderDto> = {
    create: { permission: OrderPermissions.Create, run: (input) => this.create(input) },
    taken: [HubErrors.OrderNumberAlreadyExists],
    find: async ({ buyerId, externalId }) => {
      const [found, ...others] = await this.orders.withExternalId(buyerId, externalId)
      if (others.length) throw new BusinessError(HubErrors.OrderExternalIdAmbiguous, { externalId })
      return found
    },
    update: async (id, { lines, ...changes }) => {
      if (!hasMembers(await this.store.get(id), changes)) await this.update(id, changes)
      if (lines && !hasLines(await this.lines.ofOrder(id), lines)) await this.setLines(id, { lines })
    },
  }

  constructor(
    databases: Databases,
    rowRules: RowRules,
    pages: PageReader,
    private readonly orders: OrderStore,
    private readonly lines: OrderLineStore,
    private readonly rules: OrderRules,
    private readonly hsCodes: HsCodeRules,
    private readonly lifecycle: OrderLifecycle,
    private readonly shipments: ShipmentStore,
    private readonly addresses: ShipmentAddressStore,
    private readonly companies: OrganizationStore,
    private readonly parents: ShipmentParents,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
    private readonly upserts: Upserts,
  ) {
    super(databases, rowRules, pages)
  }

  override listConditions(input: OrderListInput): readonly Sql[] {
    return [...super.listConditions(input), ...orderConditions(input)]
  }

  override async create({ lines, ...input }: CreateOrderDto): Promise<OrderDto> {
    await this.rules.checkReferences(input)
    await this.rules.checkTrade(input, input.orderNumber)
    return UnitOfWork.gathering(async () => {
      const order = await this.store.insert(input)
      await this.lifecycle.begin(order)
      if (lines?.length) await this.writeLines(order, lines)
      return this.get(order.id)
    })
  }

  override async update(id: string, input: UpdateOrderDto): Promise<OrderDto> {
    const order = await this.partyTo(id, input)
    this.rules.checkChanges(order, input)
    await this.rules.checkReferences(input, order)
    const { buyerId = order.buyerId, supplierId = order.supplierId } = input
    await this.rules.checkTrade({ buyerId, supplierId }, input.orderNumber ?? order.orderNumber, order)
    return super.update(id, input)
  }

  @RequiresPermission(OrderPermissions.Edit)
  upsert(input: UpsertOrderDto): Promise<UpsertedDto> {
    return this.upserts.one(input, this.upsertSteps)
  }

  @RequiresPermission(OrderPermissions.Edit)
  upsertMany({ rows }: UpsertOrdersDto): Promise<UpsertedManyDto> {
    return this.upserts.many(rows, this.upsertSteps)
  }

  /** Its lines go with it, one by one, so that audit log and events tell of them. */
  override async delete(id: string): Promise<void> {
    const order = await this.partyTo(id)
    order.raise(new OrderDeletedEto(this.lifecycle.event(order)))
    for (const line of await this.lines.ofOrder(id)) await this.lines.remove(line)
    await this.store.remove(order)
  }

  @RequiresPermission(OrderPermissions.View)
  async getLines(id: string): Promise<OrderLineDto[]> {
    await this.store.get(id)
    return this.pages.array(OrderLineDto, lineView, {
      conditions: lineView.equal({ orderId: id }),
      maxResultCount: pageLimits.most,
      defaultSorting: 'lineNumber',
    })
  }

  @RequiresPermission(OrderPermissions.Edit)
  async setLines(id: string, { lines, ...input }: SetOrderLinesDto): Promise<OrderLineDto[]> {
    const order = await this.partyTo(id, input)
    if (order.status !== OrderStatus.Draft && order.status !== OrderStatus.Placed)
      throw orderRefusal(HubErrors.OrderNotEditable, order)
    if (order.status === OrderStatus.Placed && !lines.length)
      throw orderRefusal(HubErrors.OrderWithoutLines, order)
    await this.writeLines(order, lines)
    return this.getLines(id)
  }

  @RequiresPermission(OrderPermissions.View)
  async getStatusHistory(id: string): Promise<OrderStatusHistoryDto[]> {
    await this.store.get(id)
    return this.pages.array(OrderStatusHistoryDto, historyView, {
      conditions: historyView.equal({ orderId: id }),
      maxResultCount: pageLimits.most,
      defaultSorting: 'changeTime',
    })
  }

  @RequiresPermission(OrderPermissions.Edit)
  async place(id: string, input: OrderActionDto): Promise<OrderDto> {
    await this.lifecycle.perform(await this.partyTo(id, input), 'place')
    return this.get(id)
  }

  @RequiresPermission(OrderPermissions.Edit)
  async confirm(id: string, { cargoReadyDate, ...input }: ConfirmOrderDto): Promise<OrderDto> {
    const order = await this.partyTo(id, input)
    const mayConfirm = await this.rules.belongsTo(order.supplierId)
    await this.lifecycle.perform(order, 'confirm', { changes: { cargoReadyDate }, facts: { mayConfirm } })
    return this.get(id)
  }

  @RequiresPermission(OrderPermissions.Edit)
  async close(id: string, input: OrderActionDto): Promise<OrderDto> {
    await this.lifecycle.perform(await this.partyTo(id, input), 'close')
    return this.get(id)
  }

  @RequiresPermission(OrderPermissions.Cancel)
  async cancel(id: string, { reason, ...input }: ReasonDto): Promise<OrderDto> {
    const order = await this.partyTo(id, input)
    const shipmentStatus = await this.shipments.statusOf(order.shipmentId)
    await this.lifecycle.perform(order, 'cancel', {
      reason,
      changes: { shipmentId: null },
      facts: { shipmentStatus },
    })
    return this.get(id)
  }

  @RequiresPermission(OrderPermissions.Edit)
  async receive(id: string, { lines, ...input }: ReceiveOrderDto): Promise<OrderDto> {
    const order = await this.partyTo(id, input)
    this.lifecycle.demand(order, 'receive')
    for (const [line, quantity] of await this.linesNamed(order, lines)) {
      const received = unitsOf(line.quantityReceived) + quantity
      if (received > unitsOf(line.quantityShipped))
        throw orderRefusal(HubErrors.ReceivedExceedsShipped, order, { lineNumber: line.lineNumber })
      await this.lines.update(line, { quantityReceived: decimalOf(received) })
    }
    // Of two at once the second is refused: the lines themselves have no stamp.
    await this.store.update(order, { lastModificationTime: this.clock.now })
    await this.lifecycle.receiveIfComplete(order)
    return this.get(id)
  }

  @RequiresPermission(OrderPermissions.Edit)
  async split(id: string, { lines, ...input }: SplitOrderDto): Promise<OrderDto> {
    const order = await this.partyTo(id, input)
    if (order.status !== OrderStatus.Confirmed && order.status !== OrderStatus.PartiallyShipped)
      throw orderRefusal(HubErrors.OrderNotSplittable, order)
    const moved = await this.linesNamed(order, lines)
    for (const [line, quantity] of moved)
      if (quantity > unitsOf(line.quantity) - unitsOf(line.quantityShipped))
        throw orderRefusal(HubErrors.NothingToSplit, order, { lineNumber: line.lineNumber })
    const whole = [...moved].filter(([line, quantity]) => quantity === unitsOf(line.quantity))
    if (whole.length === (await this.lines.ofOrder(id)).length)
      throw orderRefusal(HubErrors.NothingToSplit, order)
    const part = await this.partOf(order)
    for (const [line, quantity] of moved) await this.moveQuantity(line, quantity, part)
    await this.sumLines(order)
    await this.sumLines(part)
    part.raise(new OrderSplitEto({ ...this.lifecycle.event(part), sourceId: order.id }))
    await this.store.update(part, {})
    return this.get(part.id)
  }

  @RequiresPermission(OrderPermissions.Edit)
  async attachToShipment(id: string, { shipmentId, ...input }: AttachOrderDto): Promise<OrderDto> {
    const { buyerId, supplierId } = await this.store.get(id)
    await this.companies.hold([buyerId, supplierId])
    const order = await this.partyTo(id, input)
    this.rules.checkChanges(order)
    // The other side of the order becomes a party of the shipment, and sees it.
    demandPermission(ShipmentPermissions.Edit)
    const shipment = await this.parents.demandChangeable(shipmentId)
    if (shipment.status >= ShipmentStatus.InTransit) throw shipmentNotEditable(shipment)
    await this.addParties(order, shipment)
    await this.allocate(order, shipmentId)
    return this.get(id)
  }

  @RequiresPermission(OrderPermissions.Edit)
  async detach(id: string, input: OrderActionDto): Promise<OrderDto> {
    const order = await this.partyTo(id, input)
    this.rules.checkChanges(order)
    await this.allocate(order, null)
    return this.get(id)
  }

  /** The order, of which the caller is a party. Refuses a stamp that is not the last one. */
  private async partyTo(id: string, input: object = {}): Promise<Order> {
    const order = await this.store.get(id)
    expectStamp(order, input)
    await this.rules.demandParty(order)
    return order
  }

  /** Puts lines in the place of those so far: one with the number of a line so far takes its row. */
  private async writeLines(order: Order, lines: readonly OrderLineInput[]): Promise<void> {
    const numbers = new Set(lines.map(({ lineNumber }) => lineNumber))
    if (numbers.size < lines.length) throw orderRefusal(HubErrors.DuplicateOrderLine, order)
    const before = new Map((await this.lines.ofOrder(order.id)).map((line) => [line.lineNumber, line]))
    const codes = new Set([...before.values()].map(({ hsCode }) => hsCode))
    await this.hsCodes.demandKnown(
      lines.flatMap(({ hsCode: code }, index) =>
        code && !codes.has(code) ? [{ member: `lines[${index}].hsCode`, code }] : [],
      ),
    )
    for (const [number, line] of before) if (!numbers.has(number)) await this.lines.remove(line)
    for (const [index, line] of lines.entries()) {
      const lineAmount = within(amountOf(line.quantity, line.unitPrice), `lines[${index}].unitPrice`)
      const row = before.get(line.lineNumber)
      if (row) await this.lines.update(row, { ...noDetails, ...line, lineAmount })
      else await this.lines.insert({ ...line, lineAmount, orderId: order.id })
    }
    await this.sumLines(order)
  }

  /** Writes the totals of the lines. The time makes it a change also when they stay: of two at once the second is refused. */
  private async sumLines(order: Order): Promise<void> {
    const lines = await this.lines.ofOrder(order.id)
    await this.store.update(order, {
      totalAmount: within(
        sumOf(
          lines.map(({ lineAmount }) => lineAmount),
          2,
        ),
        'lines',
      ),
      totalQuantity: within(sumOf(lines.map(({ quantity }) => quantity)), 'lines'),
      lastModificationTime: this.clock.now,
    })
  }

  /** The lines that an input names, with its quantities in ten-thousandths. Refuses lines of other orders. */
  private async linesNamed(
    order: Order,
    named: ReceiveOrderDto['lines'],
  ): Promise<ReadonlyMap<OrderLine, bigint>> {
    const lines = new Map((await this.lines.ofOrder(order.id)).map((line) => [line.id, line]))
    const quantities = new Map<OrderLine, bigint>()
    const faults = named.flatMap(({ orderLineId, quantity }, index) => {
      const line = lines.get(orderLineId)
      if (!line) return [faultOf(`lines[${index}].orderLineId`, 'Hub:Validation:NoSuchOrderLine')]
      quantities.set(line, (quantities.get(line) ?? 0n) + unitsOf(quantity))
      return []
    })
    if (faults.length) throw new ValidationError(faults)
    return quantities
  }

  /** A confirmed order of the same number, without lines. */
  private async partOf(order: Order): Promise<Order> {
    const part = await this.store.insert({
      ...pick(order, copiedMembers),
      splitNumber: (await this.orders.lastSplitOf(order)) + 1,
      status: OrderStatus.Confirmed,
    })
    await this.lifecycle.begin(part)
    return part
  }

  private async moveQuantity(line: OrderLine, quantity: bigint, part: Order): Promise<void> {
    const rest = unitsOf(line.quantity) - quantity
    const amount = (of: bigint) => amountOf(decimalOf(of), line.unitPrice)
    await this.lines.insert({
      ...pick(line, ['lineNumber', 'productCode', 'description', 'hsCode', 'unitCode', 'unitPrice']),
      orderId: part.id,
      quantity: decimalOf(quantity),
      lineAmount: amount(quantity),
    })
    if (rest === 0n) await this.lines.remove(line)
    else await this.lines.update(line, { quantity: decimalOf(rest), lineAmount: amount(rest) })
  }

  /** Adds buyer and supplier to a shipment as far as it has nobody in these roles. One of them must be a party of it. */
  private async addParties(order: Order, shipment: Shipment): Promise<void> {
    const { buyerId, supplierId } = order
    const parties = await this.addresses.ofShipment(shipment.id)
    const isParty = parties.some(({ organizationId: id }) => id === buyerId || id === supplierId)
    if (!isParty)
      throw orderRefusal(HubErrors.NotPartyOfShipment, order, {
        shipmentReference: shipment.shipmentReference,
      })
    const names = await this.references.rows(Organization, [buyerId, supplierId])
    const missing = [
      { role: AddressRole.Buyer, organizationId: buyerId },
      { role: AddressRole.Supplier, organizationId: supplierId },
    ].filter(({ role }) => !parties.some((party) => party.role === role))
    if (!missing.length) return
    await this.shipments.update(shipment, {
      visibleOrganizationIds: visibleOrganizationIds([...parties, ...missing]),
      lastModificationTime: this.clock.now,
    })
    for (const party of missing) {
      const companyName = names.value(party.organizationId, 'fullName') ?? ''
      await this.addresses.insert({ ...party, shipmentId: shipment.id, companyName })
    }
  }

  /** Puts an order on a shipment, or takes it from its own. */
  private async allocate(order: Order, shipmentId: string | null): Promise<void> {
    const { shipmentId: oldShipmentId } = order
    if (oldShipmentId === shipmentId) return
    const event = { ...this.lifecycle.event(order), shipmentId, oldShipmentId }
    order.raise(new OrderAllocationChangedEto(event))
    await this.store.update(order, { shipmentId })
  }
}

/** The defaults of a line. */
const noDetails = {
  description: null,
  hsCode: null,
  unitPrice: null,
  outerPackages: null,
  grossWeightKg: null,
  volumeM3: null,
} as const

/** The members that a part of a split order takes over. */
const copiedMembers = [
  ...(['orderNumber', 'buyerId', 'supplierId', 'orderDate', 'requiredExWorksDate'] as const),
  ...(['requiredInStoreDate', 'cargoReadyDate', 'incotermId', 'transportModeId', 'originPortId'] as const),
  ...(['destinationPortId', 'currencyCode', 'description', 'extraProperties'] as const),
] as const

function pick<T extends object, K extends keyof T>(row: T, members: readonly K[]): Pick<T, K> {
  return Object.fromEntries(members.map((member) => [member, row[member]])) as unknown as Pick<T, K>
}

/** Refuses a decimal that the database can't hold. */
function within(decimal: string, member: string): string {
  if (decimal.indexOf('.') > mostDigits)
    throw new ValidationError([faultOf(member, 'Validation:Digits', { digits: mostDigits })])
  return decimal
}

/** True when a row has the values of an input, as far as they are given. */
function hasMembers(row: object, { extraProperties, ...given }: Omit<UpsertOrderDto, 'lines'>): boolean {
  const isSame = (values: object, own: object) =>
    Object.entries(values).every(
      ([name, value]) =>
        value === undefined || (value ?? null) === ((own as Record<string, unknown>)[name] ?? null),
    )
  return isSame(given, row) && isSame(extraProperties ?? {}, (row as Order).extraProperties)
}

const exactMembers: ReadonlySet<string> = new Set(['quantity', 'unitPrice'])

/** True when an order has these lines and no others. Members that a line leaves out are empty. */
function hasLines(own: readonly OrderLine[], given: readonly OrderLineInput[]): boolean {
  if (own.length !== given.length) return false
  return given.every((line) => {
    const was = own.find(({ lineNumber }) => lineNumber === line.lineNumber)
    return Object.entries({ ...noDetails, ...line }).every(([name, value]) => {
      const before = was?.[name as keyof OrderLine] ?? null
      const isExact = exactMembers.has(name) && before !== null && value !== null && value !== undefined
      return isExact ? unitsOf(String(before)) === unitsOf(String(value)) : before === (value ?? null)
    })
  })
}
