import { ApiHost } from '@keel/api-host'
import { KeelModule, Module } from '@keel/framework'
import { namedGuid, sql } from '@keel/framework/data'
import { PortPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addRows, hubOf } from '../support/hub-rows.js'
import { CratesModule, tables } from './crates.js'

@Module({ dependsOn: [ApiHost, CratesModule] })
class HostWithCrates extends KeelModule {}

let app: App
let admin: AppCaller
const [first, second, third] = ['A', 'B', 'C'].map((name) => namedGuid(`Crate:${name}`)) as [
  string,
  string,
  string,
]

const lot = namedGuid('Lot')
/** An object in JSON of which nothing is a value of the type that it should have. */
const unreadable = {
  ...{ sku: { password: 'hidden' }, quantity: '99999999999', weight: '1e999999', ratio: 'much' },
  ...{ packedOn: '2026-02-30', packedAt: 'yesterday', kind: 99, isFragile: 'maybe', lotId: 'none' },
}

beforeAll(async () => {
  app = await startApp(HostWithCrates)
  admin = await app.admin()
  await hubOf(app).execute(sql`${{ texts: [tables], values: [] }}`)
  await addRows(hubOf(app), 'TestCrates', [
    {
      Id: first,
      Name: 'A',
      Tags: ['red', "O'Neil", 'wet'],
      Sizes: [3, 1, 3],
      Kinds: [0, 5],
      Opened: ['2026-01-02T03:04:05.5Z', 'infinity'],
      HiddenDays: [],
      StoreStreet: 'Quay 1',
      StoreCity: 'Rotterdam',
      StoreKind: 5,
      ShelfLife: '1 day 02:03:04.5',
      Handling: 9,
      Lines: [
        {
          ...{ sku: "Bolt 'M8'", quantity: 3, weight: '12.500', ratio: 0.5, packedOn: '2026-01-02' },
          ...{ packedAt: '2026-01-02T03:04:05.500Z', kind: 5, isFragile: true, lotId: lot },
          ...{ password: 'hidden', inner: { a: 1 } },
        },
        { sku: 'Nut', quantity: 1, weight: 2.25, ratio: 'INF', kind: 'Closed', isFragile: false },
      ],
      SecretLines: [{ sku: 'Gold' }],
    },
    {
      ...{ Id: second, Name: 'B', Tags: ['wet'], Sizes: null, Kinds: [1], Opened: [], HiddenDays: [] },
      ...{ StoreStreet: null, StoreCity: 'Hamburg', StoreKind: 0, ShelfLife: '-00:30:00', Handling: 0 },
      Lines: { sku: 'no array' },
    },
    {
      ...{ Id: third, Name: 'C', Tags: [], Sizes: [10], Kinds: [], Opened: [], HiddenDays: [] },
      ...{ StoreStreet: null, StoreCity: null, StoreKind: 1, ShelfLife: null, Handling: null },
      Lines: ['text', 5, null, ['Nut'], unreadable],
    },
  ])
  await addRows(hubOf(app), 'TestCrates', [
    {
      ...{ Id: namedGuid('Crate:Hidden'), Name: 'H', Tags: [], Sizes: null, Kinds: [], Opened: [] },
      ...{ HiddenDays: [], StoreKind: 0, Lines: [{ sku: 'Ghost', quantity: 0 }], IsDeleted: true },
    },
  ])
  const labels = ['Fragile', 'Heavy', 'Unused'].map((Text) => ({ Id: namedGuid(`Label:${Text}`), Text }))
  await addRows(hubOf(app), 'TestLabels', labels)
  const links: readonly (readonly [crate: string, label: number, isDeleted?: boolean])[] = [
    [first, 0],
    [first, 1],
    [second, 1],
    [second, 0, true],
  ]
  await addRows(
    hubOf(app),
    'TestCrateLabels',
    links.map(([CrateId, label, IsDeleted = false], index) => ({
      ...{ Id: namedGuid(`Link:${index}`), CrateId, LabelId: labels[label]?.Id, IsDeleted },
    })),
  )
  // PostgreSQL takes tables that it knows nothing of for large ones, and queries of those for costly.
  await hubOf(app).execute(sql`analyze "TestCrates", "TestLabels", "TestCrateLabels"`)
})
afterAll(() => app.close())

