import { Databases, sql } from '@keel/framework/data'
import {
  AccessScope,
  AddressRole,
  ContactDepartment,
  HubErrors,
  OrganizationAddressAppService,
  OrganizationAddressType,
  OrganizationAppService,
  OrganizationMemberAppService,
} from '@keel/hub/contracts'
import { createHubProxy } from '@keel/hub-proxy'
import { CustomerAdmin, DefaultCustomer, OperationsManager, Operator } from '@keel/identity/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addMember,
  addOrganization,
  addRows,
  addShipments,
  hubOf,
  portId,
  storedRow,
} from '../support/hub-rows.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { faultyMembers, send } from '../support/wire.js'

const path = '/api/hub/organization'
const addresses = '/api/hub/organization-address'
const contacts = '/api/hub/organization-contact'
const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let manager: AppCaller
let acmeAdmin: AppCaller
/** ACME with BRANCH and DEPOT below it, and OTHER beside it. */
let acme: string
let branch: string
let depot: string
let other: string
let number = 0
const code = (name: string) => `${name}${number}`

beforeAll(async () => {
  app = await startApp()
  manager = await app.as({ roles: [OperationsManager] })
})
afterAll(() => app?.close())

beforeEach(async () => {
  number++
  acme = await addOrganization(app, code('ACME'))
  branch = await addOrganization(app, code('BRANCH'), {
    ParentOrganizationId: acme,
    HierarchyPath: `/${code('ACME')}/${code('BRANCH')}/`,
  })
  depot = await addOrganization(app, code('DEPOT'), {
    ParentOrganizationId: branch,
    HierarchyPath: `/${code('ACME')}/${code('BRANCH')}/${code('DEPOT')}/`,
  })
  other = await addOrganization(app, code('OTHER'))
  acmeAdmin = await app.as({ roles: [CustomerAdmin] })
  await addMember(app, acmeAdmin.userId, acme)
})

const organizations = (who: AppCaller) => who.service(OrganizationAppService)
const address = (organizationId: string, more: object = {}) => ({
  organizationId,
  addressType: OrganizationAddressType.Office,
  code: 'HQ',
  line1: 'Quay 1',
  city: 'Rotterdam',
  countryCode: 'NL',
  ...more,
})
const addAddress = async (organizationId: string, more: object = {}) =>
  (await send(manager, 'POST', addresses, address(organizationId, more))).body.id as string
const pathOf = async (id: string) => (await organizations(manager).get(id)).hierarchyPath

