import { Databases, raw, sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { undocumentedAnswers } from '../support/documented-traffic.js'
import { addDocuments, addOrder, addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { faultyMembers, send } from '../support/wire.js'

let app: App
let admin: AppCaller
/** As other programs can write them. */
const stored = [
  'infinity',
  '-infinity',
  '0044-03-15 10:00:00.5+00 BC',
  '12026-03-15 10:00:00+00',
  '2026-03-15T10:00:00Z',
]
const inRest = [
  '9999-12-31T23:59:59.999999Z',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '2026-03-15T10:00:00Z',
]
const inOData = [
  '9999-12-31T23:59:59.999999Z',
  '0001-01-01T00:00:00Z',
  '-0043-03-15T10:00:00.5Z',
  '12026-03-15T10:00:00Z',
  '2026-03-15T10:00:00Z',
]
let ids: string[] = []

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  ids = await addShipments(
    app,
    stored.map((EstimatedArrival, index) => ({
      ShipmentReference: `FAR-${index}`,
      EstimatedArrival,
    })),
  )
  await addDocuments(
    app,
    ['infinity', '-infinity', '0044-03-15 BC', '12026-03-15', '2026-03-15'].map((ExpiryDate, index) => ({
      ShipmentId: ids[index],
      ExpiryDate,
    })),
  )
})
afterAll(() => app.close())

async function get(path: string) {
  const answer = await admin.fetch(path.replaceAll(' ', '%20'))
  // biome-ignore lint/suspicious/noExplicitAny: answers have all shapes
  return { status: answer.status, body: (await answer.json()) as any }
}

test('lists and single rows tell times that the years 1 to 9999 do not hold as the first or the last', async () => {
  const { status, body } = await get('/api/hub/shipment?Filter=FAR-&Sorting=ShipmentReference')
  expect([status, body.error]).toEqual([200, undefined])
  expect(body.items.map((row: Record<string, unknown>) => row['estimatedArrival'])).toEqual(inRest)
  for (const [index, id] of ids.entries()) {
    const { status: found, body: row } = await get(`/api/hub/shipment/${id}`)
    expect([found, new Date(row.estimatedArrival).getTime()]).toEqual([200, Date.parse(inRest[index] ?? '')])
  }
  const texts = await (await admin.fetch('/api/hub/shipment/as-csv-file?Filter=FAR-')).text()
  expect(texts).not.toMatch(/infinity|NaN| BC/i)
})

test('days are told the same way', async () => {
  const days = ['9999-12-31', '0001-01-01', '0001-01-01', '9999-12-31', '2026-03-15']
  for (const [index, id] of ids.entries()) {
    const { body } = await get(`/api/hub/document?ShipmentId=${id}`)
    expect(body.items.map((row: Record<string, unknown>) => row['expiryDate'])).toEqual([days[index]])
  }
  const { body } = await get(
    `/odata/Documents?$filter=startswith(Shipment/ShipmentReference,'FAR-')&$orderby=Shipment/ShipmentReference`,
  )
  expect(body.value.map((row: Record<string, unknown>) => row['ExpiryDate'])).toEqual([
    '9999-12-31',
    '0001-01-01',
    '-0043-03-15',
    '12026-03-15',
    '2026-03-15',
  ])
})

const ours = "$filter=startswith(ShipmentReference,'FAR-')"

test('OData tells them as its grammar has them, in pages, values and functions', async () => {
  const { body } = await get(
    `/odata/Shipments?${ours}&$orderby=ShipmentReference&$compute=year(EstimatedArrival) as Y,date(EstimatedArrival) as D,second(EstimatedArrival) as S&$select=EstimatedArrival,Y,D,S`,
  )
  const column = (name: string) => body.value.map((row: Record<string, unknown>) => row[name])
  expect(column('EstimatedArrival')).toEqual(inOData)
  expect(column('Y').slice(0, 2)).toEqual([9999, 1])
  expect(column('D').slice(0, 3)).toEqual(['9999-12-31', '0001-01-01', '-0043-03-15'])
  expect(column('S').slice(0, 2)).toEqual([59, 0])
  const value = await admin.fetch(`/odata/Shipments(${ids[0]})/EstimatedArrival/$value`)
  expect(await value.text()).toBe(inOData[0])
})

