import { system, withAmbient } from '@keel/framework'
import { type Database, Databases, ReferenceSets, RowRules } from '@keel/framework/data'
import {
  EntityModel,
  ODataError,
  ODataQueries,
  parseQueryOptions,
  parseResourcePath,
  queryPairs,
  type ReadRequest,
} from '@keel/framework/odata'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { sizeOf } from '../support/size.js'
import { applyQueries, entityQueries, expandedGroups } from './generated-queries.js'
import { makeWorld } from './world.js'

const runs = sizeOf(100, 5000)
const long = 30_000 + runs * 300

let app: App
let model: EntityModel
/** The statements that were sent. */
const sent: { readonly text: string; readonly values: readonly unknown[] }[] = []
/** How often a request was bound: each looks for its set once. */
let bindings = 0

beforeAll(async () => {
  app = await startApp(undefined, { 'OData:MaxPlanCost': '0' })
  await makeWorld(app)
  const entities = new EntityModel(app.host.application.modules)
  const find = (name: string) => {
    bindings++
    return entities.find(name)
  }
  model = Object.create(entities, { find: { value: find } }) as EntityModel
})
afterAll(() => app.close())

/** A reader that remembers nothing yet. */
function newQueries(): ODataQueries {
  const { host } = app
  const databases = recordedDatabases(host.get(Databases))
  return new ODataQueries(model, databases, host.get(RowRules), host.get(ReferenceSets), host.application)
}

/** The same databases, but statements are recorded, nothing that was counted is kept, and time stands still. */
function recordedDatabases(databases: Databases): Databases {
  const nothingKept = { watch: () => ({ version: undefined, refresh: async () => undefined }) }
  const of = (entity: Parameters<Databases['of']>[0]): Database => {
    const database = databases.of(entity)
    const queryForCaller = (...[statement]: Parameters<Database['queryForCaller']>) => {
      sent.push({ text: statement.text, values: statement.values })
      return database.queryForCaller(statement)
    }
    return Object.create(database, {
      queryForCaller: { value: queryForCaller },
      feed: { value: nothingKept },
    })
  }
  const now = () => new Date('2026-03-01T12:00:00Z')
  return Object.create(databases, { of: { value: of }, now: { value: now } }) as Databases
}

type Wishes = Partial<Omit<ReadRequest, 'path' | 'query' | 'parse'>>

/** The answer to a request, or the error that it ends with, and the statements sent for it. */
async function outcomeOf(url: string, queries: ODataQueries, wishes: Wishes = {}, principal = system) {
  const [path = '', query = ''] = url.split('?')
  sent.length = 0
  try {
    const { text, rows, nextBehind, ...reading } = await withAmbient(
      { correlationId: '', principal, culture: 'en' },
      () =>
        queries.read({
          path,
          query,
          parse: (path, query) => ({
            path: parseResourcePath(path),
            options: parseQueryOptions(queryPairs(query)),
          }),
          format: { metadata: 'minimal', ieee754: false, prefix: '@odata.', root: 'http://localhost/odata/' },
          ...wishes,
        }),
    )
    const streamed: string[] = []
    for await (const piece of rows?.pieces() ?? []) streamed.push(piece)
    const next = rows?.lastKeys === undefined ? undefined : nextBehind?.(rows.lastKeys)
    return { next, ...reading, streamed, text: text && Buffer.concat(text).toString(), sent: [...sent] }
  } catch (error) {
    const place = error instanceof ODataError ? error.place : undefined
    return { error: String(error), place, sent: [...sent] }
  }
}

const oneOf = (texts: string) => fc.constantFrom(...texts.split(' '))

