import {
  AddressRole,
  HubErrors,
  OrderAppService,
  OrderPermissions,
  OrderStatus,
  ShipmentAppService,
  ShipmentStatus,
} from '@keel/hub/contracts'
import { createHubProxy } from '@keel/hub-proxy'
import { CustomerAdmin, DefaultCustomer, OperationsManager, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addMember,
  addOrganization,
  addShipments,
  codeId,
  portId,
  setColumn,
  storedRow,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/order'
const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let manager: AppCaller
let operator: AppCaller
/** Customers of the buyer, of the supplier and of a company that trades with neither. */
let buying: AppCaller
let supplying: AppCaller
let stranger: AppCaller
let buyer: string
let supplier: string
let other: string
let number = 0

beforeAll(async () => {
  app = await startApp()
  manager = await app.as({ roles: [OperationsManager] })
  operator = await app.as({ roles: [Operator] })
  buyer = await addOrganization(app, 'BUYER')
  supplier = await addOrganization(app, 'SUPPLIER')
  other = await addOrganization(app, 'OTHER')
  const customerOf = async (organization: string) => {
    const caller = await app.as({ roles: [CustomerAdmin] })
    await addMember(app, caller.userId, organization)
    return caller
  }
  buying = await customerOf(buyer)
  supplying = await customerOf(supplier)
  stranger = await customerOf(other)
})
afterAll(() => app?.close())

const orders = (who: AppCaller) => who.service(OrderAppService)
const line = (lineNumber: number, more: object = {}) => ({
  lineNumber,
  productCode: `SKU-${lineNumber}`,
  quantity: '10',
  unitCode: 'C62',
  unitPrice: '2.5',
  ...more,
})
const draft = (more: object = {}) => ({
  orderNumber: `PO-${++number}`,
  buyerId: buyer,
  supplierId: supplier,
  orderDate: '2026-11-01',
  currencyCode: 'EUR',
  lines: [line(1), line(2, { unitPrice: '0.3333', quantity: '3' })],
  ...more,
})
const created = async (more: object = {}) => (await orders(manager).create(draft(more))).id
/** An order that its supplier has confirmed. */
async function confirmed(more: object = {}): Promise<string> {
  const id = await created(more)
  await orders(manager).place(id, {})
  await orders(manager).confirm(id, { cargoReadyDate: '2026-11-20' })
  return id
}
async function shipmentOf(organizationId: string, row: object = {}): Promise<string> {
  const parties = [{ role: AddressRole.ControllingCustomer, organizationId }]
  const [id = ''] = await addShipments(app, [{ parties, ...row }])
  return id
}
/** A confirmed shipment of the buyer that can depart. */
const departing = () => shipmentOf(buyer, { Status: ShipmentStatus.Confirmed })
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )
const idsIn = (answer: { body: { value?: { Id: string }[]; items?: { id: string }[] } }) =>
  answer.body.items?.map(({ id }) => id) ?? answer.body.value?.map(({ Id }) => Id)
