import { readFileSync } from 'node:fs'
import { Databases, sql } from '@keel/framework/data'
import { HubErrors, ShipmentAppService, ShipmentStatus } from '@keel/hub/contracts'
import { OperationsManager, Operator } from '@keel/identity/contracts'
import { ChargeCodeAppService, ChargeStatus, ShipmentChargeAppService } from '@keel/pricing/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments, hubOf } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

/** What charges and shipments tell each other by events (domain model, sections 2.1 and 6.5). */
let app: App
let operator: AppCaller
let manager: AppCaller
let chargeCodeId: string

beforeAll(async () => {
  app = await startApp()
  operator = await app.as({ roles: [Operator] })
  manager = await app.as({ roles: [OperationsManager] })
  const { items } = await operator.service(ChargeCodeAppService).getList({ maxResultCount: 200 })
  chargeCodeId = items.find(({ code }) => code === 'OFR')?.id ?? ''
})
afterAll(() => app?.close())

const patience = { timeout: 30_000, interval: 50 }

async function newShipment(status: ShipmentStatus): Promise<string> {
  const [id = ''] = await addShipments(app, [{ Status: status }])
  return id
}

async function newCharge(shipmentId: string): Promise<string> {
  const { id } = await operator.service(ShipmentChargeAppService).create({
    ...{ shipmentId, chargeCodeId, description: 'Freight', sellAmount: '5', sellCurrencyCode: 'EUR' },
  })
  return id
}

const charges = () => manager.service(ShipmentChargeAppService)
const complete = (id: string) => send(operator, 'POST', `/api/hub/shipment/${id}/complete`, {})
/** How many open charges Hub knows of. */
async function openCharges(id: string): Promise<number> {
  const [found] = await hubOf(app).query<{ count: number }>(
    sql`select "OpenCharges" as count from "HubShipmentOpenCharges" where "ShipmentId" = ${id}`,
  )
  return found?.count ?? 0
}
const refusal = async (id: string) => (await complete(id)).body.error?.code

test('a shipment is completed when all of its charges are approved', async () => {
  const id = await newShipment(ShipmentStatus.Delivered)
  const [one, other] = [await newCharge(id), await newCharge(id)]
  await expect.poll(() => openCharges(id), patience).toBe(2)
  expect(await refusal(id)).toBe(HubErrors.ChargesNotApproved)
  // Both at once: each of them is counted.
  await Promise.all([charges().approve([one]), charges().approve([other])])
  await expect.poll(async () => (await complete(id)).status, patience).toBe(200)
  expect((await operator.service(ShipmentAppService).get(id)).status).toBe(ShipmentStatus.Completed)
})

test('a charge that is deleted keeps no shipment from being completed', async () => {
  const id = await newShipment(ShipmentStatus.Delivered)
  const charge = await newCharge(id)
  await expect.poll(() => openCharges(id), patience).toBe(1)
  const answer = await complete(id)
  expect([answer.status, answer.body.error.data.count]).toEqual([403, 1])
  await charges().delete(charge)
  await expect.poll(async () => (await complete(id)).status, patience).toBe(200)
})

test('Hub is told of the charges of before by a schema script', async () => {
  const id = await newShipment(ShipmentStatus.Delivered)
  await newCharge(id)
  await expect.poll(() => openCharges(id), patience).toBe(1)
  await hubOf(app).execute(sql`delete from "HubShipmentOpenCharges" where "ShipmentId" = ${id}`)
  const script = readFileSync(
    new URL('../../../modules/pricing/schema/0011-open-charges-told.sql', import.meta.url),
    'utf8',
  )
  await app.host.get(Databases).named('Pricing').execute({ text: script, values: [] })
  await expect.poll(() => openCharges(id), patience).toBe(1)
})

const ends: readonly [string, (id: string) => Promise<{ readonly status: number }>][] = [
  ['cancelled', (id) => send(manager, 'POST', `/api/hub/shipment/${id}/cancel`, { reason: 'no cargo' })],
  [
    'forced to be cancelled',
    (id) =>
      send(manager, 'POST', `/api/hub/shipment/${id}/force-status`, {
        ...{ status: ShipmentStatus.Cancelled, reason: 'lost' },
      }),
  ],
  ['deleted', (id) => send(manager, 'DELETE', `/api/hub/shipment/${id}`)],
]

test.each(ends)(
  'when a shipment is %s its charges are cancelled, without those that were invoiced',
  async (_name, end) => {
    const id = await newShipment(ShipmentStatus.Confirmed)
    const [estimated, approved, invoiced] = [await newCharge(id), await newCharge(id), await newCharge(id)]
    await charges().approve([approved, invoiced])
    await charges().markInvoiced(invoiced, { invoiceNumber: '1', invoiceDate: '2026-11-01' })
    expect([200, 204]).toContain((await end(id)).status)
    const statuses = async () =>
      Promise.all([estimated, approved, invoiced].map(async (one) => (await charges().get(one)).status))
    await expect
      .poll(statuses, patience)
      .toEqual([ChargeStatus.Cancelled, ChargeStatus.Cancelled, ChargeStatus.Invoiced])
  },
)
