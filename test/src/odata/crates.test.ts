import { ApiHost } from '@keel/api-host'
import { KeelModule, Module } from '@keel/framework'
import { namedGuid, sql } from '@keel/framework/data'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../app.js'
import { addRows, hubOf } from '../hub-rows.js'
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
    },
    { Id: second, Name: 'B', Tags: ['wet'], Sizes: null, Kinds: [1], Opened: [], HiddenDays: [] },
    { Id: third, Name: 'C', Tags: [], Sizes: [10], Kinds: [], Opened: [], HiddenDays: [] },
  ])
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
      ["$filter=hassubset(Tags,['wet'])", 501],
    ] as const)
      expect([query, (await get(`/Crates?${query}`)).status]).toEqual([query, status])
    expect((await get(`/Crates(${first})/Tags/$value`)).status).toBe(404)
    expect((await get(`/Crates(${first})/Tags/0`)).status).toBe(404)
    expect((await get('/Crates?$apply=filter(Tags/any())/aggregate($count as N)')).body.value[0].N).toBe(2)
  })
})
