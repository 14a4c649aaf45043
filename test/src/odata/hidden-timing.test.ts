import { quote, raw, type Sql, sql } from '@keel/framework/data'
import { DocumentPermissions, OrganizationPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addOrganization, addShipments, hubOf } from '../support/hub-rows.js'
import { isLong, sizeOf } from '../support/size.js'

/** Pairs of samples for each probe: one of each world. */
const pairs = sizeOf(40, 400)
/** So many are measured at most until a difference that is there is seen. */
const mostPairs = Math.max(pairs, 160)
/** The probability at which a difference that is not there would be seen, for each probe. */
const alpha = 1e-6

const long = 'a'.repeat(200)
const short = 'b'
/** Hidden rows: one alone is told apart by nobody, not even by who may see it. */
const rows = 400
/** 128 times the text, looked through for what is not in it. The number makes each request another one, which nothing that is kept answers. */
const slow = (column: string, number: number): string => {
  let text = column
  for (let depth = 0; depth < 7; depth++) text = `concat(${text},${text})`
  return `contains(${text},'c${number}')`
}

/** A request that is slow on one value of a column and quick on another where it is evaluated. */
interface Probe {
  readonly name: string
  /** The rows that the attacker may not see. */
  readonly row: 'shipment' | 'document'
  readonly column: string
  readonly url: (number: number) => string
  /** Instead of a long and a short text for all rows. */
  readonly values?: readonly [Sql, Sql]
}

const ofShipment = { row: 'shipment', column: 'CargoDescription' } as const
const ofTitle = { row: 'document', column: 'Title' } as const
const everyProbe: readonly Probe[] = [
  {
    name: '$filter',
    ...ofShipment,
    url: (number) => `/odata/Shipments?$filter=${slow('CargoDescription', number)}`,
  },
  {
    name: '$count',
    ...ofShipment,
    url: (number) => `/odata/Shipments/$count?$filter=${slow('CargoDescription', number)}`,
  },
  {
    name: '$orderby',
    ...ofShipment,
    url: (number) => `/odata/Shipments?$top=1&$orderby=${slow('CargoDescription', number)}`,
  },
  {
    name: '$apply with a filter',
    ...ofShipment,
    url: (number) =>
      `/odata/Shipments?$apply=filter(${slow('CargoDescription', number)})/aggregate($count as N)`,
  },
  {
    name: '$apply with a computed group',
    ...ofShipment,
    url: (number) =>
      `/odata/Shipments?$apply=compute(${slow('CargoDescription', number)} as V)/groupby((V),aggregate($count as N))`,
  },
  {
    name: 'any of the hidden rows',
    ...ofTitle,
    url: (number) => `/odata/Shipments?$filter=Documents/any(d:${slow('d/Title', number)})`,
  },
]

/** Functions that are computed on hidden rows too, because they take about the same time on all: not even who may see the rows can tell. */
const steady: readonly Probe[] = [
  {
    name: '$filter by a function of a short text',
    row: 'shipment',
    column: 'ShipmentReference',
    url: (number) => `/odata/Shipments?$filter=length(ShipmentReference) gt ${1000 + number}`,
    // Of 100 characters and of 10.
    values: [sql`rpad("Id"::text, 100, 'a')`, sql`left(md5("Id"::text), 10)`],
  },
]

/** In the usual form a condition and an order of rows: the others go the same ways, and all together take minutes. */
const probes = everyProbe.filter(({ name }) => isLong || ['$filter', '$orderby'].includes(name))

let app: App
let attacker: AppCaller
let staff: AppCaller
let hidden: Readonly<Record<Probe['row'], readonly string[]>>

beforeAll(async () => {
  app = await startApp()
  const ours = await addOrganization(app, 'OURS')
  const theirs = await addOrganization(app, 'THEIRS')
  const [own = '', ...foreign] = await addShipments(app, [
    { ShipmentReference: 'OWN', parties: [{ role: 0, organizationId: ours }] },
    ...Array.from({ length: rows }, (_, index) => ({
      ShipmentReference: `FOREIGN${index}`,
      parties: [{ role: 0, organizationId: theirs }],
    })),
  ])
  const [, ...internal] = await addDocuments(app, [
    { ShipmentId: own, Title: 'Open', IsCustomerVisible: true },
    ...Array.from({ length: rows }, () => ({ ShipmentId: own, Title: 'Internal', IsCustomerVisible: false })),
  ])
  hidden = { shipment: foreign, document: internal }
  const permissions = [ShipmentPermissions.View, DocumentPermissions.View, OrganizationPermissions.View]
  attacker = await app.as({ permissions, organizations: ['OURS'] })
  staff = await app.as({ permissions: [...permissions, OrganizationPermissions.AccessAll] })
})
afterAll(() => app?.close())

