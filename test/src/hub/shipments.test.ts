import {
  AddressRole,
  DocumentPermissions,
  HubErrors,
  ShipmentAppService,
  type ShipmentDto,
  ShipmentPermissions,
  ShipmentStatus,
} from '@keel/hub/contracts'
import { Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addOrder,
  addOrganization,
  addShipments,
  codeId,
  containerId,
  modeId,
  portId,
  storedRow,
} from '../support/hub-rows.js'
import { faultyMembers, send } from '../support/wire.js'

const shipment = '/api/hub/shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let operator: AppCaller
let shipments: ShipmentAppService
let acme: string
let references = 0

beforeAll(async () => {
  app = await startApp()
  operator = await app.as({ roles: [Operator], permissions: [ShipmentPermissions.Delete] })
  shipments = operator.service(ShipmentAppService)
  acme = await addOrganization(app, 'ACME', { FullName: 'Acme Trading BV' })
})
afterAll(() => app.close())

/** A new shipment of an operator. */
function create(values: Partial<Parameters<ShipmentAppService['create']>[0]> = {}): Promise<ShipmentDto> {
  return shipments.create({ shipmentReference: newReference(), ...values })
}

function newReference(): string {
  return `S-${++references}`
}

test('a shipment is created, read, listed, changed and deleted', async () => {
  const created = await shipments.create({
    shipmentReference: 'S-tulips',
    estimatedDeparture: '2026-12-01T10:00:00+02:00',
    firstConsolLegDeparturePortId: portId('NLRTM'),
    totalPackages: 3,
    totalGrossWeight: 12.5,
    goodsValue: '1234.50',
    goodsCurrencyCode: 'EUR',
  })
  expect(created).toMatchObject({
    shipmentReference: 'S-tulips',
    status: ShipmentStatus.Draft,
    totalPackages: 3,
  })
  expect(created.estimatedDeparture).toEqual(new Date('2026-12-01T08:00:00Z'))
  expect(created.firstConsolLegDeparturePort).toMatchObject({ unLocode: 'NLRTM', name: 'Rotterdam' })

  const { id, concurrencyStamp } = created
  const changed = await shipments.update(id, {
    totalPackages: null,
    cargoDescription: 'Tulips',
    concurrencyStamp,
  })
  expect(changed).toMatchObject({ totalPackages: null, totalGrossWeight: 12.5, cargoDescription: 'Tulips' })
  const page = await shipments.getList({ filters: { DeparturePort: ['nlrtm'] }, includeFacets: true })
  expect(page).toMatchObject({
    totalCount: 1,
    appliedFilters: [{ field: 'DeparturePort', values: ['nlrtm'] }],
  })
  expect(page.facets?.find(({ field }) => field === 'Status')).toEqual({
    field: 'Status',
    values: [{ value: 'Draft', count: 1 }],
  })

  await shipments.delete(id)
  await expect(shipments.get(id)).rejects.toMatchObject({ status: 404 })
})