const linesOf = async (id: string) => orders(manager).getLines(id)
describe('an order', () => {
  test('is created with lines, whose amounts and sums are exact, read, changed and deleted', async () => {
    const { lines, ...input } = draft({
      incotermId: codeId('Incoterm', 'FCA'),
      transportModeId: codeId('TransportMode', 'Sea'),
      originPortId: portId('CNSHA'),
      destinationPortId: portId('NLRTM'),
      requiredInStoreDate: '2026-12-24',
    })
    const made = await send(operator, 'POST', path, { ...input, lines })
    const { buyerId, supplierId, ...shown } = input
    expect([made.status, made.body]).toMatchObject([
      200,
      {
        ...shown,
        buyer: { id: buyer, code: 'BUYER' },
        supplier: { id: supplier, code: 'SUPPLIER' },
        status: OrderStatus.Draft,
        splitNumber: 0,
        shipmentId: null,
        totalAmount: 26,
        totalQuantity: 13,
      },
    ])
    const { id, concurrencyStamp } = made.body
    expect((await linesOf(id)).map(({ lineNumber, lineAmount }) => [lineNumber, lineAmount])).toEqual([
      [1, '25'],
      [2, '1'],
    ])
    expect((await send(buying, 'GET', `${path}/${id}`)).body).toEqual(made.body)
    const changed = await send(buying, 'PUT', `${path}/${id}`, {
      description: 'Chairs',
      currencyCode: 'USD',
      concurrencyStamp,
    })
    expect(changed.body).toMatchObject({ description: 'Chairs', currencyCode: 'USD' })
    const stale = await send(buying, 'PUT', `${path}/${id}`, { description: 'x', concurrencyStamp })
    expect(stale.status).toBe(409)
    const [first] = await linesOf(id)
    expect((await send(buying, 'DELETE', `${path}/${id}`)).status).toBe(403)
    expect((await send(manager, 'DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await send(manager, 'GET', `${path}/${id}`)).status).toBe(404)
    expect((await storedRow(app, 'HubOrderLines', first?.id ?? '')).IsDeleted).toBe(true)
  })

  test('has a number of its own at its buyer, and a buyer that is not its supplier', async () => {
    const input = draft()
    await orders(manager).create(input)
    await expect(orders(manager).create(input)).rejects.toMatchObject({
      code: HubErrors.OrderNumberAlreadyExists,
    })
    expect(await codeOf(orders(manager).create(draft({ supplierId: buyer })))).toBe(
      HubErrors.BuyerEqualsSupplier,
    )
  })

  test('refuses references that do not exist, and code entities of another list', async () => {
    const wrong = draft({ originPortId: nowhere, incotermId: nowhere })
    expect(faultyMembers(await send(operator, 'POST', path, wrong))).toEqual(['incotermId', 'originPortId'])
    const mode = draft({ incotermId: codeId('TransportMode', 'Sea') })
    expect(await codeOf(orders(operator).create(mode))).toBe(HubErrors.WrongCodeEntityType)
    const party = await send(operator, 'POST', path, draft({ supplierId: nowhere }))
    expect(faultyMembers(party)).toEqual(['supplierId'])
  })

  test('lists by status, parties, shipment and number, and has a proxy to call and to query', async () => {
    const id = await created({ orderNumber: 'FIND-ME' })
    expect(idsIn(await send(buying, 'GET', `${path}?filter=find-m&status=0&buyerId=${buyer}`))).toEqual([id])
    expect(idsIn(await send(buying, 'GET', `${path}?filter=FIND&status=1`))).toEqual([])
    const hub = createHubProxy({ baseUrl: app.host.url, accessToken: () => buying.token })
    const { items } = await hub.orders.query((q) => q.filter((o) => o.orderNumber.eq('FIND-ME')))
    expect(items).toMatchObject([{ id, orderNumber: 'FIND-ME', totalAmount: '26.00' }])
    const lines = await hub.orderLines.query((q) => q.filter((row) => row.orderId.eq(id)))
    const ids = lines.items.map((row) => row.id).sort()
    expect(ids).toEqual((await hub.orders.getLines(id)).map((row) => row.id).sort())
    expect(await hub.orders.get(id)).toMatchObject({ orderNumber: 'FIND-ME' })
  })

  test('is listed by being on a shipment or on none, for those who see it', async () => {
    const on = await confirmed({ orderNumber: 'WHERE-ON' })
    const off = await created({ orderNumber: 'WHERE-OFF' })
    await orders(manager).attachToShipment(on, { shipmentId: await shipmentOf(buyer) })
    const listed = async (who: AppCaller, query: string) =>
      idsIn(await send(who, 'GET', `${path}?filter=WHERE-${query}`))
    expect(await listed(buying, '&hasShipment=true')).toEqual([on])
    expect(await listed(buying, '&hasShipment=false')).toEqual([off])
    expect(await listed(buying, '')).toEqual([off, on])
    expect(await listed(buying, `&hasShipment=true&status=${OrderStatus.Draft}`)).toEqual([])
    expect(await listed(stranger, '&hasShipment=false')).toEqual([])
    const perhaps = await send(buying, 'GET', `${path}?hasShipment=perhaps`)
    expect(faultyMembers(perhaps)).toEqual(['hasShipment'])
  })

  test('is listed by being open: as a draft, placed or confirmed, and no longer once it is cancelled', async () => {
    const open = await confirmed({ orderNumber: 'OPEN-YES' })
    const over = await created({ orderNumber: 'OPEN-NO' })
    await orders(manager).cancel(over, { reason: 'Not needed' })
    const listed = async (query: string) =>
      idsIn(await send(buying, 'GET', `${path}?filter=OPEN-&sorting=orderNumber&${query}`))
    expect(await listed('isOpen=true')).toEqual([open])
    expect(await listed('isOpen=false')).toEqual([over])
    expect(await listed('')).toEqual([over, open])
  })
})

describe('lines', () => {
  test('are replaced as a whole, each number once; a line keeps its row', async () => {
    const id = await created()
    const [first] = await linesOf(id)
    const set = await orders(buying).setLines(id, { lines: [line(1, { quantity: '4' }), line(7)] })
    expect(set.map((row) => [row.id === first?.id, row.lineNumber, row.quantity])).toEqual([
      [true, 1, '4'],
      [false, 7, '10'],
    ])
    expect(await orders(buying).get(id)).toMatchObject({ totalAmount: '35', totalQuantity: '14' })
    const twice = orders(buying).setLines(id, { lines: [line(1), line(1)] })
    expect(await codeOf(twice)).toBe(HubErrors.DuplicateOrderLine)
    const huge = { lines: [line(1, { quantity: '99999999999999', unitPrice: '1000' })] }
    const refused = await send(buying, 'POST', `${path}/${id}/set-lines`, huge)
    expect([refused.status, faultyMembers(refused)]).toEqual([400, ['lines[0].unitPrice']])
  })

  test('change until the order is confirmed, and a placed order keeps some', async () => {
    const id = await created()
    await orders(buying).place(id, {})
    expect(await codeOf(orders(buying).setLines(id, { lines: [] }))).toBe(HubErrors.OrderWithoutLines)
    await orders(buying).setLines(id, { lines: [line(1)] })
    await orders(supplying).confirm(id, { cargoReadyDate: '2026-11-20' })
    expect(await codeOf(orders(buying).setLines(id, { lines: [line(1)] }))).toBe(HubErrors.OrderNotEditable)
  })
})

describe('the life of an order', () => {
  test('goes from draft to closed with its shipment, with its history', async () => {
    const id = await created()
    await orders(buying).place(id, {})
    const own = await orders(supplying).confirm(id, { cargoReadyDate: '2026-11-20' })
    expect(own).toMatchObject({ status: OrderStatus.Confirmed, cargoReadyDate: '2026-11-20' })
    const shipmentId = await departing()
    expect(await orders(buying).attachToShipment(id, { shipmentId })).toMatchObject({ shipmentId })
    const shipments = manager.service(ShipmentAppService)
    await shipments.depart(shipmentId, {})
    expect(await orders(buying).get(id)).toMatchObject({ status: OrderStatus.Shipped })
    expect((await linesOf(id)).map(({ quantityShipped }) => quantityShipped)).toEqual(['10', '3'])
    await shipments.arrive(shipmentId, {})
    const [first, second] = await linesOf(id)
    const some = { orderLineId: first?.id ?? '', quantity: '4' }
    const tooMuch = { orderLineId: second?.id ?? '', quantity: '3.0001' }
    expect(await codeOf(orders(buying).receive(id, { lines: [some, tooMuch] }))).toBe(
      HubErrors.ReceivedExceedsShipped,
    )
    expect(await orders(buying).receive(id, { lines: [some] })).toMatchObject({ status: OrderStatus.Shipped })
    await shipments.deliver(shipmentId, {})
    expect(await orders(buying).get(id)).toMatchObject({ status: OrderStatus.Received })
    expect((await linesOf(id)).map(({ quantityReceived }) => quantityReceived)).toEqual(['10', '3'])
    expect(await orders(buying).close(id, {})).toMatchObject({ status: OrderStatus.Closed })
    const history = await orders(buying).getStatusHistory(id)
    expect(history.map(({ fromStatus, toStatus }) => [fromStatus, toStatus])).toEqual([
      [null, 0],
      [0, 1],
      [1, 2],
      [2, 4],
      [4, 5],
      [5, 6],
    ])
  })

  test('is received line by line by the buyer', async () => {
    const id = await confirmed()
    const shipmentId = await departing()
    await orders(manager).attachToShipment(id, { shipmentId })
    await manager.service(ShipmentAppService).depart(shipmentId, {})
    const all = (await linesOf(id)).map((row) => ({ orderLineId: row.id, quantity: row.quantity }))
    expect(await orders(buying).receive(id, { lines: all })).toMatchObject({ status: OrderStatus.Received })
  })

  test('refuses actions that its status does not allow, naming both', async () => {
    const id = await created()
    await expect(orders(manager).close(id, {})).rejects.toMatchObject({
      code: HubErrors.OrderInvalidStatusTransition,
      data: { from: 'Draft', to: 'Closed', action: 'close' },
    })
    expect(await codeOf(orders(manager).confirm(id, { cargoReadyDate: '2026-11-20' }))).toBe(
      HubErrors.OrderInvalidStatusTransition,
    )
    const empty = await created({ lines: [] })
    expect(await codeOf(orders(manager).place(empty, {}))).toBe(HubErrors.OrderWithoutLines)
    await orders(manager).place(id, {})
    expect(await codeOf(orders(buying).confirm(id, { cargoReadyDate: '2026-11-20' }))).toBe(
      HubErrors.OnlySupplierConfirms,
    )
    const fixed = await send(buying, 'PUT', `${path}/${id}`, { currencyCode: 'USD', description: 'Chairs' })
    expect([fixed.status, faultyMembers(fixed)]).toEqual([400, ['currencyCode']])
  })

  test('ends by a cancellation with a reason, which takes it from a draft shipment', async () => {
    const id = await confirmed()
    const shipmentId = await shipmentOf(buyer)
    await orders(buying).attachToShipment(id, { shipmentId })
    await setColumn(app, 'HubShipments', shipmentId, 'Status', ShipmentStatus.Booked)
    expect(await codeOf(orders(buying).cancel(id, { reason: 'Too late' }))).toBe(HubErrors.OrderOnShipment)
    await setColumn(app, 'HubShipments', shipmentId, 'Status', ShipmentStatus.Draft)
    const cancelled = await orders(buying).cancel(id, { reason: 'Too late' })
    expect(cancelled).toMatchObject({ status: OrderStatus.Cancelled, shipmentId: null })
    expect((await orders(buying).getStatusHistory(id)).at(-1)).toMatchObject({ reason: 'Too late' })
    expect((await send(buying, 'PUT', `${path}/${id}`, { description: 'x' })).body.error.code).toBe(
      HubErrors.OrderNotEditable,
    )
  })

  test('waits for another shipment when its own is cancelled', async () => {
    const id = await confirmed()
    const shipmentId = await departing()
    await orders(manager).attachToShipment(id, { shipmentId })
    const shipments = manager.service(ShipmentAppService)
    await shipments.depart(shipmentId, {})
    await shipments.cancel(shipmentId, { reason: 'Sunk' })
    expect(await orders(manager).get(id)).toMatchObject({ status: OrderStatus.Confirmed })
    expect((await linesOf(id)).map(({ quantityShipped }) => quantityShipped)).toEqual(['0', '0'])
  })
})

describe('a split', () => {
  test('moves open quantities into an order of the same number', async () => {
    const id = await confirmed()
    const [first, second] = await linesOf(id)
    const lines = [
      { orderLineId: first?.id ?? '', quantity: '4' },
      { orderLineId: second?.id ?? '', quantity: '3' },
    ]
    const part = await orders(supplying).split(id, { lines })
    const whole = await orders(supplying).get(id)
    expect(part).toMatchObject({
      orderNumber: whole.orderNumber,
      splitNumber: 1,
      status: OrderStatus.Confirmed,
      totalQuantity: '7',
      totalAmount: '11',
    })
    expect(whole).toMatchObject({ splitNumber: 0, totalQuantity: '6', totalAmount: '15' })
    expect((await linesOf(id)).map(({ lineNumber }) => lineNumber)).toEqual([1])
    const again = await orders(supplying).split(id, {
      lines: [{ orderLineId: first?.id ?? '', quantity: '1' }],
    })
    expect(again.splitNumber).toBe(2)
  })

  test('takes neither everything, nor more than is open, nor lines of another order', async () => {
    const [id, another] = [await confirmed(), await confirmed()]
    const all = (await linesOf(id)).map((row) => ({ orderLineId: row.id, quantity: row.quantity }))
    expect(await codeOf(orders(buying).split(id, { lines: all }))).toBe(HubErrors.NothingToSplit)
    const more = [{ orderLineId: all[0]?.orderLineId ?? '', quantity: '11' }]
    expect(await codeOf(orders(buying).split(id, { lines: more }))).toBe(HubErrors.NothingToSplit)
    const foreign = await send(buying, 'POST', `${path}/${another}/split`, { lines: all })
    expect(faultyMembers(foreign)).toEqual(['lines[0].orderLineId', 'lines[1].orderLineId'])
    expect(await codeOf(orders(buying).split(await created(), { lines: all }))).toBe(
      HubErrors.OrderNotSplittable,
    )
  })
})

describe('an allocation', () => {
  test('makes buyer and supplier parties of the shipment, which the other one then sees', async () => {
    const id = await confirmed()
    const shipmentId = await shipmentOf(buyer)
    expect((await send(supplying, 'GET', `/api/hub/shipment/${shipmentId}`)).status).toBe(404)
    await orders(buying).attachToShipment(id, { shipmentId })
    const { body } = await send(supplying, 'GET', `/api/hub/shipment/${shipmentId}`)
    const roles = body.addresses.map(({ role }: { role: AddressRole }) => role)
    expect(roles).toEqual([AddressRole.ControllingCustomer, AddressRole.Buyer, AddressRole.Supplier])
    expect(body.orders).toMatchObject([{ id }])
    expect(await orders(buying).detach(id, {})).toMatchObject({ shipmentId: null })
  })

  test('needs a shipment that the caller sees, that has not departed, and on which buyer or supplier is a party', async () => {
    const id = await confirmed()
    const hidden = await shipmentOf(other)
    const theirs = await send(buying, 'POST', `${path}/${id}/attach-to-shipment`, { shipmentId: hidden })
    const none = await send(buying, 'POST', `${path}/${id}/attach-to-shipment`, { shipmentId: nowhere })
    expect([theirs.status, theirs.text]).toEqual([400, none.text])
    expect(await codeOf(orders(manager).attachToShipment(id, { shipmentId: hidden }))).toBe(
      HubErrors.NotPartyOfShipment,
    )
    for (const Status of [ShipmentStatus.InTransit, ShipmentStatus.Completed, ShipmentStatus.Cancelled]) {
      const shipmentId = await shipmentOf(buyer, { Status })
      expect(await codeOf(orders(manager).attachToShipment(id, { shipmentId }))).toBe(
        HubErrors.ShipmentNotEditable,
      )
    }
  })
})

describe('rights', () => {
  test('orders of others are neither seen nor touched, and look like orders that do not exist', async () => {
    const id = await confirmed({ orderNumber: 'SECRET' })
    const [row] = await linesOf(id)
    const quantity = { lines: [{ orderLineId: row?.id, quantity: 1 }] }
    const attempts: [string, string, object?][] = [
      ['GET', ''],
      ['PUT', '', { description: 'x' }],
      ['GET', '/lines'],
      ['GET', '/status-history'],
      ['POST', '/set-lines', { lines: [] }],
      ['POST', '/place', {}],
      ['POST', '/confirm', { cargoReadyDate: '2026-11-20' }],
      ['POST', '/split', quantity],
      ['POST', '/receive', quantity],
      ['POST', '/close', {}],
      ['POST', '/cancel', { reason: 'x' }],
      ['POST', '/attach-to-shipment', { shipmentId: nowhere }],
      ['POST', '/detach', {}],
    ]
    for (const [method, action, body] of attempts) {
      const theirs = await send(stranger, method, `${path}/${id}${action}`, body)
      const none = await send(stranger, method, `${path}/${nowhere}${action}`, body)
      expect([action, theirs.status, theirs.text]).toEqual([action, 404, none.text.replaceAll(nowhere, id)])
    }
    for (const query of [
      `${path}?filter=SECRET`,
      "/odata/Orders?$filter=OrderNumber eq 'SECRET'",
      "/odata/Orders?$orderby=OrderNumber&$filter=Buyer/Code eq 'BUYER'",
      `/odata/OrderLines?$filter=OrderId eq ${id}`,
      "/odata/OrderLines?$filter=Order/OrderNumber eq 'SECRET'&$orderby=Order/OrderNumber",
      `/odata/OrderStatusHistories?$filter=OrderId eq ${id}`,
      "/odata/Organizations?$filter=Code eq 'BUYER'",
    ])
      expect([query, idsIn(await send(stranger, 'GET', query))]).toEqual([query, []])
    const counted = await send(
      stranger,
      'GET',
      '/odata/OrderLines?$apply=aggregate($count as N,LineAmount with sum as Sum)',
    )
    expect(counted.body.value).toMatchObject([{ N: 0 }])
    expect(
      idsIn(await send(supplying, 'GET', `/odata/OrderLines?$filter=OrderId eq ${id}&$expand=Order`)),
    ).toHaveLength(2)
  })

  test('an order that is seen on a shipment alone is read, and changed by its parties', async () => {
    const id = await confirmed()
    const shipmentId = await shipmentOf(buyer)
    await orders(manager).attachToShipment(id, { shipmentId })
    const body = { addresses: [{ role: AddressRole.NotifyParty, organizationId: other }] }
    const parties = (await send(manager, 'GET', `/api/hub/shipment/${shipmentId}`)).body.addresses
    await send(manager, 'POST', `/api/hub/shipment/${shipmentId}/set-addresses`, {
      addresses: [
        ...parties.map(({ role, organizationId }: { role: number; organizationId: string }) => ({
          role,
          organizationId,
        })),
        ...body.addresses,
      ],
    })
    expect((await send(stranger, 'GET', `${path}/${id}`)).status).toBe(200)
    for (const [action, input] of [
      ['cancel', { reason: 'x' }],
      ['detach', {}],
      ['set-lines', { lines: [] }],
    ] as const)
      expect((await send(stranger, 'POST', `${path}/${id}/${action}`, input)).body.error.code).toBe(
        HubErrors.NotPartyOfOrder,
      )
  })

  test('a customer orders for the own organization, from companies that the customer meets', async () => {
    const supplierId = await addOrganization(app, 'UNKNOWN')
    const foreign = await send(stranger, 'POST', path, draft({ supplierId }))
    expect([foreign.status, faultyMembers(foreign).includes('supplierId')]).toEqual([400, true])
    const unknown = await send(stranger, 'POST', path, draft({ buyerId: other, supplierId }))
    const none = await send(stranger, 'POST', path, draft({ buyerId: other, supplierId: nowhere }))
    expect([unknown.status, faultyMembers(unknown)]).toEqual([400, faultyMembers(none)])
    const parties = [
      { role: AddressRole.Consignee, organizationId: other },
      { role: AddressRole.Consignor, organizationId: supplierId },
    ]
    await addShipments(app, [{ parties }])
    expect((await send(stranger, 'POST', path, draft({ buyerId: other, supplierId }))).status).toBe(200)
    // Who meets buyer and supplier still has no part in their orders.
    const between = draft({ buyerId: supplierId })
    await addShipments(app, [
      { parties: [...parties, { role: AddressRole.NotifyParty, organizationId: supplier }] },
    ])
    expect((await send(stranger, 'POST', path, between)).body.error.code).toBe(HubErrors.NotPartyOfOrder)
  })

  test('readers read, and nothing else; without Order.View a shipment shows no orders', async () => {
    const id = await confirmed()
    const shipmentId = await shipmentOf(buyer)
    await orders(manager).attachToShipment(id, { shipmentId })
    const reader = await app.as({ roles: [DefaultCustomer] })
    await addMember(app, reader.userId, buyer)
    expect((await send(reader, 'GET', `${path}/${id}`)).status).toBe(200)
    const answers = [
      await send(reader, 'POST', path, draft()),
      await send(reader, 'PUT', `${path}/${id}`, {}),
      await send(reader, 'POST', `${path}/${id}/close`, {}),
      await send(reader, 'POST', `${path}/${id}/cancel`, { reason: 'x' }),
      await send(reader, 'DELETE', `${path}/${id}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    const blind = await app.as({ permissions: ['Shipment.View'] })
    await addMember(app, blind.userId, buyer)
    const shown = await send(blind, 'GET', `/api/hub/shipment/${shipmentId}`)
    expect([shown.status, shown.body.orders]).toEqual([200, null])
    expect((await send(blind, 'GET', '/odata/Orders')).status).toBe(403)
    const seeing = await app.as({ permissions: ['Shipment.View', OrderPermissions.View] })
    await addMember(app, seeing.userId, buyer)
    expect((await send(seeing, 'GET', `/api/hub/shipment/${shipmentId}`)).body.orders).toHaveLength(1)
  })
})
