import type { Database } from '@keel/framework/data'
import {
  CodeEntityPermissions,
  DocumentPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addOrganization, addShipments, hubOf, modeId, portId } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'

let app: App
let staff: AppCaller
let member: AppCaller
let own = ''
/** The statements for callers that Hub's database was sent. */
const sent: string[] = []

const views = [
  ShipmentPermissions.View,
  OrganizationPermissions.View,
  PortPermissions.View,
  CodeEntityPermissions.View,
  DocumentPermissions.View,
]
const expanded =
  '/Shipments?$orderby=ShipmentReference&$top=50&$expand=FirstConsolLegDeparturePort($select=UnLocode,Name),TransportMode'

beforeAll(async () => {
  app = await startApp(undefined, { 'OData:MaxPlanCost': '0' })
  const alpha = await addOrganization(app, 'ALPHA')
  const shared = { FirstConsolLegDeparturePortId: portId('CNSHA'), TransportModeId: modeId('Sea') }
  ;[own = ''] = await addShipments(app, [
    { ...shared, ShipmentReference: 'A-OWN', parties: [{ role: 4, organizationId: alpha }] },
    { ...shared, ShipmentReference: 'B-FOREIGN' },
    { ShipmentReference: 'C-FOREIGN' },
  ])
  staff = await app.as({ permissions: [...views, OrganizationPermissions.AccessAll] })
  member = await app.as({ permissions: views, organizations: ['ALPHA'] })
  const database = hubOf(app)
  const queryForCaller = database.queryForCaller.bind(database)
  vi.spyOn(database, 'queryForCaller').mockImplementation((statement) => {
    sent.push(statement.text)
    return queryForCaller(statement)
  })
  // Nothing is kept before changes are heard.
  await vi.waitUntil(() => database.feed.watch(['HubShipments']).version !== undefined)
})
afterAll(() => app.close())
beforeEach(() => void sent.splice(0))

async function read(
  path: string,
  caller = staff,
): Promise<{ text: string; rows: Record<string, unknown>[] }> {
  const answer = await caller.fetch(`/odata${path.replaceAll(' ', '%20')}`)
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  return { text, rows: (JSON.parse(text) as { value: Record<string, unknown>[] }).value }
}

testOfOneProcess(
  'rows are written by PostgreSQL once and are the same whenever they are asked for again',
  async () => {
    const writesRows = (text: string) => text.includes('"TotalPackages"')
    const first = await read(expanded)
    expect(sent.map(writesRows)).toEqual([true])
    expect(first.rows).toHaveLength(3)
    expect(first.rows[0]).toMatchObject({ FirstConsolLegDeparturePort: { UnLocode: 'CNSHA' } })
    // Nothing is kept while the host has not heard for a moment whether anything changed.
    await vi.waitFor(
      async () => {
        sent.splice(0)
        expect((await read(expanded)).text).toBe(first.text)
        expect(sent.map(writesRows)).toEqual([false])
      },
      { timeout: 20_000, interval: 10 },
    )
  },
)

test('a change of a row, of a row that stands in it, and of who sees it counts at once', async () => {
  await read(expanded)
  const before = (await read(expanded)).rows
  const database = hubOf(app)
  await database.execute({
    text: `update "HubShipments" set "CargoDescription" = 'changed' where "Id" = $1`,
    values: [own],
  })
  await database.execute({
    text: `update "HubPorts" set "Name" = 'Another name' where "Id" = $1`,
    values: [portId('CNSHA')],
  })
  const [first, ...others] = (await read(expanded)).rows
  expect(first).toEqual({
    ...before[0],
    CargoDescription: 'changed',
    FirstConsolLegDeparturePort: { ...portIn(before[0]), Name: 'Another name' },
  })
  expect(others[0]).toEqual({
    ...before[1],
    FirstConsolLegDeparturePort: { ...portIn(before[1]), Name: 'Another name' },
  })
  expect(others[1]).toEqual(before[2])
  await database.execute({
    text: `update "HubShipments" set "IsDeleted" = true where "Id" = $1`,
    values: [own],
  })
  expect((await read(expanded)).rows).toHaveLength(2)
  await database.execute({
    text: `update "HubShipments" set "IsDeleted" = false where "Id" = $1`,
    values: [own],
  })
  expect((await read(expanded)).rows).toHaveLength(3)
})