describe('on the wire', () => {
  test('creating answers 200 with the shipment', async () => {
    const { status, body } = await send(operator, 'POST', shipment, { shipmentReference: 'S-wire' })
    expect({ status, reference: body.shipmentReference }).toEqual({ status: 200, reference: 'S-wire' })
  })

  test('reading answers 200 with the same shipment that creating answered', async () => {
    const created = await send(operator, 'POST', shipment, {
      shipmentReference: newReference(),
      totalPackages: 2,
    })
    const read = await send(operator, 'GET', `${shipment}/${created.body.id}`)
    expect({ status: read.status, body: read.body }).toEqual({ status: 200, body: created.body })
  })

  test('an id may be written in upper case', async () => {
    const { id } = await create()
    expect((await send(operator, 'GET', `${shipment}/${id.toUpperCase()}`)).body.id).toBe(id)
  })

  test('changing answers 200 with the changed shipment', async () => {
    const { id } = await create()
    const { status, body } = await send(operator, 'PUT', `${shipment}/${id}`, { totalPackages: 7 })
    expect({ status, totalPackages: body.totalPackages }).toEqual({ status: 200, totalPackages: 7 })
  })

  test('deleting answers 204 without a body', async () => {
    const { id } = await create()
    const { status, text, headers } = await send(operator, 'DELETE', `${shipment}/${id}`)
    expect({ status, text, type: headers.get('content-type') }).toEqual({ status: 204, text: '', type: null })
  })

  test.for(['', '/upcoming-shipments', '/new-documents'])(
    'the list %j answers 200 with a page',
    async (path) => {
      const { status, body } = await send(operator, 'GET', shipment + path)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { totalCount: expect.any(Number), items: expect.any(Array) },
      })
    },
  )

  test('the legacy list answers exactly what the list of Hub answers', async () => {
    await create({ totalGrossWeight: 1.25, goodsValue: '99.90', goodsCurrencyCode: 'EUR' })
    const query = '?MaxResultCount=5&Sorting=shipmentReference%20DESC&IncludeFacets=true&Filters.Status=Draft'
    const legacy = await send(operator, 'GET', `/api/app/shipment${query}`)
    expect(legacy.body).toEqual((await send(operator, 'GET', shipment + query)).body)
  })

  test('enumerations are integers and instants end with Z', async () => {
    const { id } = await create({ estimatedArrival: '2026-12-24T18:30:00' })
    const { body } = await send(operator, 'GET', `${shipment}/${id}`)
    expect(body).toMatchObject({ status: 0, estimatedArrival: '2026-12-24T18:30:00Z' })
  })

  test('members of the body may be written in any case', async () => {
    const reference = newReference()
    const { body } = await send(operator, 'POST', shipment, {
      ShipmentReference: reference,
      TOTALPACKAGES: '4',
    })
    expect(body).toMatchObject({ shipmentReference: reference, totalPackages: 4 })
  })

  test.for([
    ['GET', undefined],
    ['PUT', {}],
    ['DELETE', undefined],
  ] as const)('%s of an unknown shipment answers 404 in an envelope', async ([method, body]) => {
    const answer = await send(operator, method, `${shipment}/${nowhere}`, body)
    expect({ status: answer.status, format: answer.headers.get('_AbpErrorFormat') }).toEqual({
      status: 404,
      format: 'true',
    })
    expect(answer.body.error.message).toBe(`There is no entity Shipment with id = ${nowhere}!`)
  })

  test('an id that is no GUID answers 400', async () => {
    const answer = await send(operator, 'GET', `${shipment}/first`)
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['id'],
    })
  })
})

describe('a reference', () => {
  test('is unique among live shipments', async () => {
    const { shipmentReference } = await create()
    await expect(create({ shipmentReference })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.ShipmentReferenceAlreadyExists,
      message: `There is already a shipment with the reference ${shipmentReference}.`,
    })
  })

  test('can not be changed to that of another shipment', async () => {
    const [first, second] = await Promise.all([create(), create()])
    await expect(
      shipments.update(second.id, { shipmentReference: first.shipmentReference }),
    ).rejects.toMatchObject({ code: HubErrors.ShipmentReferenceAlreadyExists })
  })

  test('is free again once its shipment is deleted', async () => {
    const first = await create()
    await shipments.delete(first.id)
    expect((await create({ shipmentReference: first.shipmentReference })).id).not.toBe(first.id)
  })

  test('loses the blanks around it', async () => {
    const reference = newReference()
    expect((await create({ shipmentReference: `  ${reference} ` })).shipmentReference).toBe(reference)
  })
})