/** Literals by what they look like, at the edges of their types and beyond them. */
const literals: Readonly<Record<string, fc.Arbitrary<string>>> = {
  text: fc
    .constantFrom(
      ...[
        '',
        'a',
        'Sea',
        'B c',
        "it''s",
        'x_y',
        '50%',
        '\\',
        'ü',
        '"',
        '7',
        '-7',
        '1.5',
        'INF',
        'true',
        'PT1H',
      ],
      ...[
        'InTransit',
        'Booked',
        'Booked,Draft',
        '2024-01-01',
        '2024-02-30',
        '2024-01-01T10:00:00Z',
        '(a|b)',
        '[',
      ],
      ...['1f9f62a0-9a11-4e07-8001-0a5e77e1d0f0', 'x'.repeat(100), 'x'.repeat(101), 'y'.repeat(300)],
    )
    .map((text) => `'${text}'`),
  integer: oneOf(
    '0 1 2 7 40 -1 -3 +4 007 32767 32768 -32769 2147483647 2147483648 12345678901 9223372036854775808 99999999999999999999',
  ),
  number: oneOf('0.0 1.5 -0.5 2.50 1e3 1E-3 1e400 -1e400 1e-500 INF -INF NaN 123456789.123456789'),
  instant: oneOf(
    '2026-01-01T00:00:00Z 2026-03-01T10:20:30.5Z 2026-03-01T10:20:30.123456789Z 2026-03-01T10:20+02:00 2024-02-30T00:00:00Z 0000-01-01T00:00:00Z 9999-12-31T23:59:59-05:00 12024-01-01T00:00:00Z',
  ),
  date: oneOf('2024-02-29 2023-02-29 2026-01-01 9999-12-31 0001-01-01 0000-01-01 12024-01-01'),
  guid: oneOf(
    '1f9f62a0-9a11-4e07-8001-0a5e77e1d0f0 1F9F62A0-9A11-4E07-8001-0A5E77E1D0F0 00000000-0000-0000-0000-000000000000',
  ),
  other: oneOf(
    "null true false duration'PT1H' duration'-P1DT2S' duration'P1Y' duration'P99999999999D' binary'AQI' 10:20 23:59:59.5 Hub.ShipmentStatus'Booked' Hub.ShipmentStatus'Nowhere'",
  ),
  status: oneOf("'Draft' 'Booked' 'inTransit' 'Draft' 'Booked' 'Confirmed' 2 1 7 40000 'Nowhere'"),
  count: oneOf('0 1 2 3 7 50'),
  word: oneOf('MSC S0 "S0_0" NOT a 50% AND it\'s ').map((word) => word || 'x'.repeat(101)),
}

/** Requests with the kind of literal in each place. */
const templates = `
/Shipments?$filter=ShipmentReference eq {text}
/Shipments?$filter=ShipmentReference ne {text} and TotalPackages lt {integer}
/Shipments?$filter=contains(ShipmentReference,{text}) or startswith(VesselName,{text}) or endswith(VesselName,{text})
/Shipments?$filter=not contains(tolower(ShipmentReference),{text})
/Shipments?$filter=TotalPackages ge {integer} and TotalPackages le {number}
/Shipments?$filter=TotalPackages add {integer} gt {integer} and GoodsValue mul {number} lt {number}
/Shipments?$filter=GoodsValue eq {number} or TotalGrossWeight gt {integer}
/Shipments?$filter=Status eq {status} or Status in ({status},{status},{status})
/Shipments?$filter=Status eq {status} or Status eq {status} or Status ne {status}
/Shipments?$filter=EstimatedDeparture gt {instant} and EstimatedArrival lt {date} or EstimatedArrival eq {text}
/Shipments?$filter=EstimatedDeparture sub {other} gt {instant} or year(EstimatedDeparture) eq {integer}
/Shipments?$filter=year({instant}) eq {integer} or hour({text}) gt {integer} or totaloffsetminutes({instant}) eq {integer}
/Shipments?$filter=IsOnHold eq {other} or {other}
/Shipments?$filter=Id eq {guid} or Id in ({guid},{text}) or ControllingCustomer/Id ne {guid}
/Shipments?$filter=Documents/any(d:d/Title eq {text} and d/Version gt {integer}) or Documents/$count($filter=FileSize gt {integer}) ge {integer}
/Shipments?$filter=substring(ShipmentReference,{integer}) eq {text} or substring(VesselName,{integer},{integer}) ne {text}
/Shipments?$filter=case(TotalPackages gt {integer}:{integer},true:{number}) gt {integer}
/Shipments?$filter=cast({text},Edm.Int32) eq {integer} or cast({text},Edm.DateTimeOffset) lt {instant} or isof({integer},Edm.Int32)
/Shipments?$filter=matchesPattern(ShipmentReference,{text}) or length({text}) eq {integer} or concat({text},{text}) eq {text}
/Shipments?$filter=ShipmentReference eq @a or VesselName eq @a or TotalPackages gt @b&@a={text}&@b={integer}
/Shipments?$filter=ShipmentReference in @list&@list=["a",{integer}]
/Shipments?$filter=floor({text}) eq {integer} or round({number}) gt {number} or {integer} lt {text} or {text} eq {text}
/Shipments?$filter={other} eq {other} or Direction eq {other}
/Shipments({guid})
/Shipments({text})?$select=Id
/Shipments(Id={guid})/ShipmentReference
/Shipments/{guid}/Documents?$filter=Title ne {text}
/Shipments/{integer}
/Shipments({guid})/Documents/$count?$filter=Version gt {integer}
/Shipments/$filter(TotalPackages gt {integer})/$count
/Ports({text})
/Shipments?$search={word}
/Shipments?$search={word} {word}&$filter=VesselName ne {text}
/Shipments?$compute=TotalPackages add {integer} as X&$select=X&$filter=X gt {integer}&$orderby=X
/Shipments?$orderby=ShipmentReference eq {text} desc,TotalPackages add {integer}
/Shipments?$expand=Documents($filter=Title ne {text};$top={count};$orderby=Version add {integer})&$select=Id
/Shipments?$expand=Documents($filter=Title ne @a;$count=true)&@a={text}&$select=Id
/Shipments?$apply=filter(TotalPackages gt {integer})/groupby((Status),aggregate($count as N))&$filter=N gt {integer}
/Shipments?$apply=topcount({count},TotalPackages)/aggregate(TotalPackages with sum as S)
/Shipments?$apply=toppercent({number},TotalPackages)/compute(TotalPackages mul {integer} as M)&$filter=M gt {number}
/Shipments?$apply=concat(filter(Status eq {status})/aggregate($count as A),search({word})/aggregate($count as B))
/Shipments?$top={count}&$skip={count}&$filter=ShipmentReference gt {text}
/Shipments?$filter=$root/Ports({guid})/Name eq {text}
`
  .trim()
  .split('\n')