async function get(path: string) {
  const answer = await admin.fetch(`/odata${path.replaceAll(' ', '%20')}`)
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  // biome-ignore lint/suspicious/noExplicitAny: answers have all shapes
  return { status: answer.status, body: (isJson ? JSON.parse(text) : text) as any }
}

async function named(filter: string): Promise<string> {
  const { status, body } = await get(`/Crates?$filter=${filter}&$orderby=Name&$select=Name`)
  expect([filter, status, body.error?.message]).toEqual([filter, 200, undefined])
  return body.value.map((row: Record<string, string>) => row['Name']).join('')
}

describe('lists of values', () => {
  test('are collections in $metadata', async () => {
    const { body: xml } = await get('/$metadata')
    expect(xml).toContain('<Property Name="Tags" Type="Collection(Edm.String)"/>')
    expect(xml).toContain('<Property Name="Kinds" Type="Collection(Core.CrateKind)"/>')
    expect(xml).not.toContain('HiddenDays')
    const { body: json } = await get('/$metadata?$format=json')
    expect(json.Core.Crate.Sizes).toEqual({ $Type: 'Edm.Int32', $Collection: true, $Nullable: true })
  })

  test('stand in rows, alone and in full metadata', async () => {
    const { body } = await get('/Crates?$orderby=Name&$select=Tags,Sizes,Kinds,Opened')
    expect(body.value).toEqual([
      {
        Tags: ['red', "O'Neil", 'wet'],
        Sizes: [3, 1, 3],
        Kinds: ['Open', 'Cooled'],
        Opened: ['2026-01-02T03:04:05.5Z', '9999-12-31T23:59:59.999999Z'],
      },
      { Tags: ['wet'], Sizes: [], Kinds: ['Closed'], Opened: [] },
      { Tags: [], Sizes: [10], Kinds: [], Opened: [] },
    ])
    const alone = await get(`/Crates(${first})/Kinds`)
    expect(alone.body).toEqual({
      '@odata.context': expect.stringMatching(/\$metadata#Crates\(.*\)\/Kinds$/),
      value: ['Open', 'Cooled'],
    })
    expect((await get(`/Crates(${second})/Sizes`)).body.value).toEqual([])
    expect((await get(`/Crates(${first})/Sizes/$count`)).body).toBe('3')
    expect((await get(`/Crates(${first})/Sizes/$count?$filter=$this gt 2`)).body).toBe('2')
    const full = await get(`/Crates(${first})?$format=application/json;odata.metadata=full`)
    expect(full.body).toMatchObject({
      'Tags@odata.type': '#Collection(String)',
      'Kinds@odata.type': '#Collection(Core.CrateKind)',
    })
  })

  test.each([
    ["Tags/any(t:t eq 'wet')", 'AB'],
    ["Tags/any(t:startswith(t,'O'))", 'A'],
    ["Tags/all(t:t eq 'wet')", 'BC'],
    ['Tags/any()', 'AB'],
    ['not Sizes/any()', 'B'],
    ['Sizes/any(s:s gt 2 and s lt length(Name) add 3)', 'A'],
    ["Kinds/any(k:k eq 'Cooled')", 'A'],
    ["Kinds/any(k:k in ('Closed','Open'))", 'AB'],
    ['Tags/$count gt 1', 'A'],
    ["Tags/$count($filter=contains($this,'e')) gt 1", 'A'],
    ['Sizes/$filter($this eq 3)/$count eq 2', 'A'],
    ["'wet' in Tags", 'AB'],
    ['3 in Sizes', 'A'],
    ['Sizes/$count in Sizes', 'A'],
    ["hassubset(Tags,['wet'])", 'AB'],
    ['hassubset(Tags,["wet","red"])', 'A'],
    ['hassubset(Sizes,[3,3])', 'A'],
    ['hassubset(Sizes,[1,1])', ''],
    ['hassubset(Sizes,[])', 'ABC'],
    ["hassubset(Kinds,['Cooled','Open'])", 'A'],
    ["not hassubset(Tags,@t)&@t=['wet']", 'C'],
    ['Opened/any(o:year(o) eq 2026)', 'A'],
    ["Tags/any(t:Sizes/any(s:s gt 2 and t eq 'red'))", 'A'],
    ["$root/Crates/any(c:c/Tags/any(t:t eq 'red' and $it/Name eq 'C'))", 'C'],
  ])('%s finds %s', async (filter, names) => {
    expect(await named(filter)).toBe(names)
  })

  test('are computed with, ordered by their count, and refused where they are no value', async () => {
    const { body } = await get('/Crates?$orderby=Tags/$count&$compute=Tags/$count as N&$select=N')
    expect(body.value).toMatchObject([{ N: 0 }, { N: 1 }, { N: 3 }])
    for (const [query, status] of [
      ["$filter=Tags eq 'wet'", 400],
      ['$orderby=Tags', 400],
      ['$filter=Tags/any(t:t/Name eq 1)', 400],
      ['$filter=Tags/any(t:t gt 1)', 400],
      ['$filter=1 in Tags', 400],
      ['$filter=Tags/Length eq 1', 501],
      ['$select=Tags($top=1)', 501],
      ['$compute=1 as Tags', 400],
      ['$expand=Tags', 400],
      ["$filter=hassubset(['wet'],Tags)", 501],
      ['$filter=hassubset(Tags,[Name])', 501],
      ['$filter=hassubset(Tags,[1])', 400],
      ['$filter=hassubset(Tags)', 400],
      [`$filter=hassubset(Sizes,[${[...Array(51).keys()].join(',')}])`, 400],
      ['$filter=hassubsequence(Tags,["wet"])', 501],
    ] as const)
      expect([query, (await get(`/Crates?${query}`)).status]).toEqual([query, status])
    expect((await get(`/Crates(${first})/Tags/$value`)).status).toBe(404)
    expect((await get(`/Crates(${first})/Tags/0`)).status).toBe(404)
    expect((await get('/Crates?$apply=filter(Tags/any())/aggregate($count as N)')).body.value[0].N).toBe(2)
  })
})

describe('complex properties', () => {
  test('have a type of their own in $metadata, and their attributes are nowhere else', async () => {
    const xml = unannotated((await get('/$metadata')).body)
    expect(xml).toContain(
      '<ComplexType Name="Store"><Property Name="Street" Type="Edm.String" MaxLength="50"/><Property Name="City" Type="Edm.String" MaxLength="30"/><Property Name="Kind" Type="Core.CrateKind" Nullable="false"/></ComplexType>',
    )
    expect(xml).toContain('<Property Name="Store" Type="Core.Store" Nullable="false"/>')
    expect(xml).not.toContain('StoreCity')
    const { Core } = (await get('/$metadata?$format=json')).body
    expect([Core.Crate.Store, Core.Store.$Kind, Core.Store.City]).toMatchObject([
      { $Type: 'Core.Store' },
      'ComplexType',
      { $Nullable: true, $MaxLength: 30 },
    ])
  })

  test('stand in rows as objects, and are selected whole and in parts', async () => {
    const store = { Street: 'Quay 1', City: 'Rotterdam', Kind: 'Cooled' }
    const ofFirst = async (query: string) => (await get(`/Crates?$filter=Name eq 'A'&${query}`)).body.value
    expect(await ofFirst('$select=Name,Store')).toEqual([{ Name: 'A', Store: store }])
    expect(await ofFirst('$select=Store/City,Store/Kind')).toEqual([
      { Store: { City: 'Rotterdam', Kind: 'Cooled' } },
    ])
    expect((await ofFirst('$top=1'))[0]).toMatchObject({ Name: 'A', Store: store })
    const { body } = await get(`/Crates(${first})/Store`)
    expect(body).toEqual({ '@odata.context': expect.stringMatching(/Crates\(.*\)\/Store$/), ...store })
    expect((await get(`/Crates(${first})/Store/City/$value`)).body).toBe('Rotterdam')
    expect((await get(`/Crates(${third})/Store/Core.Store/City`)).status).toBe(204)
    const full = await get(`/Crates(${first})?$select=Store&$format=application/json;odata.metadata=full`)
    expect(full.body.Store).toMatchObject({
      '@odata.type': '#Core.Store',
      'Kind@odata.type': '#Core.CrateKind',
    })
    const pages = await get('/Crates?$select=Store/City&$orderby=Store/City desc&$top=2&$count=true')
    expect([pages.body['@odata.count'], pages.body.value]).toEqual([
      3,
      [{ Store: { City: 'Rotterdam' } }, { Store: { City: 'Hamburg' } }],
    ])
  })

  test('are filtered, ordered, computed with and grouped by', async () => {
    expect(await named("Store/City eq 'Hamburg' or Store/Kind eq 'Cooled'")).toBe('AB')
    expect(await named('Store/Core.Store/Street eq null')).toBe('BC')
    expect(await named("$root/Crates/any(c:c/Store/City eq 'Hamburg' and c/Name ne $it/Name)")).toBe('AC')
    const groups = await get(
      '/Crates?$apply=groupby((Store/Kind),aggregate(Store/City with max as Last))&$orderby=Store/Kind',
    )
    expect(groups.body.value.map(({ Store, Last }: Record<string, unknown>) => [Store, Last])).toEqual([
      [expect.objectContaining({ Kind: 'Open' }), 'Hamburg'],
      [expect.objectContaining({ Kind: 'Closed' }), null],
      [expect.objectContaining({ Kind: 'Cooled' }), 'Rotterdam'],
    ])
    const { body } = await get(
      "/Crates?$compute=concat(Store/City,'!') as Loud&$select=Loud&$orderby=Name&$top=1",
    )
    expect(body.value).toEqual([{ Loud: 'Rotterdam!' }])
    for (const [query, status] of [
      ['$filter=Store/Nothing eq 1', 400],
      ['$filter=Store eq null', 501],
      ['$filter=StoreCity eq null', 400],
      ['$select=Store/Nothing', 400],
      ['$select=Store($select=City)', 501],
      ['$orderby=Store', 501],
      ['$expand=Store', 400],
      ['$compute=1 as Store', 400],
    ] as const)
      expect([query, (await get(`/Crates?${query}`)).status]).toEqual([query, status])
    expect((await get(`/Crates(${first})/Store/Nothing`)).status).toBe(404)
  })
})

describe('collections of complex values', () => {
  const bolt = {
    ...{ Sku: "Bolt 'M8'", Quantity: 3, Weight: 12.5, Ratio: 0.5, PackedOn: '2026-01-02' },
    ...{ PackedAt: '2026-01-02T03:04:05.5Z', Kind: 'Cooled', IsFragile: true, LotId: lot },
  }
  const nothing = { Ratio: null, PackedOn: null, PackedAt: null, LotId: null }
  const nut = {
    Sku: 'Nut',
    Quantity: 1,
    Weight: 2.25,
    ...nothing,
    Ratio: 'INF',
    Kind: 'Closed',
    IsFragile: false,
  }
  const empty = { Sku: null, Quantity: null, Weight: null, ...nothing, Kind: null, IsFragile: null }

  test('have a type of their own in $metadata, without secrets and what is no plain value', async () => {
    const { body: xml } = await get('/$metadata')
    expect(xml).toContain('<Property Name="Lines" Type="Collection(Core.CrateLines)" Nullable="false"/>')
    const [type] = /<ComplexType Name="CrateLines">.*?<\/ComplexType>/.exec(xml) ?? ['']
    expect(type.replaceAll(/<Annotation [^>]*\/>/g, '').replaceAll('></Property>', '/>')).toBe(
      '<ComplexType Name="CrateLines"><Property Name="Sku" Type="Edm.String" MaxLength="20"/><Property Name="Quantity" Type="Edm.Int32"/><Property Name="Weight" Type="Edm.Decimal" Scale="variable"/><Property Name="Ratio" Type="Edm.Double"/><Property Name="PackedOn" Type="Edm.Date"/><Property Name="PackedAt" Type="Edm.DateTimeOffset" Precision="6"/><Property Name="Kind" Type="Core.CrateKind"/><Property Name="IsFragile" Type="Edm.Boolean"/><Property Name="LotId" Type="Edm.Guid"/></ComplexType>',
    )
    expect(type).toContain('String="What the warehouse calls it"')
    const { Core } = (await get('/$metadata?$format=json')).body
    expect(Core.Crate.Lines).toEqual({ $Type: 'Core.CrateLines', $Collection: true })
    expect([Core.CrateLines.$Kind, Core.CrateLines.Weight]).toEqual([
      'ComplexType',
      { $Type: 'Edm.Decimal', $Nullable: true, '@Org.OData.Measures.V1.Unit': 'kg' },
    ])
  })

  test('stand in rows as they are stored, and what can not be read is null or left out', async () => {
    const { body } = await get('/Crates?$orderby=Name&$select=Name,Lines')
    expect(body.value).toEqual([
      { Name: 'A', Lines: [bolt, nut] },
      { Name: 'B', Lines: [] },
      { Name: 'C', Lines: [empty] },
    ])
    expect(JSON.stringify((await get('/Crates')).body)).not.toMatch(/hidden|[Pp]assword|Ghost/)
    const alone = await get(`/Crates(${first})/Lines`)
    expect(alone.body).toEqual({
      '@odata.context': expect.stringMatching(/\$metadata#Crates\(.*\)\/Lines$/),
      value: [bolt, nut],
    })
    expect((await get(`/Crates(${first})/Lines/Core.CrateLines`)).body.value).toEqual([bolt, nut])
    expect((await get(`/Crates(${second})/Lines`)).body.value).toEqual([])
    const expanded = await get(
      `/Labels(${namedGuid('Label:Heavy')})?$expand=Crates($select=Lines;$orderby=Name)`,
    )
    expect(expanded.body.Crates).toEqual([{ Lines: [bolt, nut] }, { Lines: [] }])
    const some = await get('/Crates?$apply=filter(Lines/any())/orderby(Name)/top(1)&$select=Lines')
    expect(some.body.value).toEqual([{ Lines: [bolt, nut] }])
  })

  test('are written as the request wants values written', async () => {
    const text = async (path: string, headers: Record<string, string> = {}) =>
      (await admin.fetch(`/odata${path.replaceAll(' ', '%20')}`, { headers })).text()
    const full = JSON.parse(
      await text(`/Crates(${first})?$select=Lines&$format=application/json;odata.metadata=full`),
    )
    expect(full['Lines@odata.type']).toBe('#Collection(Core.CrateLines)')
    expect(full.Lines[1]).toEqual({
      '@odata.type': '#Core.CrateLines',
      ...nut,
      ...{ 'Weight@odata.type': '#Decimal', 'PackedOn@odata.type': '#Date' },
      ...{ 'PackedAt@odata.type': '#DateTimeOffset', 'Kind@odata.type': '#Core.CrateKind' },
      'LotId@odata.type': '#Guid',
    })
    const exact = `/Crates(${first})/Lines?$format=application/json;IEEE754Compatible=true`
    expect(await text(exact)).toContain('"Weight":"12.500"')
    const omitting = { prefer: 'omit-values=nulls' }
    const present = { Sku: 'Nut', Quantity: 1, Weight: 2.25, Ratio: 'INF', Kind: 'Closed', IsFragile: false }
    for (const path of [`/Crates(${first})?$select=Lines`, `/Crates(${first})/Lines`]) {
      const { Lines, value = Lines } = JSON.parse(await text(path, omitting))
      expect([path, value]).toEqual([path, [bolt, present]])
    }
  })

  test.each([
    ["Lines/any(l:l/Sku eq 'Nut')", 'A'],
    ["Lines/any(l:l/sku eq 'Bolt ''M8''' and l/Quantity gt 2)", 'A'],
    ["Lines/any(l:l/Sku eq 'Nut' and l/Quantity gt 2)", ''],
    ['Lines/any()', 'AC'],
    ['Lines/all(l:l/Quantity ge 1)', 'AB'],
    ['Lines/any(l:l/Quantity eq null)', 'C'],
    ['Lines/any(l:l/Weight eq 12.5)', 'A'],
    ['Lines/any(l:l/Ratio eq INF)', 'A'],
    ['Lines/any(l:l/PackedOn eq 2026-01-02 and year(l/PackedAt) eq 2026)', 'A'],
    ["Lines/any(l:l/Kind eq 'Closed')", 'A'],
    ["Lines/any(l:l/Kind eq Core.CrateKind'Cooled' and l/IsFragile)", 'A'],
    [`Lines/any(l:l/LotId eq ${namedGuid('Lot')})`, 'A'],
    ['Lines/any(l:l/Sku eq null or contains(l/Sku,Name))', 'C'],
    ['Lines/$count gt 1', 'A'],
    ['Lines/$count($filter=Quantity gt 2) eq 1', 'A'],
    ["Lines/$count($filter=$this/Sku eq 'Nut' and $it/Name eq 'A') eq 1", 'A'],
    ['Lines/$filter(IsFragile)/any(l:l/Quantity eq 3)', 'A'],
    ["'Nut' in Lines/Sku", 'A'],
    ["Lines/Core.CrateLines/any(l:l/Core.CrateLines/Sku eq 'Nut')", 'A'],
    ["Lines/any(l:Tags/any(t:t eq 'wet' and l/Quantity eq 3))", 'A'],
    ["$root/Crates/any(c:c/Lines/any(l:l/Sku eq 'Nut' and $it/Name eq 'C'))", 'C'],
    ["Labels/any(b:b/Crates/any(c:c/Lines/any(l:l/Sku eq 'Nut')))", 'AB'],
  ])('%s finds %s', async (filter, names) => {
    expect(await named(filter)).toBe(names)
  })

  test('are counted by address, ordered by their count, and refused where they are no value', async () => {
    expect((await get(`/Crates(${first})/Lines/$count`)).body).toBe('2')
    expect((await get(`/Crates(${first})/Lines/$count?$filter=Quantity gt 2`)).body).toBe('1')
    const { body } = await get('/Crates?$orderby=Lines/$count desc,Name&$compute=Lines/$count as N&$select=N')
    expect(body.value).toMatchObject([{ N: 2 }, { N: 1 }, { N: 0 }])
    for (const [query, status] of [
      ['$filter=Lines eq null', 400],
      ['$orderby=Lines', 400],
      ["$filter=Lines/Sku eq 'Nut'", 501],
      ['$filter=Lines/any(l:l/Nothing eq 1)', 400],
      ["$filter=Lines/any(l:l/Password eq 'hidden')", 400],
      ['$filter=Lines/any(l:l/Inner ne null)', 400],
      ['$filter=Lines/any(l:l eq null)', 501],
      ['$filter=Lines/any(l:l/Quantity eq true)', 400],
      ["$filter=hassubset(Lines,['a'])", 501],
      ['$filter=Lines/$count($search=a) eq 1', 501],
      ['$select=Lines($top=1)', 501],
      ['$select=Lines/Sku', 400],
      ['$expand=Lines', 400],
      ['$compute=1 as Lines', 400],
      ['$apply=groupby((Lines))', 400],
      ['$apply=aggregate(Lines/Quantity with sum as Sum)', 501],
      ['$apply=concat(identity,identity)', 501],
    ] as const)
      expect([query, (await get(`/Crates?${query}`)).status]).toEqual([query, status])
    for (const segment of ['$value', '0', 'Sku', 'Core.Store', '$filter(Quantity eq 1)'])
      expect([segment, (await get(`/Crates(${first})/Lines/${segment}`)).status]).toEqual([segment, 404])
    expect((await get(`/Crates(${first})/Lines?$filter=Quantity eq 1`)).status).toBe(400)
  })

  test('of rows that nobody sees are not computed with', async () => {
    expect(await named('Lines/any(l:6 div l/Quantity eq 2)')).toBe('A')
    expect(await named('Lines/$count($filter=6 div Quantity eq 2) eq 1')).toBe('A')
    expect((await get(`/Crates(${namedGuid('Crate:Hidden')})/Lines`)).status).toBe(404)
  })
})

describe('the type of a set as a segment', () => {
  test.each([
    ['/Crates/Core.Crate', 200],
    [`/Crates/Core.Crate(${first})/Name`, 200],
    [`/Crates(${first})/Core.Crate/Name`, 200],
    [`/Crates(${first})/Core.Label/Name`, 404],
    ['/Crates/Core.Label', 404],
    ["/Crates?$filter=Core.Crate/Name eq 'A'", 200],
    ["/Crates?$filter=Labels/Core.Label/any(l:l/Core.Label/Text eq 'Heavy')", 200],
    ["/Crates?$filter=Core.Label/Name eq 'A'", 400],
    ["/Crates?$filter=Core.Nothing/Name eq 'A'", 400],
    ["/Crates?$filter=Labels/Core.Crate/any(l:l/Text eq 'Heavy')", 400],
    ['/Crates?$orderby=Core.Crate/Name', 200],
    ['/Crates?$select=Core.Crate/Name', 200],
    ['/Crates?$select=Core.Nothing/Name', 400],
    ['/Crates?$select=Core.Label/Name', 400],
    ['/Crates?$expand=Core.Crate/Labels', 200],
    ['/Crates?$expand=Core.Nothing/Labels', 400],
  ])('%s is answered with %i', async (path, status) => {
    expect((await get(path)).status).toBe(status)
  })
})

describe('durations', () => {
  test('are told as ISO 8601, compared, added and aggregated', async () => {
    const { body } = await get('/Crates?$select=ShelfLife&$orderby=Name')
    expect(body.value).toEqual([{ ShelfLife: 'P1DT2H3M4.5S' }, { ShelfLife: '-PT30M' }, { ShelfLife: null }])
    expect((await get('/$metadata')).body).toContain('<Property Name="ShelfLife" Type="Edm.Duration"/>')
    for (const [filter, names] of [
      ["ShelfLife gt duration'P1D'", 'A'],
      ["ShelfLife lt duration'PT0S'", 'B'],
      ["ShelfLife eq duration'P1DT2H3M4.5S'", 'A'],
      ["ShelfLife in (duration'-PT30M')", 'B'],
      ['totalseconds(ShelfLife) gt 90000', 'A'],
      ["ShelfLife add duration'PT1H' gt duration'PT0S'", 'AB'],
      ['2026-01-01T00:00:00Z add ShelfLife gt 2026-01-01T12:00:00Z', 'A'],
    ] as const)
      expect([filter, await named(filter)]).toEqual([filter, names])
    const sorted = await get('/Crates?$orderby=ShelfLife desc&$select=Name')
    expect(sorted.body.value.map(({ Name }: Record<string, string>) => Name)).toEqual(['A', 'B', 'C'])
    const longest = await get('/Crates?$apply=aggregate(ShelfLife with max as Longest)')
    expect(longest.body.value[0].Longest).toBe('P1DT2H3M4.5S')
  })
})

describe('enumerations of flags', () => {
  test('are told by all their members and asked with has', async () => {
    const { body: xml } = await get('/$metadata')
    expect(xml).toContain('<EnumType Name="Handling" IsFlags="true">')
    expect((await get('/$metadata?$format=json')).body.Core.Handling.$IsFlags).toBe(true)
    const { body } = await get('/Crates?$select=Handling&$orderby=Name')
    expect(body.value).toEqual([{ Handling: 'Stack,Freeze' }, { Handling: 'None' }, { Handling: null }])
    for (const [filter, names] of [
      ["Handling has 'Freeze'", 'A'],
      ["Handling has Core.Handling'Stack,Freeze'", 'A'],
      ["Handling has Core.Handling'Stack,Tilt'", ''],
      ["Handling eq 'Freeze,Stack'", 'A'],
      ["Handling eq Core.Handling'None'", 'B'],
      ['Handling eq 9', 'A'],
      ["not (Handling has 'Tilt')", 'AB'],
    ] as const)
      expect([filter, await named(filter)]).toEqual([filter, names])
    await hubOf(app).execute(sql`update "TestCrates" set "Handling" = 4 where "Name" = 'B'`)
    expect((await get(`/Crates(${second})/Handling`)).body.value).toBe('4')
    const groups = await get('/Crates?$apply=groupby((Handling))&$orderby=Handling desc')
    expect(groups.body.value.map(({ Handling }: Record<string, unknown>) => Handling)).toEqual([
      'Stack,Freeze',
      '4',
      null,
    ])
  })
})

test('nothing is counted by sums of flags', async () => {
  const headers = { prefer: 'odata.include-annotations="*"' }
  const answer = await admin.fetch('/odata/Crates', { headers })
  expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining('core.facets')])
})