describe('a change', () => {
  test('leaves what is absent as it is', async () => {
    const created = await create({
      totalPackages: 3,
      cargoDescription: 'Tulips',
      transportModeId: modeId('Sea'),
    })
    const changed = await shipments.update(created.id, { totalVolume: 2 })
    const { lastModificationTime, lastModifierId, concurrencyStamp, ...rest } = created
    expect(changed).toMatchObject({ ...rest, totalVolume: 2 })
  })

  test('clears what is null', async () => {
    const { id } = await create({
      totalPackages: 3,
      cargoDescription: 'Tulips',
      estimatedDeparture: '2026-12-01',
      transportModeId: modeId('Sea'),
    })
    const none = {
      totalPackages: null,
      cargoDescription: null,
      estimatedDeparture: null,
      transportModeId: null,
    }
    expect(await shipments.update(id, none)).toMatchObject({ ...none, transportMode: null })
  })

  test('that finds another stamp than the one last seen answers 409 and changes nothing', async () => {
    const { id, concurrencyStamp } = await create({ totalPackages: 1 })
    await shipments.update(id, { totalPackages: 2, concurrencyStamp })
    const late = await send(operator, 'PUT', `${shipment}/${id}`, { totalPackages: 3, concurrencyStamp })
    expect({ status: late.status, format: late.headers.get('_AbpErrorFormat') }).toEqual({
      status: 409,
      format: 'true',
    })
    expect((await shipments.get(id)).totalPackages).toBe(2)
  })

  test('without a stamp is not compared', async () => {
    const { id } = await create()
    await shipments.update(id, { totalPackages: 2 })
    expect((await shipments.update(id, { totalPackages: 3 })).totalPackages).toBe(3)
  })

  test('gives the shipment another stamp, and says who made it and when', async () => {
    const created = await create()
    const changed = await shipments.update(created.id, { totalPackages: 2 })
    expect(changed.concurrencyStamp).not.toBe(created.concurrencyStamp)
    expect(changed).toMatchObject({ lastModifierId: operator.userId, lastModificationTime: expect.any(Date) })
  })

  test('of nothing leaves stamp and modification as they are', async () => {
    const created = await create({ totalPackages: 2 })
    expect(await shipments.update(created.id, { totalPackages: 2 })).toEqual(created)
  })

  test('of two at the same time with the same stamp succeeds once', async () => {
    const { id, concurrencyStamp } = await create()
    const both = await Promise.allSettled([
      shipments.update(id, { totalPackages: 1, concurrencyStamp }),
      shipments.update(id, { totalPackages: 2, concurrencyStamp }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('may set the actual dates', async () => {
    const { id } = await create()
    const changed = await shipments.update(id, {
      actualDeparture: '2026-11-01T06:00:00Z',
      actualArrival: '2026-10-01T06:00:00Z',
    })
    expect(changed).toMatchObject({
      actualDeparture: new Date('2026-11-01T06:00:00Z'),
      actualArrival: new Date('2026-10-01T06:00:00Z'),
    })
  })
})

describe('a deleted shipment', () => {
  test('keeps its row, marked with who deleted it and when', async () => {
    const { id } = await create()
    await shipments.delete(id)
    expect(await storedRow(app, 'HubShipments', id)).toMatchObject({
      IsDeleted: true,
      DeleterId: operator.userId,
      DeletionTime: expect.any(Date),
    })
  })

  test('is in no list', async () => {
    const { id, shipmentReference } = await create()
    await shipments.delete(id)
    const { items } = await shipments.getList({ maxResultCount: 1000 })
    expect(items.map((item) => item.shipmentReference)).not.toContain(shipmentReference)
  })

  test('can not be changed or deleted again', async () => {
    const { id } = await create()
    await shipments.delete(id)
    await expect(shipments.update(id, {})).rejects.toMatchObject({ status: 404 })
    await expect(shipments.delete(id)).rejects.toMatchObject({ status: 404 })
  })

  test('takes its documents along and lets go of its orders', async () => {
    const { id } = await create()
    const [document = ''] = await addDocuments(app, [{ ShipmentId: id }])
    const order = await addOrder(app, {
      ShipmentId: id,
      BuyerId: acme,
      SupplierId: await addOrganization(app, 'SUPPLIER'),
    })
    await shipments.delete(id)
    expect(await storedRow(app, 'HubDocuments', document)).toMatchObject({
      IsDeleted: true,
      DeleterId: operator.userId,
    })
    expect(await storedRow(app, 'HubOrders', order)).toMatchObject({
      IsDeleted: false,
      ShipmentId: null,
      LastModifierId: operator.userId,
    })
  })

  test('takes along documents that its customer, who deletes it, does not see', async () => {
    const customer = await app.as({
      permissions: [ShipmentPermissions.View, ShipmentPermissions.Delete],
      organizations: ['ACME'],
    })
    const { id } = await create({ addresses: [{ role: AddressRole.Consignee, organizationId: acme }] })
    const [hidden = ''] = await addDocuments(app, [{ ShipmentId: id, IsCustomerVisible: false }])
    await customer.service(ShipmentAppService).delete(id)
    expect(await storedRow(app, 'HubDocuments', hidden)).toMatchObject({
      IsDeleted: true,
      DeleterId: customer.userId,
    })
  })
})

describe('what a shipment refers to', () => {
  test('must exist, and every id that does not is named', async () => {
    const ids = {
      firstConsolLegDeparturePortId: nowhere,
      lastConsolLegArrivalPortId: modeId('Sea'),
      transportModeId: portId('NLRTM'),
      containerModeId: nowhere,
      incotermId: nowhere,
      serviceLevelId: nowhere,
    }
    const answer = await send(operator, 'POST', shipment, { shipmentReference: newReference(), ...ids })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: Object.keys(ids).sort(),
    })
  })

  test('must exist on a change too', async () => {
    const { id } = await create()
    const answer = await send(operator, 'PUT', `${shipment}/${id}`, { transportModeId: nowhere })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['transportModeId'],
    })
  })

  test.for([
    ['transportModeId', 'ContainerMode', 'FCL', 'TransportMode'],
    ['containerModeId', 'TransportMode', 'Sea', 'ContainerMode'],
    ['incotermId', 'TransportMode', 'Sea', 'Incoterm'],
    ['serviceLevelId', 'Incoterm', 'FOB', 'ServiceLevel'],
  ] as const)('%s can not be a %s', async ([member, type, code, expected]) => {
    await expect(create({ [member]: codeId(type, code) })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.WrongCodeEntityType,
      data: { member, expected, actual: type },
    })
  })

  test.for([
    ['Air', 'FCL'],
    ['Sea', 'LSE'],
    ['Road', 'LCL'],
  ] as const)('%s can not go in %s', async ([transportMode, containerMode]) => {
    await expect(
      create({ transportModeId: modeId(transportMode), containerModeId: containerId(containerMode) }),
    ).rejects.toMatchObject({
      status: 403,
      code: HubErrors.ContainerModeNotValidForMode,
      data: { transportMode, containerMode },
    })
  })

  test('must fit what the shipment has already', async () => {
    const { id } = await create({ transportModeId: modeId('Sea'), containerModeId: containerId('FCL') })
    await expect(shipments.update(id, { transportModeId: modeId('Air') })).rejects.toMatchObject({
      code: HubErrors.ContainerModeNotValidForMode,
    })
  })

  test.for([{ goodsValue: 10 }, { goodsCurrencyCode: 'EUR' }])(
    'has a value and its currency, or neither: not %o alone',
    async (half) => {
      const answer = await send(operator, 'POST', shipment, { shipmentReference: newReference(), ...half })
      expect(faultyMembers(answer)).toEqual(['goodsCurrencyCode', 'goodsValue'])
    },
  )

  test('may be worth nothing', async () => {
    expect(await create({ goodsValue: 0, goodsCurrencyCode: 'EUR' })).toMatchObject({
      goodsCurrencyCode: 'EUR',
    })
  })
})

