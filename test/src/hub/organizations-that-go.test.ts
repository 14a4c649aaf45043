import { sql } from '@keel/framework/data'
import {
  AddressRole,
  CarrierType,
  ConsolType,
  DocumentAppService,
  OrganizationAddressType,
  ShipmentAppService,
} from '@keel/hub/contracts'
import { OperationsManager, SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type Hold, holdWrites } from '../support/holds.js'
import { addOrganization, codeId, countRows, hubOf, modeId, storedRow } from '../support/hub-rows.js'
import { type Answer, faultyMembers, send } from '../support/wire.js'

/** What is given to an organization in the very moment in which it goes: refused, or it goes along. */
let app: App
let staff: AppCaller
/** The organization that goes, the one that stays, and one more. */
let source: string
let target: string
let other: string
let number = 0

beforeAll(async () => {
  app = await startApp(undefined, { 'Database:QueryTimeoutMs': '60000' })
  staff = await app.as({ roles: [OperationsManager, SuperUser] })
})
afterAll(() => app?.close())

beforeEach(async () => {
  number++
  source = await addOrganization(app, `GOES${number}`)
  target = await addOrganization(app, `STAYS${number}`)
  other = await addOrganization(app, `OTHER${number}`)
})

const merge = () => send(staff, 'POST', `/api/hub/organization/${target}/merge`, { sourceId: source })
const remove = () => send(staff, 'DELETE', `/api/hub/organization/${source}`)

async function held(table: string): Promise<Hold> {
  const hold = await holdWrites(app.host.databaseUrl('Hub'), table)
  onTestFinished(() => hold.release())
  return hold
}

const party = (organizationId: string) => ({ role: AddressRole.Consignee, organizationId })
const shipment = () => ({ shipmentReference: `GOES-${number}`, addresses: [party(source)] })
const order = (parties: object) => ({
  orderNumber: `GOES-${number}`,
  orderDate: '2026-11-01',
  currencyCode: 'EUR',
  ...parties,
})
const consol = { transportModeId: modeId('Sea'), consolType: ConsolType.Agent }

/** Each way to give something to an organization: the table that then has its id, the request, and the member at fault. */
const gifts: readonly [table: string, send: () => Promise<Answer>, member: string][] = [
  ['HubShipmentAddresses', () => send(staff, 'POST', '/api/hub/shipment', shipment()), 'organizationId'],
  [
    'HubOrders',
    () => send(staff, 'POST', '/api/hub/order', order({ buyerId: source, supplierId: other })),
    'buyerId',
  ],
  [
    'HubOrders',
    () => send(staff, 'POST', '/api/hub/order', order({ buyerId: other, supplierId: source })),
    'supplierId',
  ],
  [
    'HubConsols',
    () => send(staff, 'POST', '/api/hub/consol', { ...consol, sendingAgentId: source }),
    'sendingAgentId',
  ],
  [
    'HubConsols',
    () => send(staff, 'POST', '/api/hub/consol', { ...consol, receivingAgentId: source }),
    'receivingAgentId',
  ],
  [
    'HubCarriers',
    () =>
      send(staff, 'POST', '/api/hub/carrier', {
        ...{ code: `GOES${number}`, name: 'Carrier', carrierType: CarrierType.Ocean },
        organizationId: source,
      }),
    'organizationId',
  ],
  [
    'HubOrganizationAddresses',
    () =>
      send(staff, 'POST', '/api/hub/organization-address', {
        ...{ organizationId: source, addressType: OrganizationAddressType.Office, code: 'HQ' },
        ...{ line1: 'Street 1', city: 'Rotterdam', countryCode: 'NL' },
      }),
    'organizationId',
  ],
  [
    'HubOrganizationContacts',
    () => send(staff, 'POST', '/api/hub/organization-contact', { organizationId: source, fullName: 'Ann' }),
    'organizationId',
  ],
]

test.each(gifts)(
  'what a row of %s is to have is merged into another one, and the row is refused',
  async (table, give, member) => {
    const writes = await held(table)
    const given = give()
    await writes.isMet()
    expect((await merge()).status).toBe(200)
    await writes.release()
    const answer = await given
    expect([answer.status, faultyMembers(answer)]).toEqual([400, [member]])
  },
)

test('a document for an organization that is merged meanwhile is refused', async () => {
  const writes = await held('HubDocuments')
  const file = new File(['a;b'], 'list.csv', { type: 'text/csv' })
  const documentTypeId = codeId('DocumentType', 'CIV')
  const uploaded = staff
    .service(DocumentAppService)
    .upload({ file, documentTypeId, organizationId: source })
    .catch((error: unknown) => error)
  await writes.isMet()
  expect((await merge()).status).toBe(200)
  await writes.release()
  expect(await uploaded).toMatchObject({ status: 400 })
})