test('lists and members that need a permission of their own are not shown without it, and naming them is forbidden', async () => {
  const visitor = await app.as({ permissions: [PortPermissions.View] })
  const ask = async (path: string) => {
    const answer = await visitor.fetch(`/odata${path.replaceAll(' ', '%20')}`)
    return { status: answer.status, text: await answer.text() }
  }
  const { status, text } = await ask('/Crates')
  expect(status).toBe(200)
  expect(text).toContain('"City":"Rotterdam"')
  expect(text).not.toMatch(/Opened|Street|SecretLines|Gold/)
  for (const [path, field] of [
    ['/Crates?$filter=Opened/any()', 'opened'],
    ['/Crates?$select=Opened', 'opened'],
    ["/Crates?$filter=SecretLines/any(l:l/Sku eq 'Gold')", 'secretLines'],
    [`/Crates(${first})/SecretLines`, 'secretLines'],
    ['/Crates?$select=Store/Street', 'storeStreet'],
    ['/Crates?$filter=Store/Street eq null', 'storeStreet'],
    ['/Crates?$orderby=Store/Street', 'storeStreet'],
    ['/Crates?$apply=groupby((Store/Street))', 'storeStreet'],
    [`/Crates(${first})/Opened`, 'opened'],
    [`/Crates(${first})/Store/Street`, 'storeStreet'],
  ] as const)
    expect([path, await ask(path)]).toEqual([
      path,
      {
        status: 403,
        text: expect.stringContaining(
          `You are not allowed to see or to set the field ${field}: it needs the permission Document.View.`,
        ),
      },
    ])
  expect((await ask(`/Crates(${first})/Store`)).text).not.toContain('Street')
})