const places = /\{(\w+)\}/g

/** A template filled four times, each time with some other literals: mostly of the kind of the place, sometimes of any. */
const filledTemplates: fc.Arbitrary<readonly string[]> = fc.constantFrom(...templates).chain((template) => {
  const any = fc.oneof(...Object.values(literals))
  const kinds = [...template.matchAll(places)].map(([, kind = '']) => literals[kind] ?? any)
  const oneEach = fc.tuple(
    ...kinds.map((kind) => fc.oneof({ weight: 19, arbitrary: kind }, { weight: 1, arbitrary: any })),
  )
  const changed = fc.tuple(oneEach, fc.tuple(...kinds.map(() => fc.boolean())))
  return fc.tuple(oneEach, changed, changed, changed).map(([first, ...others]) => {
    const fillings = others.map(([values, keeps]) =>
      first.map((value, index) => (keeps[index] ? value : (values[index] ?? ''))),
    )
    return [first, ...fillings].map((values) => {
      let index = 0
      return template.replace(places, () => encodeURIComponent(values[index++] ?? '')).replaceAll(' ', '%20')
    })
  })
})

/** Generated queries with other literals in the places of theirs. */
const variedQueries: fc.Arbitrary<readonly string[]> = fc
  .tuple(
    fc.oneof(entityQueries, applyQueries, expandedGroups),
    fc.array(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), {
      minLength: 3,
      maxLength: 3,
    }),
  )
  .map(([{ url }, streams]) => [
    url,
    ...streams.map((numbers) => withOthers(url, () => numbers.next().value as number)),
  ])

/** Other literals instead of those of a URL, plain ones and others. */
function withOthers(url: string, random: () => number): string {
  const one = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? ''
  return url.replace(
    /'(?:[^']|'')*'|(?<=%20|\()(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|\d+\.\d+|\d+)(?=%20|[),&]|$)/g,
    (found) => {
      if (random() < 0.3) return found
      if (found.startsWith("'"))
        return `'${one(['', 'a', 'B%20c', 'it%27%27s', 'x_y', '50%25', 'InTransit', 'Booked', '2024-02-30', '7', '%5C', 'S-1'])}'`
      if (found.includes('T'))
        return one(['2024-02-30T00:00:00Z', '2026-01-01T00:00:00Z', '2026-03-01T10:20:30.5Z'])
      if (/^\d+-/.test(found)) return one(['2024-02-30', '2026-01-01', '9999-12-31'])
      return one(['0', '1', '2', '7', '40000', '123456789', '12345678901', '1.5', '007', '-3', '1e3'])
    },
  )
}

const wishes: fc.Arbitrary<Wishes> = fc.constantFrom<Wishes>(
  {},
  {},
  { maxPageSize: 2 },
  { facets: true },
  { canStream: true, maxPageSize: 100_000 },
  { omitNulls: true },
  { format: { metadata: 'full', ieee754: true, prefix: '@', root: 'http://localhost/odata/' } },
)

for (const [kind, requests] of Object.entries({ handwritten: filledTemplates, generated: variedQueries }))
  test(
    `${kind} requests whose literals differ get the statements, values, answers and errors that each gets by itself`,
    async () => {
      const queries = newQueries()
      await fc.assert(
        fc.asyncProperty(requests, wishes, async (urls, wish) => {
          for (const url of urls)
            expect([url, await outcomeOf(url, queries, wish)]).toEqual([
              url,
              await outcomeOf(url, newQueries(), wish),
            ])
        }),
        { numRuns: runs },
      )
    },
    long,
  )

/** How many of some requests are bound, one after the other. */
async function countBindings(urls: readonly string[], wishes?: Wishes): Promise<number> {
  const queries = newQueries()
  bindings = 0
  for (const url of urls) await outcomeOf(url.replaceAll(' ', '%20'), queries, wishes)
  return bindings
}

