import { identifier, namedGuid, type Sql, sql } from '@keel/framework/data'
import {
  AddressRole,
  ConsolAppService,
  ConsolType,
  ContainerAppService,
  OrderAppService,
  OrganizationAppService,
  ShipmentAppService,
  ShipmentContainerAppService,
} from '@keel/hub/contracts'
import { CustomerAdmin, DefaultCustomer, OperationsManager } from '@keel/identity/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrganization, containerId, hubOf, modeId, setColumn } from '../support/hub-rows.js'

const codes = ['READA', 'READB', 'READC', 'READD']
const roles = [
  AddressRole.Consignor,
  AddressRole.Consignee,
  AddressRole.ControllingCustomer,
  AddressRole.Carrier,
  AddressRole.NotifyParty,
]

let app: App
let staff: AppCaller
let drafter: AppCaller
let members: readonly { readonly caller: AppCaller; readonly organizationIds: readonly string[] }[]
let ids: string[]
let number = 0

beforeAll(async () => {
  app = await startApp(undefined, { 'Events:IsDeliveryEnabled': 'false' })
  ids = []
  for (const code of codes) ids.push(await addOrganization(app, code))
  staff = await app.as({ roles: [OperationsManager] })
  drafter = await app.as({ roles: [CustomerAdmin] })
  members = await Promise.all(
    [[0], [1], [0, 2]].map(async (positions) => ({
      caller: await app.as({
        roles: [DefaultCustomer],
        organizations: positions.map((position) => codes[position] ?? ''),
      }),
      organizationIds: positions.map((position) => ids[position] ?? ''),
    })),
  )
})
afterAll(() => app?.close())

/** The ids of those who see a shipment `s`, by its addresses (domain model, section 3): organizations, else its creator. */
const readersOfShipment = sql`
  select a."OrganizationId" as id from "HubShipmentAddresses" a
    where a."ShipmentId" = s."Id" and not a."IsDeleted" and a."Role" not in (5, 6, 14) and a."OrganizationId" is not null
  union
  select s."CreatorId" where s."CreatorId" is not null and not exists (select from "HubShipmentAddresses" a
    where a."ShipmentId" = s."Id" and not a."IsDeleted" and a."Role" not in (5, 6, 14) and a."OrganizationId" is not null)`

/** Orders, containers and consols whose readers are others than those that follow from shipments, links, buyers and suppliers. */
async function wrongReaders(): Promise<unknown[]> {
  const sorted = (readers: Sql) => sql`array(select id from (${readers}) readers order by id)`
  const ofOrder = sorted(sql`
    select o."BuyerId" as id union select o."SupplierId" union
    select r.id from "HubShipments" s cross join lateral (${readersOfShipment}) r where s."Id" = o."ShipmentId" and not s."IsDeleted"`)
  const ofCarrier = (links: string, by: string) =>
    sorted(sql`
      select distinct r.id from ${identifier(links)} l join "HubShipments" s on s."Id" = l."ShipmentId"
        cross join lateral (${readersOfShipment}) r
        where l.${identifier(by)} = o."Id" and not l."IsDeleted" and not s."IsDeleted"`)
  return hubOf(app).query(sql`
    select * from (
      select 'order' as kind, o."Id", o."ReaderIds" as kept, ${ofOrder} as wanted from "HubOrders" o
      union all
      select 'container', o."Id", o."ReaderIds", ${ofCarrier('HubShipmentContainers', 'ContainerId')} from "HubContainers" o
      union all
      select 'consol', o."Id", o."ReaderIds", ${ofCarrier('HubConsolShipments', 'ConsolId')} from "HubConsols" o
    ) rows where kept <> wanted`)
}

const shipments = (caller = staff) => caller.service(ShipmentAppService)
const orders = () => staff.service(OrderAppService)

async function addShipment(caller = staff): Promise<string> {
  const modes = { transportModeId: modeId('Sea'), containerModeId: containerId('FCL') }
  const input = { shipmentReference: `READ-${++number}`, addresses: [], ...modes }
  return (await shipments(caller).create(input)).id
}