testOfOneProcess(
  'rows that are known are not written again for another filter, order or size of the page',
  async () => {
    const writesRows = (text: string) => text.includes('"TotalPackages"')
    const shown = '$expand=FirstConsolLegDeparturePort($select=UnLocode,Name),TransportMode'
    const { rows } = await read(expanded)
    await vi.waitFor(
      async () => {
        await read(expanded)
        sent.splice(0)
        const found = await read(
          `/Shipments?$filter=startswith(ShipmentReference,'A') or length(ShipmentReference) gt 8&$orderby=TransportModeId desc,ShipmentReference desc&$top=7&${shown}`,
        )
        expect(found.rows).toEqual([rows[1], rows[0], rows[2]])
        expect(sent.map(writesRows)).toEqual([false])
      },
      { timeout: 20_000, interval: 10 },
    )
  },
)

testOfOneProcess(
  'what the version of a row does not decide is read each time, and stands behind what is kept of the row',
  async () => {
    const mixed = `${expanded},ControllingCustomer($select=Code,FullName),Documents($select=FileName;$orderby=FileName;$count=true)&$compute=length(ShipmentReference) as Length&$select=*,Length`
    const writesRows = (text: string) => text.includes('"TotalPackages"')
    const keptText = async () => {
      let text = ''
      await vi.waitFor(
        async () => {
          sent.splice(0)
          text = (await read(mixed)).text
          expect(sent.map(writesRows)).toEqual([false])
        },
        { timeout: 20_000, interval: 10 },
      )
      return text
    }
    const whole = await read(mixed)
    expect(whole.rows[0]).toMatchObject({
      Length: 5,
      TransportMode: { Code: 'Sea' },
      ControllingCustomer: { Code: 'ALPHA' },
      'Documents@odata.count': 0,
      Documents: [],
    })
    expect(await keptText()).toBe(whole.text)
    await addDocuments(app, [{ ShipmentId: own }, { ShipmentId: own, FileName: 'bill.pdf' }])
    const [first, ...others] = (await read(mixed)).rows
    expect(first).toEqual({
      ...whole.rows[0],
      'Documents@odata.count': 2,
      Documents: [{ FileName: 'bill.pdf' }, { FileName: 'invoice.pdf' }],
    })
    expect(others).toEqual(whole.rows.slice(1))
    expect(JSON.parse(await keptText()).value[0]).toEqual(first)
    // A customer is not told of foreign parties beside rows that are kept for everybody.
    expect((await read(mixed, member)).rows).toEqual([first])
  },
)

test('rows that are kept for one caller are shown to no other who may not see them', async () => {
  for (let turn = 0; turn < 3; turn++) {
    expect((await read(expanded)).rows).toHaveLength(3)
    const seen = await read(expanded, member)
    expect(seen.rows.map(({ ShipmentReference }) => ShipmentReference)).toEqual(['A-OWN'])
    expect(seen.text).not.toContain('FOREIGN')
  }
})

test('counts, tokens of next pages and filters go with kept rows as with others', async () => {
  const some = `/Shipments?$orderby=ShipmentReference desc&$count=true&$filter=ShipmentReference gt 'A-Z'`
  const asked = async () => {
    const answer = await staff.fetch(`/odata${some.replaceAll(' ', '%20')}`, {
      headers: { prefer: 'odata.maxpagesize=1' },
    })
    return (await answer.json()) as Record<string, unknown> & { value: Record<string, unknown>[] }
  }
  const first = await asked()
  for (let turn = 0; turn < 3; turn++) expect(await asked()).toEqual(first)
  expect(first['@odata.count']).toBe(2)
  const next = new URL(String(first['@odata.nextLink']))
  const { rows } = await read(`${next.pathname.replace('/odata', '')}${next.search}`)
  expect([...first.value, ...rows].map(({ ShipmentReference }) => ShipmentReference)).toEqual([
    'C-FOREIGN',
    'B-FOREIGN',
  ])
})

testOfOneProcess(
  'a row that changes between the two statements of a page is shown as one statement shows it',
  async () => {
    const plain = `/Shipments?$top=20&$orderby=ShipmentReference&$filter=ShipmentReference eq 'B-FOREIGN'&$select=ShipmentReference,CargoDescription`
    await read(plain)
    const database = hubOf(app)
    const query = vi.mocked(database.queryForCaller)
    const send = query.getMockImplementation() as Database['queryForCaller']
    let isFirst = true
    query.mockImplementation(async (statement) => {
      const found = await send(statement)
      if (isFirst) {
        isFirst = false
        await database.execute({
          text: `update "HubShipments" set "ShipmentReference" = 'B-CHANGED' where "ShipmentReference" = 'B-FOREIGN'`,
          values: [],
        })
      }
      return found
    })
    try {
      // One statement would find nothing any more.
      expect((await read(plain)).rows).toEqual([])
    } finally {
      query.mockImplementation(send)
    }
  },
)

function portIn(row: Record<string, unknown> | undefined): object {
  return row?.FirstConsolLegDeparturePort as object
}
