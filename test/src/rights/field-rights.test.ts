import type { ErrorEnvelope } from '@keel/framework/contracts'
import { withoutRestricted } from '@keel/framework/security'
import {
  DocumentPermissions,
  OrderPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentDto,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Attacker, abilitiesOf, answersTo, randomNumbers, restrictedFields } from '../odata/hidden-values.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addOrder, addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { sizeOf } from '../support/size.js'
import { send } from '../support/wire.js'

const { View, Create, Edit, ViewGoodsValue } = ShipmentPermissions
const size = sizeOf(600, 10_000)
const refusal = (field: string) =>
  `You are not allowed to see or to set the field ${field}: it needs the permission Shipment.ViewGoodsValue.`

let app: App
let ids: readonly string[]
/** Sees the value of the goods. */
let insider: AppCaller
/** The same permissions, but that one. */
let outsider: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  const ours = await addOrganization(app, 'OURS')
  const others = await addOrganization(app, 'OTHERS')
  const parties = [{ role: 0, organizationId: ours }]
  const goods = { GoodsValue: 4711.25, GoodsCurrencyCode: 'EUR' }
  ids = await addShipments(app, [
    { ...goods, ShipmentReference: 'FULL', VesselName: 'Open', parties },
    { ShipmentReference: 'NONE', VesselName: 'Clear', parties },
    { ...goods, ShipmentReference: 'THIRD', VesselName: '4711.25', parties },
  ])
  const [first = ''] = ids
  await addOrder(app, { BuyerId: ours, SupplierId: others, ShipmentId: first, Description: 'Books' })
  await addDocuments(app, [{ ShipmentId: first, Title: 'Open', IsCustomerVisible: true }])
  const permissions = [
    ...[View, Create, Edit, OrderPermissions.View, PortPermissions.View],
    ...[DocumentPermissions.View, OrganizationPermissions.View],
  ]
  outsider = await app.as({ permissions, organizations: ['OURS'] })
  insider = await app.as({ permissions: [...permissions, ViewGoodsValue], organizations: ['OURS'] })
  await hubOf(app).execute({ text: 'analyze', values: [] })
})
afterAll(() => app?.close())

/** Gives the goods other values; those that were unknown become known, and others unknown. */
async function beOtherWorld(which: 0 | 1): Promise<void> {
  const worlds = [
    [
      [4711.25, 'EUR'],
      [null, null],
      [4711.25, 'EUR'],
    ],
    [
      [4711.5, 'USD'],
      [12, 'JPY'],
      [null, null],
    ],
  ] as const
  for (const [index, values] of worlds[which].entries())
    await hubOf(app).execute({
      text: 'update "HubShipments" set "GoodsValue" = $2, "GoodsCurrencyCode" = $3 where "Id" = $1',
      values: [ids[index], ...values],
    })
}

/** Requests that do not name the fields, but whose answers could show them, or be made with them. */
function unnamed(random: () => number): { url: string; headers: Record<string, string> } {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const [first, second] = ids
  const text = encodeURIComponent(one(['4711', 'EUR', 'usd', '12', 'Open', 'jpy']))
  const by = one(['ShipmentReference', 'VesselName', 'Id', 'CreationTime'])
  const page = `${one(['', '$top=1&', '$skip=1&'])}${one(['', '$count=true&'])}`
  const paths = [
    `/odata/Shipments?${page}$search=${text}`,
    `/odata/Shipments?${page}$select=*`,
    `/odata/Shipments?${page}$expand=*`,
    `/odata/Shipments?${page}$orderby=${by}&$filter=contains(VesselName,'${text}')`,
    `/odata/Shipments(${first})?$expand=*`,
    `/odata/Shipments(${second})`,
    `/odata/Shipments/$count?$search=${text}`,
    `/odata/Orders?${page}$expand=Shipment`,
    `/odata/Documents?${page}$expand=Shipment($select=*)`,
    `/odata/Shipments?$apply=concat(identity,top(1))`,
    `/odata/Shipments?$apply=groupby((${by}),aggregate($count as N))`,
    `/odata/Orders?$apply=groupby((Shipment),aggregate($count as N))`,
    `/odata/Shipments?$apply=search(${text})/aggregate($count as N)`,
    `/odata/Shipments?$compute=length(VesselName) as V&$orderby=V`,
    `/api/hub/shipment?Sorting=${one(['shipmentReference ASC', 'creationTime DESC'])}&IncludeFacets=${one(['true', 'false'])}`,
    `/api/hub/shipment?MaxResultCount=1&SkipCount=${one(['0', '1', '2'])}`,
    `/api/hub/shipment/${one([first, second])}`,
    `/api/hub/shipment/upcoming-shipments?IncludeFacets=true`,
    `/api/app/shipment?IncludeFacets=true&MaxResultCount=${one(['1', '10'])}`,
  ]
  const accept = one(['full', 'minimal', 'none'])
  const headers: readonly Record<string, string>[] = [
    {},
    { accept: `application/json;odata.metadata=${accept}` },
    { prefer: 'odata.include-annotations="*"' },
    { prefer: one(['odata.maxpagesize=1', 'omit-values=nulls']) },
  ]
  return { url: one(paths), headers: one(headers) }
}