describe('many to many', () => {
  const texts = (rows: Record<string, string>[]) => rows.map(({ Text, Name }) => Text ?? Name).join(' ')

  test('is a navigation property on both sides', async () => {
    const { body: xml } = await get('/$metadata')
    expect(xml).toContain(
      '<NavigationProperty Name="Labels" Type="Collection(Core.Label)" Partner="Crates"/>',
    )
    expect(xml).toContain(
      '<NavigationProperty Name="Crates" Type="Collection(Core.Crate)" Partner="Labels"/>',
    )
  })

  test('is expanded with options, counted, and followed in paths', async () => {
    const { body } = await get(
      '/Crates?$orderby=Name&$select=Name&$expand=Labels($orderby=Text desc;$select=Text;$count=true)',
    )
    expect(
      body.value.map((row: Record<string, unknown>) => [
        row['Labels@odata.count'],
        texts(row['Labels'] as never),
      ]),
    ).toEqual([
      [2, 'Heavy Fragile'],
      [1, 'Heavy'],
      [0, ''],
    ])
    const some = await get(
      "/Crates?$orderby=Name&$expand=Labels($filter=startswith(Text,'F');$expand=Crates($select=Name))",
    )
    expect(
      some.body.value.map((row: { Labels: { Crates: [] }[] }) =>
        row.Labels.map(({ Crates }) => texts(Crates)),
      ),
    ).toEqual([['A'], [], []])
    const cut = await get(`/Crates(${first})?$expand=Labels($top=1;$orderby=Text)`)
    expect(texts(cut.body.Labels)).toBe('Fragile')
    expect(texts((await get(`/Crates(${first})/Labels?$orderby=Text`)).body.value)).toBe('Fragile Heavy')
    expect((await get(`/Crates(${second})/Labels/$count`)).body).toBe('1')
    const heavy = namedGuid('Label:Heavy')
    expect(texts((await get(`/Labels(${heavy})/Crates?$orderby=Name`)).body.value)).toBe('A B')
    expect((await get(`/Crates(${second})/Labels(${heavy})/Text`)).body.value).toBe('Heavy')
    for (const path of ['', '/Text', '/$ref'])
      expect([path, (await get(`/Crates(${third})/Labels(${heavy})${path}`)).status]).toEqual([path, 404])
    const grouped = await get(`/Crates(${first})?$select=Name&$expand=Labels($apply=aggregate($count as N))`)
    expect(grouped.body.Labels[0].N).toBe(2)
  })

  test('is asked in filters and orders; links that are not seen are none', async () => {
    for (const [filter, names] of [
      ["Labels/any(l:l/Text eq 'Heavy')", 'AB'],
      ["Labels/any(l:l/Text eq 'Fragile')", 'A'],
      ["Labels/all(l:l/Text eq 'Heavy')", 'BC'],
      ['Labels/$count eq 1', 'B'],
      ["'Fragile' in Labels/Text", 'A'],
      ["Labels/any(l:l/Crates/any(c:c/Name eq 'B'))", 'AB'],
      ["Labels/aggregate(Text with min) eq 'Fragile'", 'A'],
    ] as const)
      expect([filter, await named(filter)]).toEqual([filter, names])
    const { body } = await get('/Labels?$orderby=Crates/$count desc,Text&$select=Text')
    expect(texts(body.value)).toBe('Heavy Fragile Unused')
    expect((await get('/Crates?$apply=aggregate(Labels/$count as N)')).status).toBe(501)
  })
})

/** `$metadata` without labels and descriptions. */
function unannotated(xml: string): string {
  return xml.replaceAll(/<Annotation [^>]*\/>/g, '').replaceAll('></Property>', '/>')
}
