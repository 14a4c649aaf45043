import { Databases, sql } from '@keel/framework/data'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addShipments, codeId } from '../support/hub-rows.js'

let app: App
let admin: AppCaller
let shipmentId: string
/** As PostgreSQL holds them, and as every answer has them. */
const times: readonly (readonly [stored: string, shown: string])[] = [
  ['2026-03-15T10:00:00Z', '2026-03-15T10:00:00Z'],
  ['2026-03-15T10:00:00.5Z', '2026-03-15T10:00:00.5Z'],
  ['2026-03-15T10:00:00.120Z', '2026-03-15T10:00:00.12Z'],
  ['2026-03-15T10:00:00.123456Z', '2026-03-15T10:00:00.123456Z'],
  ['2026-03-15T10:00:00.000001Z', '2026-03-15T10:00:00.000001Z'],
  ['2026-03-15T23:30:00-01:30', '2026-03-16T01:00:00Z'],
]
const shown = times.map(([, text]) => text)

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  const [id = ''] = await addShipments(app, [{ ShipmentReference: 'TIMES' }])
  shipmentId = id
  await addDocuments(
    app,
    times.map(([FileDate], index) => ({
      ShipmentId: shipmentId,
      FileName: `${index}.pdf`,
      FileDate,
      DocumentTypeId: codeId('DocumentType', 'CIV'),
      CreationTime: new Date(Date.now() - 1000 * (times.length - index)).toISOString(),
      Status: 1,
    })),
  )
})
afterAll(() => app.close())

// biome-ignore lint/suspicious/noExplicitAny: answers have all shapes
async function get(path: string): Promise<any> {
  const answer = await admin.fetch(path)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.json()
}

const member = (rows: readonly Record<string, unknown>[], name: string) => rows.map((row) => row[name])

test('an instant looks the same in a list, in a single row, in OData and inside a parent', async () => {
  const { items } = await get(`/api/hub/document?ShipmentId=${shipmentId}&Sorting=fileName`)
  expect(member(items, 'fileDate')).toEqual(shown)
  const single = await Promise.all(member(items, 'id').map((id) => get(`/api/hub/document/${id}`)))
  expect(member(single, 'fileDate')).toEqual(shown)
  const { documents } = await get(`/api/hub/shipment/${shipmentId}`)
  expect(member(documents, 'fileDate')).toEqual(shown)
  const recent = await get('/api/hub/shipment/new-documents?Sorting=fileName')
  expect(member(recent.items, 'fileDate')).toEqual(shown)

  const set = await get(`/odata/Documents?$filter=ShipmentId%20eq%20${shipmentId}&$orderby=FileName`)
  expect(member(set.value, 'FileDate')).toEqual(shown)
  const entities = await Promise.all(member(set.value, 'Id').map((id) => get(`/odata/Documents(${id})`)))
  expect(member(entities, 'FileDate')).toEqual(shown)
  const parent = await get(`/odata/Shipments(${shipmentId})?$expand=Documents($orderby=FileName)`)
  expect(member(parent.Documents, 'FileDate')).toEqual(shown)
})

test('a row of the platform has the same instants in its list and by itself', async () => {
  const database = app.host.get(Databases).named('Default')
  const { items: users } = await get('/api/identity/users?MaxResultCount=1')
  const { items: roles } = await get('/api/identity/roles?MaxResultCount=1')
  const [{ id: userId }, { id: roleId }] = [users[0], roles[0]]
  for (const [stored, text] of times) {
    for (const table of ['AbpUsers', 'AbpRoles'])
      await database.execute(
        sql`update ${{ texts: [`"${table}"`], values: [] }} set "CreationTime" = ${stored}::timestamptz at time zone 'utc'`,
      )
    const [userPage, user] = [await get('/api/identity/users'), await get(`/api/identity/users/${userId}`)]
    const [rolePage, role] = [await get('/api/identity/roles'), await get(`/api/identity/roles/${roleId}`)]
    expect(member([userPage.items[0], user, rolePage.items[0], role], 'creationTime')).toEqual([
      text,
      text,
      text,
      text,
    ])
  }
})