test(
  'no request learns a restricted field: every answer is the same where its value differs',
  async () => {
    const random = randomNumbers(4_711)
    const known = await abilitiesOf(outsider)
    const attacker = new Attacker(known, random, restrictedFields)
    const named = Array.from({ length: Math.round(size * 0.7) }, () => attacker.next())
    const attacks = [...named, ...Array.from({ length: size - named.length }, () => unnamed(random))]
    // A tag tells that a row was written, as its last modification does, and not how.
    const ask = async () =>
      (await answersTo(outsider, attacks)).map((answer) => answer.replace(/W\/\\"[^"]*"/g, 'W/'))
    // A caller may have one file at a time.
    const file = async () => (await outsider.fetch('/api/hub/shipment/as-csv-file')).text()
    const [before, fileBefore] = [await ask(), await file()]
    await beOtherWorld(1)
    const [after, fileAfter] = [await ask(), await file()]
    await beOtherWorld(0)
    expect(fileAfter).toBe(fileBefore)
    const told = attacks.flatMap(({ url }, index) =>
      before[index] === after[index] ? [] : [[decodeURIComponent(url), before[index], after[index]]],
    )
    expect(told.slice(0, 20)).toEqual([])
    expect(before.filter((answer) => /"goods(Value|CurrencyCode)/i.test(answer))).toEqual([])
    // What is wrong in itself, as a function with too many arguments, is refused as such.
    const statusesOfNamed = new Set(before.slice(0, named.length).map((answer) => answer.slice(0, 3)))
    expect([...statusesOfNamed].filter((status) => !['400', '403', '501'].includes(status))).toEqual([])
    const refused = named.filter((_, index) => /^403 .*field goods(Val|Cur)/.test(before[index] ?? ''))
    const used = new Set([...refused.flatMap(({ uses }) => uses), ...attacker.skipped])
    expect([...known.functions, ...known.transformations].filter((name) => !used.has(name))).toEqual([])
    const shown = before.slice(named.length).filter((answer) => answer.startsWith('200'))
    expect([refused.length / named.length > 0.7, shown.length / (size - named.length) > 0.9]).toEqual([
      true,
      true,
    ])
  },
  60_000 + size * 100,
)

describe('a caller without the permission', () => {
  const shown = (body: object) => Object.keys(body).filter((name) => /goods(Value|Currency)/i.test(name))

  test('gets answers without the field, in lists, rows and OData', async () => {
    const paths = [
      `/api/hub/shipment/${ids[0]}`,
      '/api/hub/shipment?Sorting=shipmentReference',
      '/api/app/shipment?Sorting=shipmentReference',
      '/odata/Shipments?$orderby=ShipmentReference',
      `/odata/Shipments(${ids[0]})`,
    ]
    const rowOf = async (caller: AppCaller, path: string) => {
      const { body } = await send(caller, 'GET', path)
      return body.items?.[0] ?? body.value?.[0] ?? body
    }
    for (const path of paths) {
      const [seen, hidden] = [await rowOf(insider, path), await rowOf(outsider, path)]
      const inOData = path.startsWith('/odata')
      expect([path, seen[inOData ? 'GoodsValue' : 'goodsValue'], shown(hidden)]).toEqual([path, 4711.25, []])
      // Again, from what is kept: rows, plans, totals.
      expect([path, shown(await rowOf(outsider, path)), shown(await rowOf(insider, path)).length]).toEqual([
        path,
        [],
        2,
      ])
    }
  })

  test('is refused in the same words wherever he names the field', async () => {
    const requests = [
      ['GET', '/api/hub/shipment?Sorting=GoodsValue%20DESC'],
      ['GET', '/api/app/shipment?Sorting=goodsvalue'],
      ['GET', '/api/hub/shipment/upcoming-shipments?Sorting=goodsValue'],
      ['GET', '/api/hub/shipment/as-csv-file?Sorting=goodsValue'],
      ['GET', '/odata/Shipments?$select=GoodsValue'],
      ['GET', '/odata/Shipments?$filter=goodsvalue gt 1'],
      ['GET', '/odata/Shipments?$orderby=GoodsValue'],
      ['GET', '/odata/Shipments?$apply=aggregate(GoodsValue with sum as N)'],
      ['GET', '/odata/Shipments?$apply=groupby((GoodsValue))'],
      ['GET', '/odata/Shipments?$compute=GoodsValue mul 2 as V&$select=V'],
      ['GET', '/odata/Shipments?$filter=4711.25 in $root/Shipments/GoodsValue'],
      ['GET', '/odata/Orders?$expand=Shipment($select=GoodsValue)'],
      ['GET', '/odata/Orders?$filter=Shipment/GoodsValue gt 1'],
      ['GET', `/odata/Shipments(${ids[0]})/GoodsValue`],
      ['GET', `/odata/Shipments(${ids[0]})/GoodsValue/$value`],
      ['POST', '/api/hub/shipment', { shipmentReference: 'NEW', goodsValue: 1 }],
      ['PUT', `/api/hub/shipment/${ids[0]}`, { goodsValue: 1 }],
      ['PUT', `/api/hub/shipment/${ids[0]}`, { GOODSVALUE: null }],
    ] as const
    for (const [method, path, body] of requests) {
      const answer = await send(outsider, method, path.replaceAll(' ', '%20'), body)
      const { code, message } = answer.body.error
      const isOData = path.startsWith('/odata')
      expect([path, answer.status, isOData ? answer.body.error.message : message, code]).toEqual([
        path,
        403,
        refusal('goodsValue'),
        'Volo.Authorization:010002',
      ])
    }
  })

  test('gets files without its columns', async () => {
    const fileOf = async (caller: AppCaller) => (await caller.fetch('/api/hub/shipment/as-csv-file')).text()
    const [seen, hidden] = [await fileOf(insider), await fileOf(outsider)]
    expect([seen.includes('Goods value'), seen.includes('4711.25,EUR')]).toEqual([true, true])
    expect(hidden.split('\n')[0]).toContain('Shipment')
    expect(/Goods|currency|EUR/i.test(hidden)).toBe(false)
  })

  test('writes all other members, and leaves the field as it is', async () => {
    const path = `/api/hub/shipment/${ids[2]}`
    const { body } = await send(outsider, 'GET', path)
    const answer = await send(outsider, 'PUT', path, { ...body, cargoDescription: 'Books' })
    expect([answer.status, shown(answer.body), answer.body.cargoDescription]).toEqual([200, [], 'Books'])
    expect((await send(insider, 'GET', path)).body.goodsValue).toBe(4711.25)
  })

  test('has another entity tag: what he holds is not current for others', async () => {
    const path = `/odata/Shipments(${ids[0]})`
    const tagOf = async (caller: AppCaller) => (await caller.fetch(path)).headers.get('etag') ?? ''
    const tags = [await tagOf(insider), await tagOf(outsider)]
    const headers = { 'if-none-match': tags[1] ?? '' }
    const statuses = [await outsider.fetch(path, { headers }), await insider.fetch(path, { headers })]
    expect([tags[0] === tags[1], ...statuses.map(({ status }) => status)]).toEqual([false, 304, 200])
  })

  test('is told in his language', async () => {
    const headers = { 'accept-language': 'de' }
    const answer = await outsider.fetch('/odata/Shipments?$orderby=GoodsValue', { headers })
    expect(((await answer.json()) as ErrorEnvelope).error.message).toBe(
      'Das Feld goodsValue dürfen Sie weder sehen noch setzen: Es erfordert die Berechtigung Shipment.ViewGoodsValue.',
    )
  })

  test('gets events without it, where a subscriber is somebody', () => {
    const shipment = { shipmentReference: 'ONE', goodsValue: '1.00', goodsCurrencyCode: 'EUR' }
    const principalWith = (...permissions: string[]) => ({
      ...{ kind: 'user' as const, roles: [], permissions: new Set(permissions) },
    })
    expect([
      withoutRestricted(ShipmentDto, shipment, principalWith(View)),
      withoutRestricted(ShipmentDto, shipment, principalWith(View, ViewGoodsValue)),
    ]).toEqual([{ shipmentReference: 'ONE' }, shipment])
  })
})

test('$metadata names the permission of each restricted property', async () => {
  const { body } = await send(app.host, 'GET', '/odata/$metadata?$format=json')
  const { Shipments } = body.Core.Container
  const { Permissions } = Shipments['@Org.OData.Capabilities.V1.ReadRestrictions']
  expect(Permissions[0].Scopes).toEqual([
    { Scope: 'Shipment.View', RestrictedProperties: '*,-GoodsValue,-GoodsCurrencyCode' },
    { Scope: 'Shipment.ViewGoodsValue', RestrictedProperties: 'GoodsValue,GoodsCurrencyCode' },
  ])
})
