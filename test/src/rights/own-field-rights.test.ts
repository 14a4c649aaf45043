import { ApiHost } from '@keel/api-host'
import { KeelModule, Module } from '@keel/framework'
import { type OwnFieldType, ownField, PermissionGroup } from '@keel/framework/contracts'
import {
  OrderPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  Attacker,
  abilitiesOf,
  answersTo,
  randomNumbers,
  restrictedOwnFields,
} from '../odata/hidden-values.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addOrder, addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { sizeOf } from '../support/size.js'

@PermissionGroup('Broking')
class BrokingPermissions {
  static readonly View = 'Broking.View'
}

const hidden = (name: string, type: OwnFieldType, more: object = {}) =>
  ownField('Hub.Shipment', name, { type, permission: BrokingPermissions.View, ...more })

@Module({
  name: 'Broking',
  permissions: [BrokingPermissions],
  ownFields: [
    ...[hidden('Margin', 'decimal'), hidden('Broker', 'text', { indexed: true }), hidden('Grade', 'integer')],
    ...[hidden('Doubtful', 'boolean'), hidden('Due', 'date'), hidden('SettledAt', 'instant')],
    hidden('Rank', 'enumeration', { values: { Low: 0, High: 1 } }),
    hidden('Deal', 'guid'),
    ownField('Hub.Shipment', 'Team', { type: 'text' }),
  ],
})
class BrokingModule extends KeelModule {}

@Module({ dependsOn: [ApiHost, BrokingModule] })
class BrokingHost extends KeelModule {}

const size = sizeOf(400, 10_000)
const names = ['Margin', 'Broker', 'Grade', 'Doubtful', 'Due', 'SettledAt', 'Rank', 'Deal']

let app: App
let ids: readonly string[]
let outsider: AppCaller

beforeAll(async () => {
  app = await startApp(BrokingHost, { 'App:SendExceptionDetails': 'false' })
  const ours = await addOrganization(app, 'OURS')
  const others = await addOrganization(app, 'OTHERS')
  const parties = [{ role: 0, organizationId: ours }]
  ids = await addShipments(app, [
    { ShipmentReference: 'FULL', VesselName: 'Open', parties },
    { ShipmentReference: 'NONE', VesselName: 'Hidden Gate', parties },
    { ShipmentReference: 'THIRD', VesselName: '4711.25', parties },
  ])
  await addOrder(app, { BuyerId: ours, SupplierId: others, ShipmentId: ids[0], Description: 'Books' })
  outsider = await app.as({
    permissions: [
      ...[ShipmentPermissions.View, OrderPermissions.View],
      ...[PortPermissions.View, OrganizationPermissions.View],
    ],
    organizations: ['OURS'],
  })
  await be(0)
})
afterAll(() => app?.close())

const worlds = [
  {
    ...{ Margin: 4711.25, Broker: 'Hidden Gate', Grade: 17, Doubtful: true, Due: '2026-01-02', Rank: 0 },
    ...{ SettledAt: '2026-03-04T05:06:07.000Z', Deal: '0f8fad5b-d9cb-469f-a165-70867728950e' },
  },
  {
    ...{ Margin: 4711.5, Broker: 'hidden gala', Grade: 18, Doubtful: false, Due: '2028-11-12', Rank: 1 },
    ...{ SettledAt: '2027-05-06T08:09:10.500Z', Deal: '7c9e6679-7425-40de-944b-e07fc1f90ae7' },
  },
] as const

/** Gives the hidden fields the values of a world; the second row has them in the second world alone. */
async function be(world: 0 | 1): Promise<void> {
  const values = [worlds[world], world ? worlds[0] : {}, world ? {} : worlds[1]]
  for (const [index, value] of values.entries())
    await hubOf(app).execute({
      text: 'update "HubShipments" set "ExtraProperties" = $2 where "Id" = $1',
      values: [ids[index], JSON.stringify({ ...value, Team: 'A' })],
    })
}