describe.each([
  {
    set: 'OrganizationAddresses',
    route: addresses,
    navigation: 'Addresses',
    table: 'HubOrganizationAddresses',
    body: { ...address(''), portId: portId('NLRTM'), latitude: 51.95, longitude: 4.05, isDefault: true },
    change: { line1: 'Quay 2', isDefault: false },
    shown: 'City',
  },
  {
    set: 'OrganizationContacts',
    route: contacts,
    navigation: 'Contacts',
    table: 'HubOrganizationContacts',
    body: { fullName: 'Ann Quay', email: 'ann@example.com', department: ContactDepartment.Customs },
    change: { jobTitle: 'Broker', isPrimary: true },
    shown: 'FullName',
  },
])('$set', ({ set, route, navigation, table, body, change, shown }) => {
  const add = (who: AppCaller, organizationId: string) =>
    send(who, 'POST', route, { ...body, organizationId })
  const idsIn = (answer: { body: { value?: { Id: string }[]; items?: { id: string }[] } }) =>
    answer.body.items?.map(({ id }) => id) ?? answer.body.value?.map(({ Id }) => Id)

  test('are created, read, listed, changed and deleted by customers for what is below them, also over OData', async () => {
    const created = await add(acmeAdmin, branch)
    expect([created.status, created.body]).toMatchObject([200, { ...body, organizationId: branch }])
    const { id } = created.body
    expect((await send(acmeAdmin, 'GET', `${route}/${id}`)).body).toEqual(created.body)
    expect(idsIn(await send(acmeAdmin, 'GET', `${route}?organizationId=${branch}`))).toEqual([id])
    expect(idsIn(await send(acmeAdmin, 'GET', `/odata/${set}?$filter=OrganizationId eq ${branch}`))).toEqual([
      id,
    ])
    const { body: expanded } = await send(
      acmeAdmin,
      'GET',
      `/odata/Organizations(${branch})?$expand=${navigation}`,
    )
    expect(expanded[navigation]).toMatchObject([{ Id: id }])
    expect((await send(acmeAdmin, 'PUT', `${route}/${id}`, change)).body).toMatchObject(change)
    expect((await send(acmeAdmin, 'DELETE', `${route}/${id}`)).status).toBe(204)
    expect((await send(acmeAdmin, 'GET', `${route}/${id}`)).status).toBe(404)
  })

  test('of other organizations are neither seen nor touched, and look like rows that do not exist', async () => {
    const { id } = (await add(manager, other)).body
    for (const [method, input] of [
      ['GET', undefined],
      ['PUT', change],
      ['DELETE', undefined],
    ] as const) {
      const theirs = await send(acmeAdmin, method, `${route}/${id}`, input)
      const none = await send(acmeAdmin, method, `${route}/${nowhere}`, input)
      expect([theirs.status, theirs.text]).toEqual([404, none.text.replaceAll(nowhere, id)])
    }
    const [theirs, none] = [await add(acmeAdmin, other), await add(acmeAdmin, nowhere)]
    expect([theirs.status, theirs.text]).toEqual([400, none.text])
    expect(idsIn(await send(acmeAdmin, 'GET', `${route}?organizationId=${other}`))).toEqual([])
    for (const query of [
      `/odata/${set}?$filter=OrganizationId eq ${other}`,
      `/odata/${set}?$filter=Organization/Code eq '${code('OTHER')}'`,
      `/odata/${set}?$orderby=${shown}&$filter=Id eq ${id}`,
      `/odata/Organizations?$filter=${navigation}/any(a: a/Id eq ${id})`,
    ])
      expect(idsIn(await send(acmeAdmin, 'GET', query))).toEqual([])
    expect((await storedRow(app, table, id)).IsDeleted).toBe(false)
  })

  test('are changed by those who may change organizations alone', async () => {
    const reader = await app.as({ roles: [DefaultCustomer] })
    await addMember(app, reader.userId, acme)
    const { id } = (await add(manager, acme)).body
    expect((await send(reader, 'GET', `${route}/${id}`)).status).toBe(200)
    const answers = [await add(reader, acme), await send(reader, 'PUT', `${route}/${id}`, change)]
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })
})

test('an address has a code of its own in its organization, and one of each type is the default', async () => {
  const first = await addAddress(acme, { isDefault: true })
  const again = await send(acmeAdmin, 'POST', addresses, address(acme))
  expect(again.body.error).toMatchObject({ code: HubErrors.OrganizationAddressAlreadyExists })
  const second = await send(acmeAdmin, 'POST', addresses, address(acme, { code: 'HQ2', isDefault: true }))
  expect(second.body.error.code).toBe(HubErrors.DefaultAddressExists)
  await send(acmeAdmin, 'PUT', `${addresses}/${first}`, { isDefault: false })
  const third = await send(acmeAdmin, 'POST', addresses, address(acme, { code: 'HQ2', isDefault: true }))
  expect(third.status).toBe(200)
  const wrong = address(acme, { code: 'HQ3', latitude: 91, portId: nowhere })
  expect(faultyMembers(await send(acmeAdmin, 'POST', addresses, wrong))).toEqual(['latitude'])
  expect(faultyMembers(await send(acmeAdmin, 'POST', addresses, { ...wrong, latitude: 1 }))).toEqual([
    'portId',
  ])
})

test('a contact works at an address of the own organization, and stays when the address goes', async () => {
  const [own, theirs] = [await addAddress(acme), await addAddress(other)]
  const person = { organizationId: acme, fullName: 'Ann' }
  const refused = await send(acmeAdmin, 'POST', contacts, { ...person, organizationAddressId: theirs })
  expect([refused.status, faultyMembers(refused)]).toEqual([400, ['organizationAddressId']])
  const { body } = await send(acmeAdmin, 'POST', contacts, { ...person, organizationAddressId: own })
  expect(body.organizationAddressId).toBe(own)
  await send(acmeAdmin, 'DELETE', `${addresses}/${own}`)
  expect((await send(acmeAdmin, 'GET', `${contacts}/${body.id}`)).body.organizationAddressId).toBeNull()
})

test('the proxy has addresses and contacts, to call and to query', async () => {
  const hub = createHubProxy({ baseUrl: app.host.url, accessToken: () => acmeAdmin.token })
  const created = await hub.organizationAddresses.create(address(acme))
  const { items } = await hub.organizationAddresses.query((q) => q.filter((row) => row.id.eq(created.id)))
  expect(items).toEqual([created])
  const contact = await hub.organizationContacts.create({ organizationId: acme, fullName: 'Ann' })
  expect((await hub.organizationContacts.getList({ organizationId: acme })).items).toEqual([contact])
})