/** Milliseconds from the request to the whole answer. */
async function timeOf(caller: AppCaller, url: string): Promise<number> {
  const [path, query = ''] = url.split('?')
  const encoded = query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    return `${pair.slice(0, at)}=${encodeURIComponent(pair.slice(at + 1))}`
  })
  const began = performance.now()
  const answer = await caller.fetch(`${path}?${encoded.join('&')}`)
  const text = await answer.text()
  const ms = performance.now() - began
  expect([answer.status, answer.ok ? '' : text]).toEqual([200, ''])
  return ms
}

/** Both times of each pair. Which world comes first is drawn, so that nothing but the value differs between the two. */
async function measure(caller: AppCaller, probe: Probe, count: number): Promise<[number, number][]> {
  const { row, column, url, values = [sql`${long}`, sql`${short}`] } = probe
  const table = row === 'shipment' ? 'HubShipments' : 'HubDocuments'
  const found: [number, number][] = []
  for (let pair = 0; pair < count; pair++) {
    const times: [number, number] = [0, 0]
    for (const world of Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)) {
      await hubOf(app).execute(
        sql`update ${raw(quote(table))} set ${raw(quote(column))} = ${values[world]} where "Id" = any(${hidden[row]}::uuid[])`,
      )
      // What the change itself costs the host is over before the sample.
      await timeOf(caller, url(2 * pair))
      times[world] = await timeOf(caller, url(2 * pair + 1))
    }
    found.push(times)
  }
  return found
}

/**
 * Sign test: how probable it is that one world is slower in at least so many pairs, or in so few, when nothing differs. It knows nothing of the
 * size of a difference, so a pause of the machine counts as one pair.
 */
function probabilityByChance(measured: readonly (readonly [number, number])[]): number {
  const slower = measured.filter(([one, other]) => one > other).length
  const faster = measured.filter(([one, other]) => one < other).length
  const all = slower + faster
  let tail = 0
  for (let wins = all, log = -all * Math.LN2; wins >= Math.max(slower, faster); wins--) {
    tail += Math.exp(log)
    log += Math.log(wins / (all - wins + 1))
  }
  return Math.min(1, 2 * tail)
}

test('the sign test knows chance from a difference', () => {
  const of = (slower: number, faster: number) =>
    probabilityByChance([...Array(slower).fill([2, 1]), ...Array(faster).fill([1, 2])])
  expect(of(20, 20)).toBe(1)
  expect(of(2, 0)).toBeCloseTo(0.5)
  expect(of(8, 2)).toBeCloseTo(0.109375)
  expect(of(1, 9)).toBeCloseTo(0.021484375)
  expect(of(250, 150)).toBeLessThan(alpha)
  expect(of(240, 160)).toBeGreaterThan(alpha)
})

// First, while the tables hold no old versions of rows, which blur the times.
test.each(probes)(
  '$name takes longer for a caller who may see the row, so that a leak would be seen',
  async (probe) => {
    const measured: [number, number][] = []
    // A machine that does much else hides some of the pairs.
    do measured.push(...(await measure(staff, probe, 40)))
    while (probabilityByChance(measured) >= alpha && measured.length < mostPairs)
    expect(probabilityByChance(measured)).toBeLessThan(alpha)
  },
  120_000,
)

test.each([...probes, ...steady])(
  '$name takes as long whatever a row holds that its caller may not see',
  async (probe) => {
    const measured = await measure(attacker, probe, pairs)
    const chance = probabilityByChance(measured)
    expect(
      chance,
      `slower ${measured.filter(([one, other]) => one > other).length} of ${pairs}`,
    ).toBeGreaterThan(alpha)
  },
  30_000 + pairs * 500,
)