/** Requests that do not name the fields, but whose answers could show them, or be made with them. */
function unnamed(random: () => number): { url: string; headers: Record<string, string> } {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const text = encodeURIComponent(one(['Hidden', 'gala', '4711', 'true', '17', 'High']))
  const page = `${one(['', '$top=1&', '$skip=1&'])}${one(['', '$count=true&'])}`
  const urls = [
    `/odata/Shipments?${page}$search=${text}`,
    `/odata/Shipments?${page}$select=*`,
    `/odata/Shipments?${page}$expand=*`,
    `/odata/Shipments?${page}$orderby=Team,VesselName`,
    `/odata/Shipments(${one(ids)})`,
    `/odata/Shipments?$apply=groupby((Team),aggregate($count as N))`,
    `/odata/Shipments?$apply=concat(identity,top(1))`,
    `/odata/Orders?${page}$expand=Shipment($select=*)`,
    `/api/hub/shipment?IncludeFacets=true&Filter=${text}`,
    `/api/hub/shipment?IncludeFacets=true&MaxResultCount=${one(['0', '1', '10'])}&Sorting=vesselName`,
    `/api/hub/shipment/${one(ids)}`,
    `/api/hub/shipment/upcoming-shipments?IncludeFacets=true`,
  ]
  const headers: readonly Record<string, string>[] = [{}, { prefer: 'odata.include-annotations="*"' }]
  return { url: one(urls), headers: one(headers) }
}

test(
  'no request learns a restricted own field: every answer is the same where its value differs',
  async () => {
    const random = randomNumbers(815)
    const attacker = new Attacker(await abilitiesOf(outsider), random, restrictedOwnFields)
    const named = Array.from({ length: Math.round(size * 0.7) }, () => attacker.next())
    const filters = names.flatMap((name) => [
      { url: `/api/hub/shipment?Filters[${name}]=true&IncludeFacets=true` },
      { url: `/api/hub/shipment?Sorting=${name}` },
      { url: `/api/hub/shipment?Sorting=extraProperties.${name} DESC` },
      { url: `/api/hub/shipment?Sorting=extraProperties` },
    ])
    const refusedSortings = filters.flatMap(({ url }, index) =>
      /Sorting=(extraProperties\.|[A-Z])/.test(url) ? [named.length + index] : [],
    )
    const others = Array.from({ length: size - named.length }, () => unnamed(random))
    const attacks = [...named, ...filters, ...others]
    // A tag tells that a row was written, and not how.
    const ask = async () =>
      (await answersTo(outsider, attacks)).map((answer) => answer.replace(/W\/\\"[^"]*"/g, 'W/'))
    const file = async () => (await outsider.fetch('/api/hub/shipment/as-csv-file')).text()
    const [before, fileBefore] = [await ask(), await file()]
    await be(1)
    const [after, fileAfter] = [await ask(), await file()]
    await be(0)
    expect(fileAfter).toBe(fileBefore)
    expect(fileBefore.split('\n')[0]).toMatch(/,Team\s*$/)
    const told = attacks.flatMap(({ url }, index) =>
      before[index] === after[index] ? [] : [[decodeURIComponent(url), before[index], after[index]]],
    )
    expect(told.slice(0, 20)).toEqual([])
    const refusal = /the field (\w+): it needs the permission Broking\.View/
    const refused = before.slice(0, named.length).filter((answer) => refusal.test(answer))
    expect(refused.length / named.length).toBeGreaterThan(0.7)
    expect(refusedSortings.filter((index) => !refusal.test(before[index] ?? ''))).toEqual([])
    const quiet = before.slice(named.length + filters.length)
    expect(quiet.filter((answer) => answer.startsWith('200')).length / quiet.length).toBeGreaterThan(0.9)
    expect(quiet.filter((answer) => names.some((name) => answer.includes(`"${name}"`)))).toEqual([])
  },
  60_000 + size * 100,
)
