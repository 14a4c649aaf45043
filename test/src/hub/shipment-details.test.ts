import { sql } from '@keel/framework/data'
import {
  AddressRole,
  Direction,
  HubErrors,
  NoteVisibility,
  ReferenceType,
  Severity,
  ShipmentAppService,
  ShipmentExceptionAppService,
  ShipmentNoteAppService,
  ShipmentReferenceNumberAppService,
  ShipmentStatus,
} from '@keel/hub/contracts'
import { CustomerAdmin, OperationsManager, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addOrganization,
  addShipments,
  codeId,
  countRows,
  hubOf,
  modeId,
  portId,
  setColumn,
  storedRow,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let staff: AppCaller
let manager: AppCaller
/** The key user of ACME. */
let customer: AppCaller
let stranger: AppCaller
let shipments: ShipmentAppService
let acme: string
let other: string
let number = 0

beforeAll(async () => {
  app = await startApp(undefined, {
    'Events:IsDeliveryEnabled': 'false',
    'App:SendExceptionDetails': 'false',
  })
  acme = await addOrganization(app, 'ACME')
  other = await addOrganization(app, 'OTHER')
  staff = await app.as({ roles: [Operator] })
  manager = await app.as({ roles: [OperationsManager] })
  customer = await app.as({ roles: [CustomerAdmin], organizations: ['ACME'] })
  stranger = await app.as({ roles: [CustomerAdmin], organizations: ['OTHER'] })
  shipments = staff.service(ShipmentAppService)
})
afterAll(() => app?.close())

const reference = () => `D-${++number}`
/** A shipment whose controlling customer is ACME. */
async function ofAcme(row = {}): Promise<string> {
  const parties = [{ role: AddressRole.ControllingCustomer, organizationId: acme }]
  return (await addShipments(app, [{ ShipmentReference: reference(), parties, ...row }]))[0] as string
}
async function eventsOf(id: string): Promise<Record<string, unknown>[]> {
  const rows = await hubOf(app).query<{ name: string; data: Buffer }>(sql`
    select "EventName" as name, "EventData" as data from "AbpEventOutbox"
    where "ExtraProperties"::jsonb ->> 'Key' = ${id} order by "CreationTime"`)
  return rows.map(({ name, data }) => ({ name, ...JSON.parse(data.toString('utf8')) }))
}

describe('writable fields', () => {
  const all = () => ({
    direction: Direction.Import,
    estimatedDelivery: '2027-01-09T00:00:00Z',
    originPortId: portId('CNSHA'),
    destinationPortId: portId('NLRTM'),
    releaseTypeId: codeId('ReleaseType', 'TLX'),
    packageTypeId: codeId('PackageType', 'CT'),
    isDangerousGoods: true,
    isTemperatureControlled: true,
    isRoutingOverridden: true,
    houseBillNumber: 'HBL1',
    bookingReference: 'BK1',
    quoteReference: 'Q-1',
    quoteId: nowhere,
    sourceSystem: 'ERP',
    externalId: `E-${number}`,
  })
  const shown = {
    direction: 1,
    estimatedDelivery: '2027-01-09T00:00:00Z',
    originPort: { unLocode: 'CNSHA' },
    destinationPort: { unLocode: 'NLRTM' },
    releaseType: { code: 'TLX' },
    packageType: { code: 'CT' },
    isDangerousGoods: true,
    isTemperatureControlled: true,
    isRoutingOverridden: true,
    houseBillNumber: 'HBL1',
    bookingReference: 'BK1',
    quoteReference: 'Q-1',
    quoteId: nowhere,
    sourceSystem: 'ERP',
  }

  test('are set by creating and by changing a shipment, and cleared by null', async () => {
    const created = await send(staff, 'POST', path, { shipmentReference: reference(), ...all() })
    expect([created.status, created.body]).toMatchObject([200, shown])
    const { id } = await shipments.create({ shipmentReference: reference() })
    const changed = await send(staff, 'PUT', `${path}/${id}`, { ...all(), externalId: 'E-other' })
    expect([changed.status, changed.body]).toMatchObject([200, shown])
    const cleared = await shipments.update(id, { direction: null, originPortId: null, houseBillNumber: null })
    expect(cleared).toMatchObject({
      direction: null,
      originPort: null,
      houseBillNumber: null,
      bookingReference: 'BK1',
    })
  })

  test.for([
    ['originPortId', nowhere, 400],
    ['destinationPortId', nowhere, 400],
    ['releaseTypeId', nowhere, 400],
    ['packageTypeId', codeId('ReleaseType', 'TLX'), 403],
  ] as const)('%s refuses %s', async ([member, value, status]) => {
    const answer = await send(staff, 'POST', path, { shipmentReference: reference(), [member]: value })
    expect(answer.status).toBe(status)
  })

  test('that tie a shipment to other systems are for staff', async () => {
    const id = await ofAcme()
    for (const member of [
      'quoteId',
      'quoteReference',
      'sourceSystem',
      'externalId',
      'isRoutingOverridden',
    ] as const) {
      const body = { [member]: all()[member] }
      const answers = [
        await send(customer, 'POST', path, { shipmentReference: reference(), ...body }),
        await send(customer, 'PUT', `${path}/${id}`, body),
      ]
      expect(answers.map((answer) => [answer.status, faultyMembers(answer)])).toEqual([
        [400, [member]],
        [400, [member]],
      ])
    }
    expect(
      (await send(customer, 'PUT', `${path}/${id}`, { externalId: null, isRoutingOverridden: false })).status,
    ).toBe(200)
  })

  test('that changed are told, and an arrival that moved by a day', async () => {
    const { id } = await shipments.create({
      shipmentReference: reference(),
      estimatedArrival: '2027-01-01T00:00:00Z',
    })
    await shipments.update(id, { totalPackages: 3, estimatedArrival: '2027-01-01T23:00:00Z' })
    await shipments.update(id, { totalPackages: 3 })
    await shipments.update(id, { estimatedArrival: '2027-01-03T00:00:00Z' })
    expect(await eventsOf(id)).toMatchObject([
      { name: 'Hub.Shipment.Created' },
      { name: 'Hub.Shipment.Updated', changedFields: ['estimatedArrival', 'totalPackages'] },
      { name: 'Hub.Shipment.Updated', changedFields: ['estimatedArrival'] },
      {
        name: 'Hub.Shipment.ScheduleChanged',
        oldEta: '2027-01-01T23:00:00.000Z',
        newEta: '2027-01-03T00:00:00.000Z',
      },
    ])
  })
})

describe('parties', () => {
  test('are replaced as a whole, and decide who sees the shipment', async () => {
    const id = await ofAcme()
    const set = await shipments.setAddresses(id, {
      addresses: [
        { role: AddressRole.Consignee, organizationId: other, city: 'Delft' },
        { role: AddressRole.PickupFrom, companyName: 'Depot' },
      ],
    })
    expect(set.addresses?.map(({ role, companyName, city }) => [role, companyName, city])).toEqual([
      [AddressRole.Consignee, 'OTHER Company', 'Delft'],
      [AddressRole.PickupFrom, 'Depot', null],
    ])
    expect(set.controllingCustomer).toBeNull()
    expect((await send(customer, 'GET', `${path}/${id}`)).status).toBe(404)
    expect((await send(stranger, 'GET', `${path}/${id}`)).status).toBe(200)
    const again = await shipments.setAddresses(id, {
      addresses: [{ role: AddressRole.Consignee, organizationId: other }],
    })
    expect(again.addresses).toMatchObject([{ id: set.addresses?.[0]?.id, city: null }])
    expect((await eventsOf(id)).map(({ changedFields }) => changedFields)).toEqual([
      ['addresses'],
      ['addresses'],
    ])
  })

  test('of two replacements with the same stamp one is refused', async () => {
    const id = await ofAcme()
    const addresses = [{ role: AddressRole.ControllingCustomer, organizationId: acme }]
    await shipments.setAddresses(id, { addresses, concurrencyStamp: 'stamp' })
    await expect(shipments.setAddresses(id, { addresses, concurrencyStamp: 'stamp' })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('a party keeps an organization that was deactivated since, and no other shipment gets it', async () => {
    const gone = await addOrganization(app, 'GONE')
    const parties = [{ role: AddressRole.Consignor, organizationId: gone }]
    const [id = ''] = await addShipments(app, [{ parties }])
    await setColumn(app, 'HubOrganizations', gone, 'IsActive', false)
    const addresses = [{ role: AddressRole.Consignor, organizationId: gone }]
    expect((await send(staff, 'POST', `${path}/${id}/set-addresses`, { addresses })).status).toBe(200)
    expect((await send(staff, 'POST', `${path}/${await ofAcme()}/set-addresses`, { addresses })).status).toBe(
      400,
    )
  })

  test('nobody takes a shipment from a controlling customer of another organization', async () => {
    const parties = [
      { role: AddressRole.ControllingCustomer, organizationId: acme },
      { role: AddressRole.Consignee, organizationId: other },
    ]
    const [id = ''] = await addShipments(app, [{ parties }])
    const set = (...addresses: object[]) =>
      send(stranger, 'POST', `${path}/${id}/set-addresses`, { addresses })
    const theirs = { role: AddressRole.Consignee, organizationId: other }
    expect((await set(theirs)).body.error.code).toBe(HubErrors.OrganizationNotAccessible)
    const own = { role: AddressRole.ControllingCustomer, organizationId: other }
    expect((await set(theirs, own)).body.error.code).toBe(HubErrors.OrganizationNotAccessible)
    const kept = { role: AddressRole.ControllingCustomer, organizationId: acme }
    expect((await set({ ...theirs, city: 'Delft' }, kept)).status).toBe(200)
  })

  test('of shipments of others are not found', async () => {
    const answer = await send(stranger, 'POST', `${path}/${await ofAcme()}/set-addresses`, { addresses: [] })
    expect(answer.status).toBe(404)
  })
})

describe('a copy', () => {
  test('is a draft with parties, cargo and modes, without dates, bills and ties', async () => {
    const id = await ofAcme({
      Status: ShipmentStatus.InTransit,
      TransportModeId: modeId('Air'),
      TotalPackages: 7,
      GoodsValue: 12.5,
      GoodsCurrencyCode: 'EUR',
      EstimatedDeparture: '2027-01-01T00:00:00Z',
      HouseBillNumber: 'HB',
      ExternalId: 'X',
      IsOnHold: true,
    })
    const newReference = reference()
    const { body } = await send(staff, 'POST', `${path}/${id}/copy`, { newReference })
    expect(body).toMatchObject({
      shipmentReference: newReference,
      status: ShipmentStatus.Draft,
      isOnHold: false,
      transportMode: { code: 'Air' },
      totalPackages: 7,
      goodsValue: 12.5,
      estimatedDeparture: null,
      houseBillNumber: null,
      externalId: null,
      addresses: [{ role: AddressRole.ControllingCustomer, organizationId: acme }],
    })
    expect(body.id).not.toBe(id)
    const again = await send(staff, 'POST', `${path}/${id}/copy`, { newReference })
    expect(again.body.error.code).toBe(HubErrors.ShipmentReferenceAlreadyExists)
  })

  test('of a shipment of others is not made', async () => {
    const answer = await send(stranger, 'POST', `${path}/${await ofAcme()}/copy`, {
      newReference: reference(),
    })
    expect(answer.status).toBe(404)
  })
})

test('a shipment is found by its reference, and one of others as little as none', async () => {
  const id = await ofAcme({ ShipmentReference: 'S/1 & 2' })
  const find = (who: AppCaller, text: string) =>
    send(who, 'GET', `${path}/by-reference?reference=${encodeURIComponent(text)}`)
  expect((await find(customer, 'S/1 & 2')).body.id).toBe(id)
  const [theirs, none] = [await find(stranger, 'S/1 & 2'), await find(stranger, 'S/1 & 3')]
  expect([theirs.status, theirs.text.replaceAll('& 2', '& 3')]).toEqual([404, none.text])
})

/** The children of shipments: their routes and sets, a body that creates one, and one that changes it. */
const children = [
  {
    route: '/api/hub/shipment-reference-number',
    set: 'ShipmentReferenceNumbers',
    table: 'HubShipmentReferenceNumbers',
    navigation: 'ReferenceNumbers',
    body: { referenceType: ReferenceType.CustomerReference, value: 'PO-1' },
    change: { value: 'PO-2' },
    writer: () => customer,
  },
  {
    route: '/api/hub/shipment-note',
    set: 'ShipmentNotes',
    table: 'HubShipmentNotes',
    navigation: 'Notes',
    body: { text: 'Hello' },
    change: { text: 'Hello again' },
    writer: () => customer,
  },
  {
    route: '/api/hub/shipment-exception',
    set: 'ShipmentExceptions',
    table: 'HubShipmentExceptions',
    navigation: 'Exceptions',
    body: { exceptionTypeId: codeId('ExceptionType', 'DEL'), severity: Severity.Warning },
    change: { delayHours: 5 },
    writer: () => staff,
  },
] as const

describe.each(children)('$set', ({ route, set, table, navigation, body, change, writer }) => {
  const idsIn = (answer: { body: { value?: { Id: string }[]; items?: { id: string }[] } }) =>
    answer.body.items?.map(({ id }) => id) ?? answer.body.value?.map(({ Id }) => Id)

  test('are created, read, listed, changed and deleted, also over OData', async () => {
    const shipmentId = await ofAcme()
    const created = await send(writer(), 'POST', route, { shipmentId, ...body })
    expect([created.status, created.body]).toMatchObject([200, { shipmentId, ...body }])
    const { id } = created.body
    expect((await send(customer, 'GET', `${route}/${id}`)).body).toEqual(created.body)
    expect(idsIn(await send(customer, 'GET', `${route}?shipmentId=${shipmentId}`))).toEqual([id])
    expect(idsIn(await send(customer, 'GET', `/odata/${set}?$filter=ShipmentId eq ${shipmentId}`))).toEqual([
      id,
    ])
    const { body: expanded } = await send(
      customer,
      'GET',
      `/odata/Shipments(${shipmentId})?$expand=${navigation}`,
    )
    expect(expanded[navigation]).toMatchObject([{ Id: id }])
    expect((await send(writer(), 'PUT', `${route}/${id}`, change)).body).toMatchObject(change)
    expect((await send(writer(), 'DELETE', `${route}/${id}`)).status).toBe(204)
    expect((await send(customer, 'GET', `${route}/${id}`)).status).toBe(404)
  })

  test('of others are neither seen nor touched, and look like rows that do not exist', async () => {
    const shipmentId = await ofAcme()
    const { id } = (await send(staff, 'POST', route, { shipmentId, ...body })).body
    const foreign = await app.as({
      permissions: ['Shipment.View', 'Shipment.Edit', 'Shipment.ChangeStatus', 'Shipment.ViewInternalNotes'],
      organizations: ['OTHER'],
    })
    for (const [method, input] of [
      ['GET', undefined],
      ['PUT', change],
      ['DELETE', undefined],
    ] as const) {
      const theirs = await send(foreign, method, `${route}/${id}`, input)
      const none = await send(foreign, method, `${route}/${nowhere}`, input)
      expect([theirs.status, theirs.text]).toEqual([404, none.text.replaceAll(nowhere, id)])
    }
    const [theirs, none] = [
      await send(foreign, 'POST', route, { shipmentId, ...body }),
      await send(foreign, 'POST', route, { shipmentId: nowhere, ...body }),
    ]
    expect([theirs.status, theirs.text]).toEqual([400, none.text])
    expect(idsIn(await send(foreign, 'GET', `${route}?shipmentId=${shipmentId}`))).toEqual([])
    expect(idsIn(await send(foreign, 'GET', `/odata/${set}?$filter=ShipmentId eq ${shipmentId}`))).toEqual([])
    expect((await send(foreign, 'GET', route)).status).toBe(400)
    expect((await storedRow(app, table, id)).IsDeleted).toBe(false)
  })

  test('can not be changed once the shipment is completed or cancelled', async () => {
    for (const status of [ShipmentStatus.Completed, ShipmentStatus.Cancelled]) {
      const shipmentId = await ofAcme()
      const { id } = (await send(staff, 'POST', route, { shipmentId, ...body })).body
      await setColumn(app, 'HubShipments', shipmentId, 'Status', status)
      const answers = [
        await send(staff, 'POST', route, { shipmentId, ...body }),
        await send(staff, 'PUT', `${route}/${id}`, change),
        await send(staff, 'DELETE', `${route}/${id}`),
      ]
      expect(answers.map(({ body }) => body.error.code)).toEqual(Array(3).fill(HubErrors.ShipmentNotEditable))
    }
  })

  test('go with their shipment, one by one, so that the audit log tells of them', async () => {
    const shipmentId = await ofAcme()
    const { id } = (await send(staff, 'POST', route, { shipmentId, ...body })).body
    const { headers } = await send(manager, 'DELETE', `${path}/${shipmentId}`)
    expect((await storedRow(app, table, id)).IsDeleted).toBe(true)
    expect(idsIn(await send(staff, 'GET', `${route}?shipmentId=${shipmentId}`))).toEqual([])
    expect(
      await countRows(
        app,
        sql`"HubShipmentAddresses" where "ShipmentId" = ${shipmentId} and not "IsDeleted"`,
      ),
    ).toBe(0)
    expect(headers.get('x-correlation-id') ?? headers.get('X-Correlation-Id')).toBeTruthy()
  })
})

describe('references', () => {
  const add = (shipmentId: string, referenceType: ReferenceType, value: string) =>
    send(staff, 'POST', '/api/hub/shipment-reference-number', { shipmentId, referenceType, value })

  test('are shown with their shipment, each once', async () => {
    const id = await ofAcme()
    await add(id, ReferenceType.PurchaseOrder, 'PO-7')
    expect((await shipments.get(id)).referenceNumbers).toMatchObject([{ value: 'PO-7' }])
    expect((await add(id, ReferenceType.PurchaseOrder, 'PO-7')).body.error.code).toBe(
      HubErrors.ReferenceNumberAlreadyExists,
    )
    expect((await add(id, ReferenceType.Other, 'PO-7')).status).toBe(200)
  })

  test('an air shipment has a master bill with the check digit of an air waybill', async () => {
    const [air, sea] = [
      await ofAcme({ TransportModeId: modeId('Air') }),
      await ofAcme({ TransportModeId: modeId('Sea') }),
    ]
    const codes = [
      await add(air, ReferenceType.MasterBill, '176-12345676'),
      await add(air, ReferenceType.MasterBill, 'MAEU123'),
      await add(air, ReferenceType.HouseBill, '176-12345676'),
    ].map(({ body }) => body.error?.code)
    expect(codes).toEqual(Array(3).fill(HubErrors.InvalidAirWaybill))
    expect((await add(air, ReferenceType.MasterBill, '176-12345675')).status).toBe(200)
    expect((await add(air, ReferenceType.HouseBill, 'KEL1234567')).status).toBe(200)
    expect((await add(sea, ReferenceType.MasterBill, 'MAEU123')).status).toBe(200)
  })

  test('the number of a customs entry becomes one', async () => {
    const id = await ofAcme({ Status: ShipmentStatus.Arrived })
    await shipments.clearCustoms(id, { entryNumber: 'MRN-1' })
    const { items } = await staff.service(ShipmentReferenceNumberAppService).getList({ shipmentId: id })
    expect(items).toMatchObject([{ referenceType: ReferenceType.CustomsEntry, value: 'MRN-1' }])
  })
})

describe('notes', () => {
  const write = (who: AppCaller, shipmentId: string, visibility?: NoteVisibility) =>
    send(who, 'POST', '/api/hub/shipment-note', {
      shipmentId,
      text: 'Margin 12',
      ...(visibility !== undefined && { visibility }),
    })

  test('that are internal never reach a customer: not by id, list, filter, OData, expand, count or search', async () => {
    const shipmentId = await ofAcme()
    const { id } = (await write(staff, shipmentId, NoteVisibility.Internal)).body
    await write(staff, shipmentId)
    const ofShipment = `$filter=ShipmentId eq ${shipmentId}`
    const read = async (who: AppCaller) => ({
      byId: (await send(who, 'GET', `/api/hub/shipment-note/${id}`)).status,
      list: (await send(who, 'GET', `/api/hub/shipment-note?shipmentId=${shipmentId}`)).body.totalCount,
      filter: (await send(who, 'GET', `/api/hub/shipment-note?shipmentId=${shipmentId}&filter=margin`)).body
        .totalCount,
      key: (await send(who, 'GET', `/odata/ShipmentNotes(${id})`)).status,
      set: (await send(who, 'GET', `/odata/ShipmentNotes?${ofShipment}`)).body.value.length,
      search: (await send(who, 'GET', `/odata/ShipmentNotes?$search=margin&${ofShipment}`)).body.value.length,
      count: (await send(who, 'GET', `/odata/ShipmentNotes?$count=true&$top=0&${ofShipment}`)).body[
        '@odata.count'
      ],
      expand: (await send(who, 'GET', `/odata/Shipments(${shipmentId})?$expand=Notes`)).body.Notes.length,
      any: (
        await send(
          who,
          'GET',
          `/odata/Shipments?$filter=Id eq ${shipmentId} and Notes/any(n:n/Visibility eq 'Internal')`,
        )
      ).body.value.length,
      apply: (
        await send(
          who,
          'GET',
          `/odata/ShipmentNotes?$apply=filter(ShipmentId eq ${shipmentId})/aggregate($count as N)`,
        )
      ).body.value[0].N,
    })
    const nothing = {
      byId: 404,
      list: 1,
      filter: 1,
      key: 404,
      set: 1,
      search: 1,
      count: 1,
      expand: 1,
      any: 0,
      apply: 1,
    }
    expect(await read(customer)).toEqual(nothing)
    expect(await read(staff)).toEqual({
      ...{
        byId: 200,
        list: 2,
        filter: 2,
        key: 200,
        set: 2,
        search: 2,
        count: 2,
        expand: 2,
        any: 1,
        apply: 2,
      },
    })
  })

  test('are not made internal by callers who could not read them', async () => {
    const shipmentId = await ofAcme()
    const refused = await write(customer, shipmentId, NoteVisibility.Internal)
    expect([refused.status, faultyMembers(refused)]).toEqual([400, ['visibility']])
    const { id } = (await write(customer, shipmentId)).body
    const changed = await send(customer, 'PUT', `/api/hub/shipment-note/${id}`, {
      visibility: NoteVisibility.Internal,
    })
    expect(changed.status).toBe(400)
  })

  test('are changed by their author alone, for 24 hours; managers delete those of others', async () => {
    const notes = staff.service(ShipmentNoteAppService)
    const { id } = (await write(customer, await ofAcme())).body
    await expect(notes.update(id, { text: 'Other words' })).rejects.toMatchObject({
      code: HubErrors.NoteNotEditable,
    })
    await expect(notes.delete(id)).rejects.toMatchObject({ code: HubErrors.NoteNotEditable })
    await setColumn(app, 'HubShipmentNotes', id, 'CreationTime', new Date(Date.now() - 25 * 3_600_000))
    const late = await send(customer, 'PUT', `/api/hub/shipment-note/${id}`, { text: 'Late' })
    expect(late.body.error.code).toBe(HubErrors.NoteNotEditable)
    const deleted = await app.as({ roles: [OperationsManager] })
    expect((await send(deleted, 'DELETE', `/api/hub/shipment-note/${id}`)).status).toBe(204)
  })
})

describe('exceptions', () => {
  const raise = (shipmentId: string, code: string, severity: Severity) =>
    staff
      .service(ShipmentExceptionAppService)
      .create({ shipmentId, exceptionTypeId: codeId('ExceptionType', code), severity })

  test('that are critical keep a shipment from being completed until they are resolved, once', async () => {
    const exceptions = staff.service(ShipmentExceptionAppService)
    const id = await ofAcme({ Status: ShipmentStatus.Delivered })
    await raise(id, 'WEA', Severity.Warning)
    const { id: damage } = await raise(id, 'DAM', Severity.Critical)
    await expect(shipments.complete(id, {})).rejects.toMatchObject({
      code: HubErrors.OpenCriticalException,
      data: { types: ['DAM'] },
    })
    expect(await exceptions.resolve(damage, { note: 'Paid' })).toMatchObject({
      resolutionNote: 'Paid',
      resolvedById: staff.userId,
    })
    await expect(exceptions.resolve(damage, { note: 'Again' })).rejects.toMatchObject({
      code: HubErrors.ExceptionAlreadyResolved,
    })
    expect((await shipments.complete(id, {})).status).toBe(ShipmentStatus.Completed)
  })

  test('of customs keep a shipment from leaving for its receiver, others do not', async () => {
    const id = await ofAcme({ Status: ShipmentStatus.Arrived })
    await raise(id, 'DAM', Severity.Critical)
    const { id: hold } = await raise(id, 'CUH', Severity.Critical)
    await expect(shipments.dispatchDelivery(id, {})).rejects.toMatchObject({
      code: HubErrors.OpenCriticalException,
      data: { types: ['CUH'] },
    })
    await staff.service(ShipmentExceptionAppService).resolve(hold, { note: 'Released' })
    expect((await shipments.dispatchDelivery(id, {})).status).toBe(ShipmentStatus.OutForDelivery)
  })

  test('have a type of their list, and are raised by staff', async () => {
    const shipmentId = await ofAcme()
    const answer = (exceptionTypeId: string, who = staff) =>
      send(who, 'POST', '/api/hub/shipment-exception', { shipmentId, exceptionTypeId, severity: 0 })
    expect((await answer(modeId('Sea'))).body.error.code).toBe(HubErrors.WrongCodeEntityType)
    expect((await answer(nowhere)).status).toBe(400)
    expect((await answer(codeId('ExceptionType', 'DEL'), customer)).status).toBe(403)
  })
})