describe('the parties', () => {
  test('come with the names of their organizations', async () => {
    const { addresses } = await create({ addresses: [{ role: AddressRole.Consignor, organizationId: acme }] })
    expect(addresses).toMatchObject([
      { role: AddressRole.Consignor, companyName: 'Acme Trading BV', sequence: 0 },
    ])
  })

  test('may be named otherwise than their organizations', async () => {
    const party = { role: AddressRole.Consignor, organizationId: acme, companyName: 'Acme, Warehouse 2' }
    expect((await create({ addresses: [party] })).addresses).toMatchObject([
      { companyName: 'Acme, Warehouse 2' },
    ])
  })

  test('may be companies without an organization', async () => {
    const party = { role: AddressRole.Consignee, companyName: 'Jansen', city: 'Utrecht', countryCode: 'NL' }
    expect((await create({ addresses: [party] })).addresses).toMatchObject([
      { ...party, organizationId: null },
    ])
  })

  test('need a name when they have no organization', async () => {
    const addresses = [
      { role: 'Consignor', organizationId: acme },
      { role: 'Consignee', city: 'Utrecht' },
    ]
    const answer = await send(operator, 'POST', shipment, { shipmentReference: newReference(), addresses })
    expect(faultyMembers(answer)).toEqual(['addresses[1].companyName'])
  })

  test('can not be organizations that do not exist or are not active', async () => {
    const closed = await addOrganization(app, 'CLOSED', { IsActive: false })
    const addresses = [
      { role: 'Consignor', organizationId: nowhere },
      { role: 'Consignee', organizationId: closed },
    ]
    const answer = await send(operator, 'POST', shipment, { shipmentReference: newReference(), addresses })
    expect(faultyMembers(answer)).toEqual(['addresses[0].organizationId', 'addresses[1].organizationId'])
  })

  test.for(['ControllingCustomer', 'Consignor', 'Consignee'] as const)(
    'have one %s at most',
    async (role) => {
      const party = { role: AddressRole[role], companyName: 'Company' }
      await expect(create({ addresses: [party, party] })).rejects.toMatchObject({
        status: 403,
        code: HubErrors.DuplicateAddressRole,
        data: { role },
      })
    },
  )

  test('may be several in any other role', async () => {
    const party = { role: AddressRole.NotifyParty, companyName: 'Company' }
    expect((await create({ addresses: [party, party] })).addresses).toHaveLength(2)
  })

  test('in one role have different sequences', async () => {
    const party = { role: AddressRole.NotifyParty, sequence: 1, companyName: 'Company' }
    await expect(create({ addresses: [party, party] })).rejects.toMatchObject({
      status: 403,
      code: HubErrors.DuplicateAddressRole,
    })
  })

  test('in one role without sequences go around those that others have', async () => {
    const party = { role: AddressRole.NotifyParty, companyName: 'Company' }
    const { addresses } = await create({ addresses: [party, { ...party, sequence: 0 }] })
    expect(addresses?.map(({ sequence }) => sequence).sort()).toEqual([0, 1])
  })

  test.for([null, '', 15, true, [4], 'Nobody'])('can not have the role %o', async (role) => {
    const addresses = [{ role, companyName: 'Company' }]
    const answer = await send(operator, 'POST', shipment, { shipmentReference: newReference(), addresses })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['addresses[0].role'],
    })
  })

  test('make the controlling customer', async () => {
    const parties = [{ role: AddressRole.ControllingCustomer, organizationId: acme }]
    expect((await create({ addresses: parties })).controllingCustomer).toMatchObject({
      id: acme,
      code: 'ACME',
      fullName: 'Acme Trading BV',
    })
  })

  test('are nobody when staff name none', async () => {
    expect(await create()).toMatchObject({ addresses: [], controllingCustomer: null })
  })
})