describe('the tree', () => {
  test('lists an organization and what is below it, in pages, with levels', async () => {
    const tree = await organizations(acmeAdmin).getTree(acme, {})
    expect(tree.items.map(({ id, level }) => [id, level])).toEqual([
      [acme, 1],
      [branch, 2],
      [depot, 3],
    ])
    const page = await organizations(acmeAdmin).getTree(branch, { skipCount: 1, maxResultCount: 1 })
    expect([page.totalCount, page.items.map(({ id }) => id)]).toEqual([2, [depot]])
  })

  test('shows nothing that its caller does not see', async () => {
    await expect(organizations(acmeAdmin).getTree(other, {})).rejects.toMatchObject({ status: 404 })
    const own = await app.as({ roles: [DefaultCustomer] })
    await addMember(app, own.userId, acme, { AccessScope: AccessScope.OwnOnly })
    const tree = await organizations(own).getTree(acme, {})
    expect(tree.items.map(({ id }) => id)).toEqual([acme])
  })
})

describe('a move', () => {
  test('takes everything below along, and changes what members see at the next request', async () => {
    await organizations(manager).move(branch, { newParentId: other })
    expect(await pathOf(depot)).toBe(`/${code('OTHER')}/${code('BRANCH')}/${code('DEPOT')}/`)
    await expectAtNextRequest(
      async () => (await organizations(acmeAdmin).getList({})).items.map(({ id }) => id),
      [acme],
    )
    await organizations(manager).move(branch, {})
    expect(await pathOf(depot)).toBe(`/${code('BRANCH')}/${code('DEPOT')}/`)
  })

  test('below itself, below nothing that exists, and by customers is refused', async () => {
    await expect(organizations(manager).move(acme, { newParentId: depot })).rejects.toMatchObject({
      code: HubErrors.OrganizationHierarchyCycle,
    })
    const unknown = await send(manager, 'POST', `${path}/${acme}/move`, { newParentId: nowhere })
    expect(faultyMembers(unknown)).toEqual(['newParentId'])
    expect((await send(acmeAdmin, 'POST', `${path}/${branch}/move`, {})).status).toBe(403)
    const stale = { newParentId: other, concurrencyStamp: 'another' }
    expect((await send(manager, 'POST', `${path}/${branch}/move`, stale)).status).toBe(409)
    expect(await pathOf(branch)).toBe(`/${code('ACME')}/${code('BRANCH')}/`)
  })
})