test('a shipment gets no party that is deleted meanwhile', async () => {
  const writes = await held('HubShipmentAddresses')
  const given = send(staff, 'POST', '/api/hub/shipment', shipment())
  await writes.isMet()
  expect((await remove()).status).toBe(204)
  await writes.release()
  expect((await given).status).toBe(400)
  expect(await countRows(app, sql`"HubShipments" where "ShipmentReference" = ${`GOES-${number}`}`)).toBe(0)
})

test.each([
  ['merge', merge, 200],
  ['deletion', remove, 403],
])('a %s waits for a shipment that has its party already, and finds it', async (_name, go, status) => {
  const writes = await held('HubShipmentStatusHistories')
  const given = send(staff, 'POST', '/api/hub/shipment', shipment())
  await writes.isMet()
  let isAnswered = false
  const gone = go().finally(() => {
    isAnswered = true
  })
  await expect.poll(async () => isAnswered || (await waiting()) === 2, { timeout: 20_000 }).toBe(true)
  await writes.release()
  const [{ status: created, body }, answer] = await Promise.all([given, gone])
  expect([created, answer.status]).toEqual([200, status])
  const [kept] = await hubOf(app).query<{ organizationId: string }>(
    sql`select "OrganizationId" as "organizationId" from "HubShipmentAddresses" where "ShipmentId" = ${body.id}`,
  )
  const owner = status === 200 ? target : source
  expect(kept).toEqual({ organizationId: owner })
  expect((await storedRow(app, 'HubShipments', body.id)).VisibleOrganizationIds).toEqual([owner])
})

test('a party that is added to a shipment goes along when it is merged meanwhile', async () => {
  const { id } = await staff.service(ShipmentAppService).create({
    ...shipment(),
    addresses: [party(target)],
  })
  const writes = await held('HubShipmentAddresses')
  const added = send(staff, 'POST', `/api/hub/shipment/${id}/set-addresses`, {
    addresses: [party(target), { role: AddressRole.NotifyParty, organizationId: source }],
  })
  await writes.isMet()
  const merged = merge()
  await expect.poll(waiting, { timeout: 20_000 }).toBe(2)
  await writes.release()
  expect([(await added).status, (await merged).status]).toEqual([200, 200])
  expect((await storedRow(app, 'HubShipments', id)).VisibleOrganizationIds).toEqual([target])
})

/** Ways to add a party to a shipment that has it in another role already. */
const additions: readonly [string, (shipmentId: string) => Promise<() => Promise<Answer>>][] = [
  [
    'the parties of a shipment are set',
    async (id) => () =>
      send(staff, 'POST', `/api/hub/shipment/${id}/set-addresses`, {
        addresses: [party(source), { role: AddressRole.NotifyParty, organizationId: source }],
      }),
  ],
  [
    'an order is put on a shipment',
    async (shipmentId) => {
      const { body } = await send(
        staff,
        'POST',
        '/api/hub/order',
        order({ buyerId: source, supplierId: other }),
      )
      return () => send(staff, 'POST', `/api/hub/order/${body.id}/attach-to-shipment`, { shipmentId })
    },
  ],
  [
    'a shipment of another system is sent again',
    async () => () =>
      send(staff, 'PUT', '/api/hub/shipment/by-external-id', {
        ...{ ...shipment(), sourceSystem: 'ERP', externalId: `GOES-${number}`, cargoDescription: 'Other' },
        addresses: [party(source), { role: AddressRole.NotifyParty, organizationId: source }],
      }),
  ],
]

test.each(additions)(
  '%s beside the merge of a party that it has already, and both end well',
  async (_name, ready) => {
    const { body } = await send(staff, 'PUT', '/api/hub/shipment/by-external-id', {
      ...{ ...shipment(), sourceSystem: 'ERP', externalId: `GOES-${number}` },
    })
    const add = await ready(body.id)
    const writes = await held('HubShipmentAddresses')
    const added = add()
    await writes.isMet()
    const merged = merge()
    await expect.poll(waiting, { timeout: 20_000 }).toBe(2)
    await writes.release()
    expect([(await added).status, (await merged).status]).toEqual([200, 200])
    const parties = await hubOf(app).query<{ id: string }>(
      sql`select distinct "OrganizationId" as id from "HubShipmentAddresses" where "ShipmentId" = ${body.id} and not "IsDeleted"`,
    )
    expect(parties.map(({ id }) => id)).not.toContain(source)
    expect((await storedRow(app, 'HubShipments', body.id)).VisibleOrganizationIds).not.toContain(source)
  },
)

async function waiting(): Promise<number> {
  const [found] = await hubOf(app).query<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return found?.count ?? 0
}