describe('a customer', () => {
  const rights = [ShipmentPermissions.View, ShipmentPermissions.Create, ShipmentPermissions.Edit]
  let customer: AppCaller
  let theirs: ShipmentAppService
  let stranger: string

  beforeAll(async () => {
    await Promise.all([addOrganization(app, 'FIRST'), addOrganization(app, 'SECOND')])
    stranger = await addOrganization(app, 'STRANGER')
    customer = await app.as({ permissions: rights, organizations: ['SECOND', 'FIRST'] })
    theirs = customer.service(ShipmentAppService)
  })

  test('who names no party controls the shipment with their default organization', async () => {
    const created = await theirs.create({ shipmentReference: newReference() })
    expect(created.controllingCustomer?.code).toBe('SECOND')
    expect(created.addresses).toMatchObject([
      { role: AddressRole.ControllingCustomer, companyName: 'SECOND Company' },
    ])
  })

  test('may name another of their organizations as the controlling customer', async () => {
    const [first] = (await theirs.getList({})).items
    const party = { role: AddressRole.ControllingCustomer, organizationId: first?.controllingCustomer?.id }
    const created = await theirs.create({ shipmentReference: newReference(), addresses: [party] })
    expect(created.controllingCustomer?.code).toBe('SECOND')
  })

  test('may not name somebody else as the controlling customer', async () => {
    const party = { role: AddressRole.ControllingCustomer, organizationId: stranger }
    await expect(
      theirs.create({ shipmentReference: newReference(), addresses: [party] }),
    ).rejects.toMatchObject({
      status: 403,
      code: HubErrors.OrganizationNotAccessible,
      data: { organizationId: stranger },
    })
  })

  test('who names only others is on the shipment as its controlling customer', async () => {
    const party = { role: AddressRole.Consignor, organizationId: stranger }
    const own = (await theirs.create({ shipmentReference: newReference() })).controllingCustomer?.id
    // A company that the customer meets on a shipment of theirs.
    await create({ addresses: [party, { role: AddressRole.ControllingCustomer, organizationId: own }] })
    const created = await theirs.create({ shipmentReference: newReference(), addresses: [party] })
    expect(created).toMatchObject({
      controllingCustomer: { code: 'SECOND' },
      addresses: [{ companyName: 'STRANGER Company' }, { companyName: 'SECOND Company' }],
    })
  })

  test('without an organization can not put a shipment on others, where they could not see it', async () => {
    const nobody = await app.as({ permissions: rights })
    const addresses = [{ role: 'Consignor', organizationId: stranger }]
    const answer = await send(nobody, 'POST', shipment, { shipmentReference: newReference(), addresses })
    expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['addresses', 'addresses[0].organizationId'],
    })
  })

  test('who names their organization in another role is not made the controlling customer', async () => {
    const { items } = await theirs.getList({})
    const own = items.find(({ controllingCustomer }) => controllingCustomer)?.controllingCustomer?.id
    const party = { role: AddressRole.Consignee, organizationId: own }
    const created = await theirs.create({ shipmentReference: newReference(), addresses: [party] })
    expect(created.controllingCustomer).toBeNull()
  })
})