async function addConfirmedOrder(): Promise<string> {
  const lines = [{ lineNumber: 1, productCode: 'SKU', quantity: '10', unitCode: 'C62' }]
  const [buyerId = '', supplierId = ''] = ids
  const input = { orderNumber: `READ-${++number}`, buyerId, supplierId, currencyCode: 'EUR', lines }
  const { id } = await orders().create({ ...input, orderDate: '2026-11-01' })
  await orders().place(id, {})
  await orders().confirm(id, { cargoReadyDate: '2026-11-20' })
  return id
}

const addContainer = async (): Promise<string> =>
  (await staff.service(ContainerAppService).create({ containerTypeId: namedGuid('ContainerType:45G1') })).id

async function addConsol(): Promise<string> {
  const input = {
    transportModeId: modeId('Sea'),
    consolType: ConsolType.Agent,
    carrierId: namedGuid('Carrier:MAEU'),
  }
  return (await staff.service(ConsolAppService).create(input)).id
}

/** A thing that happens to one of three shipments, and to one of three orders, containers and consols. */
interface Step {
  readonly kind: string
  readonly shipment: number
  readonly other: number
  readonly parties: readonly { readonly role: AddressRole; readonly organization: number }[]
}

const place = fc.integer({ min: 0, max: 2 })
const kinds = ['parties', 'attach', 'detach', 'link', 'unlink', 'join', 'leave', 'delete', 'restore'] as const
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds, 'parties', 'restore', 'restore', 'creator', 'buyer', 'move', 'relink'),
  shipment: place,
  other: place,
  parties: fc.uniqueArray(
    fc.record({ role: fc.constantFrom(...roles), organization: fc.integer({ min: 0, max: 3 }) }),
    { selector: ({ role }) => role, maxLength: 3 },
  ),
})

/** Each kind of step, one after the other, where what comes before allows it. */
const everyKind: Step[][] = kinds.map((kind) => [
  { kind, shipment: 0, other: 0, parties: [{ role: AddressRole.Consignor, organization: 0 }] },
])

test('whatever is written, one after the other or at the same time, orders, containers and consols are seen by those who may', async () => {
  const shipmentIds = [await addShipment(), await addShipment(), await addShipment(drafter)]
  const orderIds = [await addConfirmedOrder(), await addConfirmedOrder(), await addConfirmedOrder()]
  const containerIds = [await addContainer(), await addContainer(), await addContainer()]
  const consolIds = [await addConsol(), await addConsol(), await addConsol()]
  const consols = staff.service(ConsolAppService)
  const links = staff.service(ShipmentContainerAppService)
  const done = new Map<string, number>()

  async function perform({ kind, shipment, other, parties }: Step): Promise<void> {
    const shipmentId = shipmentIds[shipment] ?? ''
    const [orderId = '', containerId = '', consolId = ''] = [orderIds, containerIds, consolIds].map(
      (ids) => ids[other],
    )
    const link = async () =>
      (await links.getList({ shipmentId, maxResultCount: 100 })).items.find(
        (item) => item.containerId === containerId,
      )?.id ?? shipmentId
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      parties: () =>
        shipments().setAddresses(shipmentId, {
          addresses: parties.map(({ role, organization }) => ({
            role,
            organizationId: ids[organization] ?? null,
            companyName: 'Company',
          })),
        }),
      attach: () => orders().attachToShipment(orderId, { shipmentId }),
      detach: () => orders().detach(orderId, {}),
      link: () => links.create({ shipmentId, containerId }),
      unlink: async () => links.delete(await link()),
      join: () => consols.addShipment(consolId, { shipmentId }),
      leave: () => consols.removeShipment(consolId, shipmentId),
      delete: () => shipments().delete(shipmentId),
      // What no operation does, and other programs may do. The parties of a shipment were deleted with it.
      restore: () =>
        hubOf(app).execute(
          sql`update "HubShipments" set "IsDeleted" = false, "VisibleOrganizationIds" = '{}' where "Id" = ${shipmentId} and "IsDeleted"`,
        ),
      creator: () => setColumn(app, 'HubShipments', shipmentId, 'CreatorId', drafter.userId),
      buyer: () => setColumn(app, 'HubOrders', orderId, 'BuyerId', ids[2 + (shipment % 2)]),
      move: () => setColumn(app, 'HubOrders', orderId, 'ShipmentId', shipmentId),
      relink: async () =>
        setColumn(app, 'HubShipmentContainers', await link(), 'ContainerId', containerIds[shipment]),
    }
    try {
      await steps[kind]?.()
      done.set(kind, (done.get(kind) ?? 0) + 1)
    } catch (error) {
      // Refused by a rule, or by another change of the same row at the same time.
      if ((error as { status?: number }).status === 500) throw error
    }
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 6 }),
      async (rounds) => {
        for (const round of rounds) {
          await Promise.all(round.map(perform))
          expect(await wrongReaders()).toEqual([])
        }
        for (const { caller, organizationIds } of members) await expectSeen(caller, organizationIds)
        await expectSeen(drafter, [])
      },
    ),
    // Each kind happens at least once, whatever is generated.
    { numRuns: 25, examples: [[everyKind]] },
  )
  for (const kind of kinds) expect([kind, (done.get(kind) ?? 0) > 0]).toEqual([kind, true])
})

