import { sql } from '@keel/framework/data'
import {
  AddressRole,
  DocumentPermissions,
  OrderPermissions,
  OrganizationAppService,
  OrganizationPermissions,
  ShipmentAppService,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { PermissionGrants } from '@keel/permission-management'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addMember,
  addOrder,
  addOrganization,
  addShipments,
  containerId,
  hubOf,
  modeId,
  portId,
  type Row,
  setColumn,
} from '../support/hub-rows.js'
import { expectAtNextRequest } from '../support/next-request.js'
import { type Sender, send } from '../support/wire.js'

const shipment = '/api/hub/shipment'
const { ControllingCustomer, Consignee, Consignor } = AddressRole
const rights = [
  ShipmentPermissions.View,
  ShipmentPermissions.Edit,
  ShipmentPermissions.Delete,
  DocumentPermissions.View,
  OrderPermissions.View,
  OrganizationPermissions.View,
  OrganizationPermissions.Edit,
]
const dayMs = 86_400_000
const inDays = (days: number): Date => new Date(Date.now() + days * dayMs)

let app: App
let staff: AppCaller
let ours: string
let theirs: string

beforeAll(async () => {
  // Stacks tell where a copy of the host was built.
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  staff = await app.as({
    permissions: [...rights, ShipmentPermissions.Create, OrganizationPermissions.AccessAll],
  })
  ours = await addOrganization(app, 'OURS')
  theirs = await addOrganization(app, 'THEIRS')
})
afterAll(() => app.close())

/** A shipment that is listed everywhere, on which an organization plays a role. */
const on = (organizationId: string, row: Row = {}, role = ControllingCustomer) => ({
  EstimatedDeparture: inDays(3),
  EstimatedArrival: inDays(30),
  FirstConsolLegDeparturePortId: portId('NLRTM'),
  LastConsolLegArrivalPortId: portId('USLAX'),
  TransportModeId: modeId('Sea'),
  ContainerModeId: containerId('FCL'),
  parties: [{ role, organizationId }],
  ...row,
})

/** A user without any organization who may do everything else. */
const stranger = (): Promise<AppCaller> => app.as({ permissions: rights })

async function references(who: Sender, path = shipment): Promise<string[]> {
  const { body } = await send(who, 'GET', `${path}${path.includes('?') ? '&' : '?'}MaxResultCount=1000`)
  return body.items.map((item: { shipmentReference: string }) => item.shipmentReference).sort()
}