describe('lists', () => {
  beforeAll(async () => {
    const rows = [3, 1, 2].map((number) => ({
      ShipmentReference: `L-${number}`,
      TotalPackages: number,
      CreationTime: new Date(Date.UTC(2020, 0, number)),
    }))
    await addShipments(app, rows)
  })

  /** The references of the rows that this block added, in the order of the list. */
  async function ordered(sorting?: string): Promise<string[]> {
    const { items } = await shipments.getList({ maxResultCount: 1000, ...(sorting && { sorting }) })
    return items.map(({ shipmentReference }) => shipmentReference).filter((text) => text.startsWith('L-'))
  }

  test('are sorted newest first when the caller does not sort', async () => {
    expect(await ordered()).toEqual(['L-3', 'L-2', 'L-1'])
  })

  test('hold the newest shipment first', async () => {
    const { id } = await create()
    expect((await shipments.getList({ maxResultCount: 1 })).items[0]?.id).toBe(id)
  })

  test.for([
    'shipmentReference ASC',
    'ShipmentReference asc',
    'TOTALPACKAGES',
    ' creationTime   Asc ',
    'totalPackages ascending',
  ])('are sorted by %j', async (sorting) => {
    expect(await ordered(sorting)).toEqual(['L-1', 'L-2', 'L-3'])
  })

  test.for(['shipmentReference DESC', 'totalpackages desc', 'creationTime descending, id asc'])(
    'are sorted by %j',
    async (sorting) => {
      expect(await ordered(sorting)).toEqual(['L-3', 'L-2', 'L-1'])
    },
  )

  test.for([
    'colour',
    'visibleOrganizationIds ASC',
    'isDeleted',
    'transportMode',
    'id; drop table x',
    'id ASC DESC',
    'id,',
  ])('refuse the sorting %j', async (sorting) => {
    const answer = await send(operator, 'GET', `${shipment}?Sorting=${encodeURIComponent(sorting)}`)
    expect({ status: answer.status, code: answer.body.error.code, members: faultyMembers(answer) }).toEqual({
      status: 400,
      code: 'App:Sorting:UnknownField',
      members: ['sorting'],
    })
  })

  test.for([
    ['MaxResultCount=0', 'maxResultCount'],
    ['MaxResultCount=1001', 'maxResultCount'],
    ['MaxResultCount=ten', 'maxResultCount'],
    ['MaxResultCount=1.5', 'maxResultCount'],
    ['SkipCount=-1', 'skipCount'],
    ['SkipCount=x', 'skipCount'],
    ['IncludeFacets=perhaps', 'includeFacets'],
  ] as const)('refuse %s', async ([query, member]) => {
    for (const path of [shipment, `${shipment}/upcoming-shipments`, '/api/app/shipment']) {
      const answer = await send(operator, 'GET', `${path}?${query}`)
      expect({ status: answer.status, members: faultyMembers(answer) }).toEqual({
        status: 400,
        members: [member],
      })
    }
  })

  test.for([
    'MaxResultCount=1',
    'MaxResultCount=1000',
    'SkipCount=0',
    'skipcount=5',
    'SkipCount=9007199254740991',
  ])('take %s', async (query) => {
    expect((await send(operator, 'GET', `${shipment}?${query}`)).status).toBe(200)
  })

  test('hold ten rows when the caller does not say how many', async () => {
    await Promise.all(Array.from({ length: 11 }, () => create()))
    expect((await shipments.getList({})).items).toHaveLength(10)
  })

  test('in pages hold every row once', async () => {
    const sorting = 'status ASC'
    const { totalCount } = await shipments.getList({ sorting })
    const seen = new Set<string>()
    for (let skipCount = 0; skipCount < totalCount; skipCount += 4) {
      const { items } = await shipments.getList({ sorting, skipCount, maxResultCount: 4 })
      for (const { id } of items) seen.add(id)
    }
    expect(seen.size).toBe(totalCount)
  })

  test('leave out the collections', async () => {
    await create({ addresses: [{ role: AddressRole.Consignor, companyName: 'Company' }] })
    const { body } = await send(operator, 'GET', `${shipment}?MaxResultCount=1`)
    const collections = ['addresses', 'orders', 'documents']
    expect(Object.keys(body.items[0]).filter((name) => collections.includes(name))).toEqual([])
  })
})