/** Lists show a caller the orders, containers and consols that the rules, written out in full, let them see. */
async function expectSeen(caller: AppCaller, organizationIds: readonly string[]): Promise<void> {
  const readers = [...organizationIds, caller.userId]
  const isSeen = sql`exists (select from (${readersOfShipment}) r where r.id = any(${readers}::uuid[]))`
  const wanted = async (rows: Sql) =>
    (await hubOf(app).query<{ Id: string }>(rows)).map(({ Id }) => Id).sort()
  const ofOrders = await wanted(sql`
    select o."Id" from "HubOrders" o where not o."IsDeleted" and (
      o."BuyerId" = any(${organizationIds}::uuid[]) or o."SupplierId" = any(${organizationIds}::uuid[])
      or exists (select from "HubShipments" s where s."Id" = o."ShipmentId" and not s."IsDeleted" and ${isSeen}))`)
  const ofCarriers = (table: string, links: string, by: string) =>
    wanted(sql`
      select c."Id" from ${identifier(table)} c where not c."IsDeleted" and exists (
        select from ${identifier(links)} l join "HubShipments" s on s."Id" = l."ShipmentId"
          where l.${identifier(by)} = c."Id" and not l."IsDeleted" and not s."IsDeleted" and ${isSeen})`)
  const listed = async (list: Promise<{ items: { id: string }[] }>) =>
    (await list).items.map(({ id }) => id).sort()
  const page = { maxResultCount: 1000 }
  expect([
    await listed(caller.service(OrderAppService).getList(page)),
    await listed(caller.service(ContainerAppService).getList(page)),
    await listed(caller.service(ConsolAppService).getList(page)),
  ]).toEqual([
    ofOrders,
    await ofCarriers('HubContainers', 'HubShipmentContainers', 'ContainerId'),
    await ofCarriers('HubConsols', 'HubConsolShipments', 'ConsolId'),
  ])
}

test('the merge of two organizations shows the containers of the one to members of the other', async () => {
  const [source, target] = [await addOrganization(app, 'MERGEDONE'), await addOrganization(app, 'MERGEDTWO')]
  const shipmentId = await addShipment()
  const addresses = [{ role: AddressRole.Consignee, organizationId: source, companyName: 'Company' }]
  await shipments().setAddresses(shipmentId, { addresses })
  const container = await addContainer()
  await staff.service(ShipmentContainerAppService).create({ shipmentId, containerId: container })
  await staff.service(OrganizationAppService).merge(target, { sourceId: source })
  expect(await wrongReaders()).toEqual([])
  const member = await app.as({ roles: [DefaultCustomer], organizations: ['MERGEDTWO'] })
  expect((await member.service(ContainerAppService).getList({})).items.map(({ id }) => id)).toEqual([
    container,
  ])
})