describe('a customer', () => {
  let customer: AppCaller
  let foreign: string

  beforeAll(async () => {
    customer = await app.as({ permissions: rights, organizations: ['OURS'] })
    const [own = '', other = ''] = await addShipments(app, [
      on(ours, { ShipmentReference: 'A-ours' }),
      on(theirs, {
        ShipmentReference: 'A-theirs',
        TransportModeId: modeId('Air'),
        ContainerModeId: containerId('ULD'),
        Status: 4,
      }),
    ])
    foreign = other
    await addDocuments(app, [{ ShipmentId: own }, { ShipmentId: other }])
  })

  test.for([
    shipment,
    `${shipment}?Sorting=shipmentReference`,
    `${shipment}?Filters.Organization=THEIRS&Filters.Organization=OURS`,
    `${shipment}/upcoming-shipments`,
    `${shipment}/new-documents`,
    '/api/app/shipment',
  ])('finds only the shipments of their organizations at %s', async (path) => {
    expect(await references(customer, path)).toEqual(['A-ours'])
  })

  test.for([shipment, `${shipment}/upcoming-shipments`, '/api/app/shipment'])(
    'counts only the shipments of their organizations at %s, in total and facets',
    async (path) => {
      const { body } = await send(customer, 'GET', `${path}?IncludeFacets=true`)
      expect({ total: body.totalCount, facets: body.facets }).toEqual({
        total: 1,
        facets: [
          { field: 'TransportMode', values: [{ value: 'Sea', count: 1 }] },
          { field: 'ContainerMode', values: [{ value: 'FCL', count: 1 }] },
          { field: 'DeparturePort', values: [{ value: 'NLRTM', count: 1 }] },
          { field: 'ArrivalPort', values: [{ value: 'USLAX', count: 1 }] },
          { field: 'Status', values: [{ value: 'Draft', count: 1 }] },
          { field: 'Organization', values: [{ value: 'OURS', count: 1 }] },
        ],
      })
    },
  )

  test('counts only documents of shipments of their organizations', async () => {
    expect((await send(customer, 'GET', `${shipment}/new-documents`)).body.totalCount).toBe(1)
  })

  test('finds nothing by the organization of others', async () => {
    const { body } = await send(customer, 'GET', `${shipment}?Filters.Organization=THEIRS`)
    expect({ total: body.totalCount, items: body.items }).toEqual({ total: 0, items: [] })
  })

  test.for([
    ['GET', undefined],
    ['PUT', { totalPackages: 1 }],
    ['DELETE', undefined],
  ] as const)('is told at %s of a foreign shipment that there is none: 404', async ([method, body]) => {
    const answer = await send(customer, method, `${shipment}/${foreign}`, body)
    expect({ status: answer.status, message: answer.body.error.message }).toEqual({
      status: 404,
      message: `There is no entity Shipment with id = ${foreign}!`,
    })
  })

  test('who was refused has changed nothing', async () => {
    const found = await send(staff, 'GET', `${shipment}/${foreign}`)
    expect(found.body).toMatchObject({ totalPackages: null, lastModificationTime: null })
  })

  test('gets the same answer as for a shipment that never was', async () => {
    const nowhere = '00000000-0000-4000-8000-000000000001'
    const [of, never] = await Promise.all(
      [foreign, nowhere].map((id) => send(customer, 'GET', `${shipment}/${id}`)),
    )
    expect(of?.text.replaceAll(foreign, '')).toBe(never?.text.replaceAll(nowhere, ''))
  })

  test('sees among the organizations only their own', async () => {
    const { items } = await customer.service(OrganizationAppService).getList({})
    expect(items.map(({ code }) => code)).toEqual(['OURS'])
  })

  test('is told of a foreign organization that there is none', async () => {
    const organizations = customer.service(OrganizationAppService)
    await expect(organizations.get(theirs)).rejects.toMatchObject({ status: 404 })
    await expect(organizations.update(theirs, { shortName: 'x' })).rejects.toMatchObject({ status: 404 })
  })

  test('can not put their organization below a foreign one', async () => {
    const organizations = customer.service(OrganizationAppService)
    await expect(organizations.update(ours, { parentOrganizationId: theirs })).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('an organization sees a shipment', () => {
  const roles = Object.values(AddressRole).filter((role) => typeof role === 'number')
  const blind: readonly AddressRole[] = [AddressRole.PickupFrom, AddressRole.DeliverTo, AddressRole.Carrier]
  let member: AppCaller
  let party: string

  beforeAll(async () => {
    party = await addOrganization(app, 'PARTY')
    member = await app.as({ permissions: rights, organizations: ['PARTY'] })
  })

  test.for(roles.map((role) => ({ role, name: AddressRole[role], sees: !blind.includes(role) })))(
    'as $name: $sees',
    async ({ role, sees }) => {
      const created = await staff.service(ShipmentAppService).create({
        shipmentReference: `role ${role}`,
        addresses: [
          { role: role === Consignor ? Consignee : Consignor, organizationId: theirs },
          { role, organizationId: party },
        ],
      })
      const listed = (await references(member)).includes(`role ${role}`)
      const read = await send(member, 'GET', `${shipment}/${created.id}`)
      expect({ listed, status: read.status }).toEqual({ listed: sees, status: sees ? 200 : 404 })
    },
  )
})

describe('a member', () => {
  let root: string
  let child: string

  beforeAll(async () => {
    root = await addOrganization(app, 'ROOT')
    child = await addOrganization(app, 'CHILD', { HierarchyPath: '/ROOT/CHILD/', ParentOrganizationId: root })
    const grand = await addOrganization(app, 'GRAND', {
      HierarchyPath: '/ROOT/CHILD/GRAND/',
      ParentOrganizationId: child,
    })
    const alike = await addOrganization(app, 'ROOTED')
    await addShipments(app, [
      on(root, { ShipmentReference: 'B-root' }),
      on(child, { ShipmentReference: 'B-child' }),
      on(grand, { ShipmentReference: 'B-grand' }),
      on(alike, { ShipmentReference: 'B-alike' }),
    ])
  })

  /** What somebody sees who is a member of an organization in this way. */
  async function seenBy(organization: string, membership: Row): Promise<string[]> {
    const member = await stranger()
    await addMember(app, member.userId, organization, membership)
    return references(member)
  }

  test('with what is below sees the whole branch', async () => {
    expect(await seenBy(root, { AccessScope: 1 })).toEqual(['B-child', 'B-grand', 'B-root'])
  })

  test('of the organization alone sees nothing below it', async () => {
    expect(await seenBy(root, { AccessScope: 0 })).toEqual(['B-root'])
  })

  test('further down sees nothing above', async () => {
    expect(await seenBy(child, { AccessScope: 1 })).toEqual(['B-child', 'B-grand'])
  })

  test('of two organizations sees both', async () => {
    const member = await stranger()
    await addMember(app, member.userId, child, { AccessScope: 0 })
    await addMember(app, member.userId, ours, { AccessScope: 0 })
    expect(await references(member)).toEqual(['A-ours', 'B-child'])
  })

  test('until yesterday sees nothing', async () => {
    expect(await seenBy(root, { AccessScope: 1, ValidUntil: inDays(-1) })).toEqual([])
  })

  test('until tomorrow sees as much as any', async () => {
    expect(await seenBy(root, { AccessScope: 0, ValidUntil: inDays(1) })).toEqual(['B-root'])
  })

  test('who was removed sees nothing', async () => {
    expect(await seenBy(root, { AccessScope: 1, IsDeleted: true })).toEqual([])
  })

  test.for([
    ['is not active', 'IsActive', false],
    ['is deleted', 'IsDeleted', true],
  ] as const)('of an organization that %s sees nothing, nor what is below', async ([, column, value]) => {
    const code = `TOP${column.toUpperCase()}`
    const top = await addOrganization(app, code)
    const below = await addOrganization(app, `${code}B`, { HierarchyPath: `/${code}/${code}B/` })
    await addShipments(app, [on(top), on(below)])
    await setColumn(app, 'HubOrganizations', top, column, value)
    expect(await seenBy(top, { AccessScope: 1 })).toEqual([])
  })

  test('sees nothing of an organization below that is not active', async () => {
    const top = await addOrganization(app, 'ABOVE')
    const below = await addOrganization(app, 'BELOW', { HierarchyPath: '/ABOVE/BELOW/', IsActive: false })
    await addShipments(app, [on(top, { ShipmentReference: 'C-above' }), on(below)])
    expect(await seenBy(top, { AccessScope: 1 })).toEqual(['C-above'])
  })
})

describe('a change of memberships', () => {
  test('shows and hides shipments at the next request', async () => {
    const organization = await addOrganization(app, 'CHANGING')
    await addShipments(app, [on(organization, { ShipmentReference: 'D-changing' })])
    const member = await stranger()
    const before = await references(member)
    await addMember(app, member.userId, organization)
    await expect.poll(() => references(member), { timeout: 1000, interval: 10 }).toEqual(['D-changing'])
    await hubOf(app).execute(
      sql`update "HubOrganizationMembers" set "IsDeleted" = true where "UserId" = ${member.userId}`,
    )
    await expect.poll(() => references(member), { timeout: 1000, interval: 10 }).toEqual(before)
  })

  test('hides the shipments of an organization that is deactivated through the API at the next request', async () => {
    const organization = await addOrganization(app, 'CLOSING')
    await addShipments(app, [on(organization, { ShipmentReference: 'D-closing' })])
    const member = await app.as({ permissions: rights, organizations: ['CLOSING'] })
    expect(await references(member)).toEqual(['D-closing'])
    await staff.service(OrganizationAppService).update(organization, { isActive: false })
    await expectAtNextRequest(() => references(member), [])
  })

  test('shows the shipments of an organization that moves below at the next request', async () => {
    const [top, moving] = [await addOrganization(app, 'TARGET'), await addOrganization(app, 'MOVING')]
    await addShipments(app, [on(moving, { ShipmentReference: 'D-moving' })])
    const member = await app.as({ permissions: rights, organizations: ['TARGET'] })
    expect(await references(member)).toEqual([])
    await staff.service(OrganizationAppService).update(moving, { parentOrganizationId: top })
    await expectAtNextRequest(() => references(member), ['D-moving'])
  })
})

describe('a draft without any party', () => {
  let creator: AppCaller
  let draft: string

  beforeAll(async () => {
    creator = await app.as({ permissions: [...rights, ShipmentPermissions.Create] })
    draft = (await creator.service(ShipmentAppService).create({ shipmentReference: 'E-draft' })).id
  })

  test('is seen by its creator', async () => {
    expect(await references(creator)).toEqual(['E-draft'])
  })

  test('is seen by nobody else', async () => {
    expect((await send(await stranger(), 'GET', `${shipment}/${draft}`)).status).toBe(404)
  })

  test('may be changed and deleted by its creator', async () => {
    const { id } = await creator.service(ShipmentAppService).create({ shipmentReference: 'E-gone' })
    await creator.service(ShipmentAppService).update(id, { totalPackages: 2 })
    await creator.service(ShipmentAppService).delete(id)
    expect((await send(creator, 'GET', `${shipment}/${id}`)).status).toBe(404)
  })

  test('is still seen by its creator when somebody only picks up or carries', async () => {
    const parties = [5, 6, 14].map((role) => ({ role, organizationId: theirs }))
    const [id = ''] = await addShipments(app, [{ CreatorId: creator.userId, parties }])
    expect((await send(creator, 'GET', `${shipment}/${id}`)).status).toBe(200)
  })

  test('is lost to its creator once others are on it', async () => {
    const [id = ''] = await addShipments(app, [on(theirs, { CreatorId: creator.userId })])
    expect((await send(creator, 'GET', `${shipment}/${id}`)).status).toBe(404)
  })
})

describe('without any membership', () => {
  test.for(['', '/upcoming-shipments', '/new-documents'])(
    'the list %j is empty, and allowed',
    async (path) => {
      const { status, body } = await send(await stranger(), 'GET', shipment + path)
      expect({ status, total: body.totalCount, items: body.items }).toEqual({
        status: 200,
        total: 0,
        items: [],
      })
    },
  )

  test('facets are empty', async () => {
    const { body } = await send(await stranger(), 'GET', `${shipment}?IncludeFacets=true`)
    expect(body.facets.flatMap(({ values }: { values: object[] }) => values)).toEqual([])
  })

  test('a program with its own token sees nothing', async () => {
    const grant = { providerName: 'C', providerKey: 'machine', permission: ShipmentPermissions.View } as const
    await app.host.get(PermissionGrants).grant([grant])
    const machine = await app.host.as({ subject: 'machine', clientId: 'machine' })
    expect(await references(machine)).toEqual([])
  })
})

describe('staff', () => {
  test('with Organization.AccessAll see every shipment', async () => {
    expect(await references(staff)).toEqual(
      expect.arrayContaining(['A-ours', 'A-theirs', 'B-root', 'E-draft']),
    )
  })

  test('of the administration see every shipment', async () => {
    expect(await references(await app.admin())).toEqual(await references(staff))
  })

  test('see every shipment although they are members of one organization', async () => {
    const member = await app.as({
      permissions: [...rights, OrganizationPermissions.AccessAll],
      organizations: ['OURS'],
    })
    expect(await references(member)).toEqual(await references(staff))
  })
})

describe('inside a shipment', () => {
  let customer: AppCaller
  let id: string

  beforeAll(async () => {
    customer = await app.as({ permissions: rights, organizations: ['OURS'] })
    ;[id = ''] = await addShipments(app, [on(ours, { Status: 1 })])
    await addDocuments(app, [
      { ShipmentId: id, FileName: 'published.pdf', IsCustomerVisible: true, IsDeleted: false },
      { ShipmentId: id, FileName: 'internal.pdf', IsCustomerVisible: false, IsDeleted: false },
      { ShipmentId: id, FileName: 'pending.pdf', Status: 0, IsCustomerVisible: true, IsDeleted: false },
      { ShipmentId: id, FileName: 'deleted.pdf', IsCustomerVisible: true, IsDeleted: true },
    ])
    const parties = { BuyerId: theirs, SupplierId: ours, ShipmentId: id }
    await addOrder(app, { ...parties, OrderNumber: 'PO-2' })
    await addOrder(app, {
      ...parties,
      OrderNumber: 'PO-1',
      BuyerId: await addOrganization(app, 'BUYER'),
      SupplierId: theirs,
    })
    await addOrder(app, { ...parties, OrderNumber: 'PO-deleted', IsDeleted: true })
    await addOrder(app, { BuyerId: ours, SupplierId: theirs, OrderNumber: 'PO-elsewhere' })
  })

  const documentsFor = async (who: Sender): Promise<string[]> => {
    const { body } = await send(who, 'GET', `${shipment}/${id}`)
    return body.documents.map(({ fileName }: { fileName: string }) => fileName).sort()
  }

  test('a customer sees published documents that are meant for customers', async () => {
    expect(await documentsFor(customer)).toEqual(['published.pdf'])
  })

  test('a customer is not told the number of documents whose shipment they no longer see', async () => {
    const [id = ''] = await addShipments(app, [on(ours)])
    await addDocuments(app, [{ ShipmentId: id }])
    const total = async () =>
      (await send(customer, 'GET', `/api/hub/document?ShipmentId=${id}`)).body.totalCount
    expect([await total(), await total()]).toEqual([1, 1])
    await setColumn(app, 'HubShipments', id, 'VisibleOrganizationIds', [theirs])
    expect(await total()).toBe(0)
  })

  test('staff see documents in every state', async () => {
    expect(await documentsFor(staff)).toEqual(['internal.pdf', 'pending.pdf', 'published.pdf'])
  })

  test('a customer finds no internal document among the new ones', async () => {
    const { body } = await send(customer, 'GET', `${shipment}/new-documents`)
    expect(body.items.map(({ fileName }: { fileName: string }) => fileName)).not.toContain('internal.pdf')
  })

  test('all of its orders are shown, in order, whoever buys', async () => {
    const { orders } = await customer.service(ShipmentAppService).get(id)
    expect(orders?.map(({ orderNumber }) => orderNumber)).toEqual(['PO-1', 'PO-2'])
  })

  test('an order names its buyer and supplier', async () => {
    const { orders } = await customer.service(ShipmentAppService).get(id)
    expect(orders?.[1]).toMatchObject({ buyer: { code: 'THEIRS' }, supplier: { code: 'OURS' } })
  })

  test('all parties are shown, each with its role', async () => {
    const [mixed = ''] = await addShipments(app, [
      {
        parties: [
          { role: Consignor, organizationId: theirs },
          { role: Consignee, organizationId: ours },
        ],
      },
    ])
    const { addresses } = await customer.service(ShipmentAppService).get(mixed)
    expect(addresses?.map(({ role, organizationId }) => ({ role, organizationId }))).toEqual([
      { role: Consignor, organizationId: theirs },
      { role: Consignee, organizationId: ours },
    ])
  })

  test('a party that was taken off is shown no more', async () => {
    const [mixed = ''] = await addShipments(app, [on(ours)])
    await hubOf(app).execute(
      sql`update "HubShipmentAddresses" set "IsDeleted" = true where "ShipmentId" = ${mixed}`,
    )
    expect((await customer.service(ShipmentAppService).get(mixed)).addresses).toEqual([])
  })
})

/** The predicate of the domain model, section 3, in its canonical form: which of the shipments a user sees. */
async function canonically(
  ids: readonly string[],
  user: string,
  organizationIds: readonly string[],
): Promise<string[]> {
  const rows = await hubOf(app).query<{ id: string }>(sql`
    select s."Id" as id from "HubShipments" s where s."Id" = any(${ids}::uuid[]) and s."IsDeleted" = false and (
      exists (select 1 from "HubShipmentAddresses" a where a."ShipmentId" = s."Id" and a."IsDeleted" = false
        and a."Role" not in (5, 6, 14) and a."OrganizationId" = any(${organizationIds}::uuid[]))
      or (s."CreatorId" = ${user} and not exists (select 1 from "HubShipmentAddresses" a where a."ShipmentId" = s."Id"
        and a."IsDeleted" = false and a."Role" not in (5, 6, 14) and a."OrganizationId" is not null)))`)
  return rows.map(({ id }) => id).sort()
}

test('whatever the parties, a list shows exactly what the canonical predicate lets its caller see', async () => {
  const codes = ['PROPA', 'PROPB', 'PROPC']
  const ids: string[] = []
  for (const code of codes) ids.push(await addOrganization(app, code))
  const members = await Promise.all(
    [[], [0], [1], [0, 2]].map(async (positions) => ({
      caller: await app.as({
        permissions: rights,
        organizations: positions.map((position) => codes[position] ?? ''),
      }),
      organizationIds: positions.map((position) => ids[position] ?? ''),
    })),
  )
  const party = fc.record({
    role: fc.integer({ min: 0, max: 14 }),
    organizationId: fc.constantFrom(null, ...ids),
    companyName: fc.constant('Company'),
  })
  const parties = fc.uniqueArray(party, { selector: ({ role }) => role, maxLength: 4 })
  const creator = fc.constantFrom(null, ...members.map(({ caller }) => caller.userId))
  const anyShipments = fc.array(fc.record({ parties, creator }), { minLength: 1, maxLength: 5 })
  let number = 0
  await fc.assert(
    fc.asyncProperty(anyShipments, async (shipments) => {
      const created = await Promise.all(
        shipments.map(async ({ parties: addresses, creator: creatorId }) => {
          const service = staff.service(ShipmentAppService)
          const { id } = await service.create({ shipmentReference: `P-${++number}`, addresses })
          await setColumn(app, 'HubShipments', id, 'CreatorId', creatorId)
          return id
        }),
      )
      for (const { caller, organizationIds } of members) {
        const { items } = await caller.service(ShipmentAppService).getList({ maxResultCount: 1000 })
        const seen = items.map(({ id }) => id).filter((id) => created.includes(id))
        expect(seen.sort()).toEqual(await canonically(created, caller.userId, organizationIds))
      }
    }),
    { numRuns: 40 },
  )
})