describe('texts', () => {
  test('come back as they were given, whatever is in them', async () => {
    const cargoDescription = 'Quote " backslash \\ newline \n tab \t emoji 🚢 Ärger 中文 \u2028 <b>'
    expect((await create({ cargoDescription })).cargoDescription).toBe(cargoDescription)
  })

  test('with a character that can not be stored are refused', async () => {
    const values = { shipmentReference: newReference(), cargoDescription: 'a\u0000b' }
    const answer = await send(operator, 'POST', shipment, values)
    expect(answer.status).toBe(400)
  })

  test('with a character that can not be stored are refused in a query', async () => {
    expect((await send(operator, 'GET', '/api/hub/port?filter=a%00b')).status).toBe(400)
  })
})

describe('instants', () => {
  test.for([
    ['2026-12-01', '2026-12-01T00:00:00Z'],
    ['2026-12-01T10:00', '2026-12-01T10:00:00Z'],
    ['2026-12-01T10:00:00+0530', '2026-12-01T04:30:00Z'],
    ['2026-12-01 10:00:00.25z', '2026-12-01T10:00:00.25Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ] as const)('%j is %s', async ([given, stored]) => {
    const answer = await send(operator, 'POST', shipment, {
      shipmentReference: newReference(),
      estimatedDeparture: given,
    })
    expect(answer.body.estimatedDeparture).toBe(stored)
  })

  test.for([
    'soon',
    '2026-02-30',
    '2026-13-01',
    '0000-01-01',
    '9999-12-31T23:59:59-01:00',
    '2026-12-01T25:00',
    20261201,
    true,
    {},
  ])('%o is refused', async (given) => {
    const values = { shipmentReference: newReference(), estimatedDeparture: given }
    const answer = await send(operator, 'POST', shipment, values)
    expect({ status: answer.status, members: answer.body.error && faultyMembers(answer) }).toEqual({
      status: 400,
      members: ['estimatedDeparture'],
    })
  })
})

test('documents are part of a shipment only for callers with Document.View', async () => {
  const created = await create()
  const withoutDocuments = await app.as({ permissions: [ShipmentPermissions.View, 'Organization.AccessAll'] })
  const withDocuments = await app.as({
    permissions: [ShipmentPermissions.View, DocumentPermissions.View, 'Organization.AccessAll'],
  })
  expect((await withoutDocuments.service(ShipmentAppService).get(created.id)).documents).toBeNull()
  expect((await withDocuments.service(ShipmentAppService).get(created.id)).documents).toEqual([])
})