test('numbers that are none are null in REST and NaN or INF in OData', async () => {
  await hubOf(app).execute(
    sql`update "HubShipments" set "GoodsValue" = 'NaN', "GoodsCurrencyCode" = 'EUR' where "Id" = ${ids[4]}`,
  )
  expect((await get(`/odata/Shipments(${ids[4]})?$select=GoodsValue`)).body.GoodsValue).toBe('NaN')
  expect((await get(`/api/hub/shipment/${ids[4]}`)).body.goodsValue).toBeNull()
  const shipment = `/Shipments(${ids[4]})?$select=Co2Emissions`
  for (const [number, told] of [
    ['Infinity', 'INF'],
    ['-Infinity', '-INF'],
    ['NaN', 'NaN'],
  ]) {
    await hubOf(app).execute(sql`update "HubShipments" set "Co2Emissions" = ${number} where "Id" = ${ids[4]}`)
    expect((await get(`/odata${shipment}`)).body.Co2Emissions).toBe(told)
    expect((await get(`/api/hub/shipment/${ids[4]}`)).body.co2Emissions).toBeNull()
  }
})

test('columns of decimals that the API promises hold no NaN', async () => {
  const [BuyerId, SupplierId] = [await addOrganization(app, 'FARA'), await addOrganization(app, 'FARB')]
  for (const column of ['TotalAmount', 'TotalQuantity'])
    await expect(
      addOrder(app, { OrderNumber: 'FAR-1', BuyerId, SupplierId, [column]: 'NaN' }),
    ).rejects.toThrow(`CK_HubOrders_${column}`)

  const rate = { fromCurrencyCode: 'EUR', toCurrencyCode: 'USD', rateDate: '2026-01-01', rateType: 0 }
  const create = (value: unknown) =>
    send(admin, 'POST', '/api/pricing/exchange-rate', { ...rate, rate: value, source: 'test' })
  expect((await create(1.5)).status).toBe(200)
  for (const value of ['NaN', 'Infinity']) expect((await create(value)).status).toBe(400)
  await expect(
    app.host.get(Databases).named('Pricing').execute(sql`update "PricingExchangeRates" set "Rate" = 'NaN'`),
  ).rejects.toThrow('CK_PricingExchangeRates_RateIsNumber')
})

testOfOneProcess(
  'rows from before the check against NaN are listed with null, and can be mended',
  async () => {
    const pricing = app.host.get(Databases).named('Pricing')
    const rate = {
      fromCurrencyCode: 'EUR',
      toCurrencyCode: 'CHF',
      rateDate: '2026-01-02',
      rateType: 0,
      source: 'test',
    }
    const { body } = await send(admin, 'POST', '/api/pricing/exchange-rate', { ...rate, rate: 1.5 })
    const constraint = `alter table "PricingExchangeRates"`
    await pricing.execute(raw(`${constraint} drop constraint "CK_PricingExchangeRates_RateIsNumber"`))
    await pricing.execute(sql`update "PricingExchangeRates" set "Rate" = 'NaN' where "Id" = ${body.id}`)
    await pricing.execute(
      raw(
        `${constraint} add constraint "CK_PricingExchangeRates_RateIsNumber" check ("Rate" <> 'NaN') not valid`,
      ),
    )
    const path = `/api/pricing/exchange-rate/${body.id}`
    expect(await get(path)).toMatchObject({ status: 200, body: { rate: null } })
    const list = await get('/api/pricing/exchange-rate?MaxResultCount=100')
    const { rate: listed } = list.body.items.find(({ id }: { id: string }) => id === body.id)
    expect([list.status, listed]).toEqual([200, null])
    // The document promises a number, and the row lacks one.
    expect(undocumentedAnswers()).toHaveLength(2)
    expect((await send(admin, 'PUT', path, { ...rate, rate: 2.5 })).status).toBe(200)
    expect((await get(path)).body.rate).toBe(2.5)
  },
)

test('pages go on behind them', async () => {
  const seen: unknown[] = []
  let path = `/odata/Shipments?${ours}&$orderby=EstimatedArrival desc&$select=ShipmentReference`
  for (let page = 0; path && page < 10; page++) {
    const answer = await admin.fetch(path.replaceAll(' ', '%20'), { headers: { prefer: 'maxpagesize=1' } })
    const body = (await answer.json()) as { value: Record<string, unknown>[]; '@odata.nextLink'?: string }
    expect([path, answer.status]).toEqual([path, 200])
    seen.push(...body.value.map((row) => row['ShipmentReference']))
    path = (body['@odata.nextLink'] ?? '').replace(/^.*?\/odata/, '/odata')
  }
  expect(seen).toEqual(['FAR-0', 'FAR-3', 'FAR-4', 'FAR-2', 'FAR-1'])
})

test.each([
  'infinity',
  '-infinity',
  '0000-01-01T00:00:00Z',
  '-0044-03-15T10:00:00Z',
  '12026-01-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  8.64e15 + 1,
])('a time that clients cannot hold is refused at the door: %s', async (estimatedArrival) => {
  const body = { shipmentReference: 'FAR-X', estimatedArrival }
  const answer = await send(admin, 'POST', '/api/hub/shipment', body)
  expect([answer.status, faultyMembers(answer)]).toEqual([400, ['estimatedArrival']])
})
