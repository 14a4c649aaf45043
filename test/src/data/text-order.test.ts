import { compareTexts, Databases, sequentialGuid, sql } from '@keel/framework/data'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addRows, hubOf, portId } from '../support/hub-rows.js'
import { send } from '../support/wire.js'

let app: App
let admin: AppCaller

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
})
afterAll(() => app?.close())

/** Texts as people write them: languages, letter cases, accents, signs and digits, and some that differ in these alone. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'aAäÄbBéEzZßøØñçœıİ日本语 -_.,\'"%0129'),
    minLength: 1,
    maxLength: 6,
  }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }).filter((one) => !one.includes('\0')),
)

/** Adds ports with these names that are told from others by their UN/LOCODE, `XA` and three letters. */
async function addPorts(mark: string, names: readonly string[]): Promise<void> {
  const [like] = await hubOf(app).query<Record<string, unknown>>(
    sql`select * from "HubPorts" where "Id" = ${portId('NLRTM')}`,
  )
  const letters = (index: number) =>
    [Math.floor(index / 26) % 26, index % 26].map((one) => String.fromCharCode(65 + one)).join('')
  await addRows(
    hubOf(app),
    'HubPorts',
    names.map((Name, index) => ({
      ...like,
      Id: sequentialGuid(),
      UnLocode: `${mark}${letters(index)}`,
      Name,
      NameWoDiacritics: 'x',
    })),
  )
}

interface Page {
  readonly value: { readonly Name: string; readonly UnLocode: string }[]
  readonly '@odata.nextLink'?: string
}

/** All pages of an OData query, one after the other. */
async function paged(query: string, size: number): Promise<Page['value']> {
  const found: Page['value'] = []
  for (let link: string | undefined = `/odata/Ports?${query}`; link; ) {
    const path: string = link.replace(/^https?:\/\/[^/]+/, '').replaceAll(' ', '%20')
    const answer = await admin.fetch(path, { headers: { prefer: `odata.maxpagesize=${size}` } })
    expect([path, answer.status]).toEqual([path, 200])
    const page = (await answer.json()) as Page
    found.push(...page.value)
    link = page['@odata.nextLink']
  }
  return found
}
const filter = (mark: string) => `$filter=startswith(UnLocode,'${mark}')&$select=Name,UnLocode`
const namesOf = (rows: Page['value']) => rows.map(({ Name }) => Name)

test('texts are sorted as people do, in lists of the API and in OData', async () => {
  const names = ['Zürich', 'apple', 'Äpfel', 'zebra', 'Österreich', 'Zebra', 'Oslo', '42', 'éclair', 'Apple']
  await addPorts('XAA', names)
  const wanted = ['42', 'Äpfel', 'apple', 'Apple', 'éclair', 'Oslo', 'Österreich', 'zebra', 'Zebra', 'Zürich']
  const { body } = await send(
    admin,
    'GET',
    '/api/hub/port?maxResultCount=1000&sorting=name%20DESC&filter=XAA',
  )
  const listed = body.items.map(({ name }: { name: string }) => name)
  expect({ listed, odata: namesOf(await paged(`${filter('XAA')}&$orderby=Name`, 4)) }).toEqual({
    listed: [...wanted].reverse(),
    odata: wanted,
  })
})

test('pages in the order of any texts have every row once, and comparisons follow that order', async () => {
  const marks = Array.from({ length: 6 }, (_, index) => `XB${String.fromCharCode(65 + index)}`)
  for (const [turn, mark] of marks.entries()) {
    const [names = []] = fc.sample(fc.array(text, { minLength: 60, maxLength: 80 }), {
      numRuns: 1,
      seed: turn + 1,
    })
    // Some are there several times, so that the key has to decide.
    const some = names.map((name, index) => (index % 5 === 0 ? (names[0] as string) : name))
    await addPorts(mark, some)
    const direction = turn % 2 ? ' desc' : ''
    const query = `${filter(mark)}&$orderby=Name${direction}`
    const whole = await paged(query, 1000)
    expect(namesOf(whole).sort()).toEqual([...some].sort())
    expect(await paged(query, 1 + turn * 3)).toEqual(whole)
    const middle = whole[30]?.Name ?? ''
    const compared = `$filter=startswith(UnLocode,'${mark}') and Name ${turn % 2 ? 'lt' : 'gt'} '${encodeURIComponent(middle.replaceAll("'", "''"))}'`
    const after = namesOf(await paged(`${compared}&$select=Name,UnLocode&$orderby=Name${direction}`, 1000))
    expect(after).toEqual(namesOf(whole).slice(namesOf(whole).lastIndexOf(middle) + 1))
  }
})

test('what a process sorts by itself is in the order of the database', async () => {
  const words = [
    'Zürich',
    'apple',
    'Äpfel',
    'zebra',
    'Österreich',
    'Zebra',
    '42',
    'éclair',
    'Apple',
    'Port.View',
    'Port_A',
    'port-b',
    'port c',
  ]
  const rows = await app.host
    .get(Databases)
    .named('Default')
    .query<{ word: string }>(sql`select word from unnest(${words}::text[]) as word order by word`)
  expect([...words].sort(compareTexts)).toEqual(rows.map(({ word }) => word))
})

test('a search finds texts in whichever case, and takes every sign for itself', async () => {
  const names = [
    'MÜLLER & SÖHNE',
    'müller 100%',
    'a.b*c',
    'under_score',
    'back\\slash',
    '***=stars',
    '(?i)x',
    'İstanbul',
  ]
  await addPorts('XCA', names)
  const found = async (filter: string) => {
    const { body } = await send(
      admin,
      'GET',
      `/api/hub/port?maxResultCount=50&sorting=name&filter=${encodeURIComponent(filter)}`,
    )
    return body.items.map(({ name }: { name: string }) => name).filter((name: string) => names.includes(name))
  }
  const odata = async (search: string) =>
    namesOf(
      await paged(
        `$search=${encodeURIComponent(`"${search}"`)}&$filter=startswith(UnLocode,'XCA')&$select=Name`,
        50,
      ),
    )
  const wanted = {
    müller: ['MÜLLER & SÖHNE', 'müller 100%'],
    'r 100%': ['müller 100%'],
    'a.b*C': ['a.b*c'],
    a_b: [],
    r_S: ['under_score'],
    '***=S': ['***=stars'],
    '(?I)': ['(?i)x'],
    'K\\s': ['back\\slash'],
    '.*': [],
  }
  const listed = await Promise.all(
    Object.keys(wanted).map(async (text) => [text, await found(text)] as const),
  )
  expect(Object.fromEntries(listed)).toEqual(wanted)
  expect([await odata('söhne'), await odata('a.B*')]).toEqual([['MÜLLER & SÖHNE'], ['a.b*c']])
})

test('bill numbers are found by their beginning with an index, whatever the collation', async () => {
  const plan = await hubOf(app).query<{ 'QUERY PLAN': string }>(
    sql`explain select "Id" from "HubShipments" where "HouseBillNumber" like 'HB-7%' and "IsDeleted" = false`,
  )
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('HouseBillNumber_Prefix')
})