describe('a merge', () => {
  const orderRow = (more: object) => ({
    Id: crypto.randomUUID(),
    OrderNumber: 'PO-1',
    OrderDate: '2026-11-01',
    CurrencyCode: 'EUR',
    CreationTime: new Date(),
    ConcurrencyStamp: 'stamp',
    ...more,
  })

  test('moves children, addresses, contacts, members, documents, orders and parties, and deletes the other one', async () => {
    const [shipment] = await addShipments(app, [
      {
        parties: [
          { role: AddressRole.ControllingCustomer, organizationId: acme },
          { role: AddressRole.Consignee, organizationId: other },
        ],
      },
    ])
    const order = orderRow({ BuyerId: acme, SupplierId: depot })
    await addRows(hubOf(app), 'HubOrders', [order])
    const [document] = await addDocuments(app, [{ OrganizationId: acme }])
    await addAddress(other, { isDefault: true })
    const moved = await addAddress(acme, { isDefault: true })
    const contact = await send(manager, 'POST', contacts, { organizationId: acme, fullName: 'Ann' })
    const both = await app.as({ roles: [DefaultCustomer] })
    await addMember(app, both.userId, acme, { IsDefault: true })
    await addMember(app, both.userId, other, {
      AccessScope: AccessScope.OwnOnly,
      ValidUntil: new Date(Date.now() + 60_000),
    })

    const merged = await organizations(manager).merge(other, { sourceId: acme })
    expect(merged.id).toBe(other)
    await expect(organizations(manager).get(acme)).rejects.toMatchObject({ status: 404 })
    expect(await pathOf(depot)).toBe(`/${code('OTHER')}/${code('BRANCH')}/${code('DEPOT')}/`)
    expect(await storedRow(app, 'HubShipments', shipment ?? '')).toMatchObject({
      VisibleOrganizationIds: [other],
      ControllingCustomerId: other,
    })
    expect(await storedRow(app, 'HubOrders', order.Id)).toMatchObject({ BuyerId: other, SupplierId: depot })
    expect(await storedRow(app, 'HubDocuments', document ?? '')).toMatchObject({ OrganizationId: other })
    const places = await manager.service(OrganizationAddressAppService).getList({ organizationId: other })
    expect(places.items.map(({ id, code: name, isDefault }) => [id === moved, name, isDefault])).toEqual([
      [false, 'HQ', true],
      [true, 'HQ-2', false],
    ])
    expect((await send(manager, 'GET', `${contacts}/${contact.body.id}`)).body.organizationId).toBe(other)
    const members = manager.service(OrganizationMemberAppService)
    const { items } = await members.getList({ organizationId: other })
    expect(items.map(({ userId }) => userId).sort()).toEqual([both.userId, acmeAdmin.userId].sort())
    expect(items.find(({ userId }) => userId === both.userId)).toMatchObject({
      accessScope: AccessScope.IncludeChildren,
      validUntil: null,
      isDefault: true,
    })
    await expectAtNextRequest(
      async () => (await send(acmeAdmin, 'GET', `/api/hub/shipment/${shipment}`)).status,
      200,
    )
    const changes = () =>
      app.host
        .get(Databases)
        .named('Default')
        .query<{ count: number }>(
          sql`select count(*)::int as count from "AbpEntityChanges" where "EntityId" = ${order.Id}`,
        )
    // Audit logs are written behind the answer.
    await expect.poll(changes, { timeout: 10_000 }).toEqual([{ count: 1 }])
  })

  test.each([
    ['had all below the one organization until yesterday', -86_400_000],
    ['has all below the one organization until tomorrow', 86_400_000],
  ])('gives nobody more: who %s, and the other one for good, has that for good', async (_who, ms) => {
    const both = await app.as({ roles: [DefaultCustomer] })
    await addMember(app, both.userId, acme, { ValidUntil: new Date(Date.now() + ms) })
    await addMember(app, both.userId, other, { AccessScope: AccessScope.OwnOnly })
    await organizations(manager).merge(acme, { sourceId: other })
    const { items } = await manager.service(OrganizationMemberAppService).getList({ organizationId: acme })
    expect(items.find(({ userId }) => userId === both.userId)).toMatchObject({
      accessScope: AccessScope.OwnOnly,
      validUntil: null,
    })
  })

  test('of two that trade with each other, or whose orders have one number, changes nothing', async () => {
    const order = orderRow({ BuyerId: acme, SupplierId: other })
    await addRows(hubOf(app), 'HubOrders', [order])
    await expect(organizations(manager).merge(other, { sourceId: acme })).rejects.toMatchObject({
      code: HubErrors.OrganizationsTradeWithEachOther,
    })
    await addRows(hubOf(app), 'HubOrders', [
      orderRow({ BuyerId: branch, SupplierId: acme }),
      orderRow({ BuyerId: depot, SupplierId: acme }),
    ])
    await expect(organizations(manager).merge(branch, { sourceId: depot })).rejects.toMatchObject({
      code: HubErrors.OrderNumberAlreadyExists,
      data: { orderNumber: 'PO-1' },
    })
    expect(await pathOf(depot)).toBe(`/${code('ACME')}/${code('BRANCH')}/${code('DEPOT')}/`)
  })

  test('is for staff who may delete organizations and manage members, and of two different ones', async () => {
    const operator = await app.as({ roles: [Operator] })
    for (const who of [operator, acmeAdmin])
      expect((await send(who, 'POST', `${path}/${other}/merge`, { sourceId: acme })).status).toBe(403)
    const itself = organizations(manager).merge(acme, { sourceId: acme })
    await expect(itself).rejects.toMatchObject({ code: HubErrors.OrganizationMergesWithItself })
    const upwards = organizations(manager).merge(depot, { sourceId: acme })
    await expect(upwards).rejects.toMatchObject({ code: HubErrors.OrganizationHierarchyCycle })
    const unknown = await send(manager, 'POST', `${path}/${other}/merge`, { sourceId: nowhere })
    expect(faultyMembers(unknown)).toEqual(['sourceId'])
  })
})

test('a branch is deleted at once, whatever the order of its ids', async () => {
  await organizations(manager).deleteMany([branch, depot])
  await organizations(manager).deleteMany([acme])
  expect((await storedRow(app, 'HubOrganizations', depot)).IsDeleted).toBe(true)
})