const guids = [
  '1f9f62a0-9a11-4e07-8001-0a5e77e1d0f0',
  'AF9F62A0-9A11-4E07-8001-0A5E77E1D0F1',
  '00000000-0000-0000-0000-000000000000',
]

test.for([
  ['keys', guids.map((id) => `/Shipments(${id})`)],
  ['keys as segments', guids.map((id) => `/Shipments/${id}/Documents?$top=1`)],
  ['texts', ['a', "it''s", '50%25', '', 'ü'].map((text) => `/Ports?$filter=Name eq '${encodeURI(text)}'`)],
  ['patterns', ['a', "it''s", '%25'].map((text) => `/Ports?$filter=contains(Name,'${text}')`)],
  [
    'numbers',
    ['7', '-3', '+4', '007', '1.5e1']
      .map((n) => `/Shipments?$filter=TotalPackages gt ${n}`.replace('+', '%2B'))
      .slice(0, 4),
  ],
  [
    'members of enumerations',
    ['Draft', 'Booked', '2'].map((name) => `/Shipments?$filter=Status eq '${name}'`),
  ],
  ['truths', ['true', 'false'].map((truth) => `/Shipments?$filter=IsOnHold eq ${truth}`)],
  [
    'times',
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5-05:00'].map(
      (time) => `/Shipments?$filter=EstimatedArrival lt ${time}`,
    ),
  ],
  ['searched words', ['MSC', 'S00', 'a(b'].map((word) => `/Shipments?$search=${word}`)],
  ['aliases', ['1', '2'].map((n) => `/Shipments?$filter=TotalPackages eq @n&@n=${n}`)],
  [
    'items of lists of one length',
    ['1,2', '3,4'].map((list) => `/Shipments?$filter=TotalPackages in (${list})`),
  ],
  ['expanded filters', ['a', 'b'].map((text) => `/Shipments?$expand=Documents($filter=Title ne '${text}')`)],
  [
    'blanks beside them',
    ["/Ports?$filter=Name eq 'a'", "/Ports?$filter= Name  eq 'b'", "/Ports?$filter=Name+eq+'c'"],
  ],
] as const)('requests that differ in %s alone are bound once', async ([, urls]) => {
  expect(await countBindings(urls)).toBe(1)
})

test.for([
  [
    'numbers that do not fit into the type',
    ['1', '99999999999'].map((n) => `/Shipments?$filter=TotalPackages gt ${n}`),
  ],
  ['fractions of whole numbers', ['1', '1.5'].map((n) => `/Shipments?$filter=TotalPackages gt ${n}`)],
  ['null', ["'a'", 'null'].map((text) => `/Shipments?$filter=VesselName eq ${text}`)],
  ['regular expressions', ['a', 'b'].map((text) => `/Ports?$filter=matchesPattern(Name,'${text}')`)],
  ['$top', ['0', '1'].map((top) => `/Ports?$top=${top}`)],
  [
    'lists of JSON',
    ['["a"]', '["b"]'].map((list) => `/Ports?$filter=Name in @list&@list=${encodeURIComponent(list)}`),
  ],
  ['the length of lists', ['1', '1,2'].map((list) => `/Shipments?$filter=TotalPackages in (${list})`)],
  [
    'patterns too long for rows that are hidden',
    ['a', 'a'.repeat(101)].map((text) => `/Ports?$filter=contains(Name,'${text}')`),
  ],
  ['the case of names', ["/Ports?$filter=Name eq 'a'", "/Ports?$filter=name eq 'a'"]],
] as const)('requests that differ in %s are bound each', async ([, urls]) => {
  expect(await countBindings([...urls, ...urls])).toBe(urls.length)
})

test('pages behind each other are bound as one, and a token of another query is refused', async () => {
  const queries = newQueries()
  const url =
    "/Shipments?$orderby=EstimatedDeparture,TotalPackages%20desc&$select=Id&$filter=ShipmentReference%20ne%20'a'"
  const tokens: string[] = []
  const seen: string[] = []
  bindings = 0
  for (let token: string | undefined = ''; token !== undefined; tokens.push(token ?? '')) {
    const page = await outcomeOf(url + (token && `&$skiptoken=${token}`), queries, { maxPageSize: 3 })
    if (!('text' in page)) throw new Error(page.error)
    seen.push(...(JSON.parse(page.text ?? '') as { Id: string }[]).map(({ Id }) => Id))
    token = page.next?.token
  }
  expect(seen).toHaveLength(new Set(seen).size)
  // The first page, and pages behind rows that have both values, one of them, the other, or none.
  expect(bindings).toBeLessThanOrEqual(5)
  expect(tokens.length).toBeGreaterThan(5)
  const other = `${url.replace("'a'", "'b'")}&$skiptoken=${tokens[1]}`
  expect(await outcomeOf(other, queries, { maxPageSize: 3 })).toMatchObject({
    error: expect.stringContaining('does not belong to this query'),
  })
})
