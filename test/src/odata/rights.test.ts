import { ApiKeyPermissions } from '@keel/api-keys/contracts'
import {
  CodeEntityPermissions,
  DocumentPermissions,
  OrderPermissions,
  OrganizationPermissions,
  PortPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newKey, withKey } from '../api-keys/keys.js'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addDocuments, addOrganization, addShipments, setColumn } from '../support/hub-rows.js'

const views = [
  ShipmentPermissions.View,
  DocumentPermissions.View,
  OrderPermissions.View,
  OrganizationPermissions.View,
  PortPermissions.View,
  CodeEntityPermissions.View,
]

let app: App
/** A member of ALPHA. */
let member: AppCaller
/** Another one, who may not see documents. */
let withoutDocuments: AppCaller
let staff: AppCaller
let own = ''
let shared = ''
let foreign = ''

beforeAll(async () => {
  app = await startApp()
  const alpha = await addOrganization(app, 'ALPHA')
  const beta = await addOrganization(app, 'BETA')
  const ids = await addShipments(
    app,
    [
      { ShipmentReference: 'OWN', parties: [{ role: 4, organizationId: alpha }] },
      {
        ShipmentReference: 'SHARED',
        Status: 1,
        parties: [
          { role: 4, organizationId: beta },
          { role: 0, organizationId: alpha },
        ],
      },
      { ShipmentReference: 'FOREIGN', Status: 2, parties: [{ role: 4, organizationId: beta }] },
      { ShipmentReference: 'GONE', IsDeleted: true, parties: [{ role: 4, organizationId: alpha }] },
    ].map((row) => ({ IsDeleted: false, ...row })),
  )
  ;[own = '', shared = '', foreign = ''] = ids
  await addDocuments(app, [
    { ShipmentId: own, Title: 'open', IsCustomerVisible: true, IsDeleted: false },
    { ShipmentId: own, Title: 'internal', IsCustomerVisible: false, IsDeleted: false },
    { ShipmentId: own, Title: 'deleted', IsCustomerVisible: true, IsDeleted: true },
    { ShipmentId: foreign, Title: 'foreign', IsCustomerVisible: true, IsDeleted: false },
  ])
  member = await app.as({ permissions: views, organizations: ['ALPHA'] })
  withoutDocuments = await app.as({
    permissions: views.filter((view) => view !== DocumentPermissions.View),
    organizations: ['ALPHA'],
  })
  staff = await app.as({ permissions: [...views, OrganizationPermissions.AccessAll] })
})
afterAll(() => app.close())

async function read(caller: AppCaller, path: string): Promise<Record<string, unknown>> {
  const answer = await caller.fetch(`/odata${path.replaceAll(' ', '%20')}`)
  const text = await answer.text()
  if (!answer.ok) return { status: answer.status }
  return text.startsWith('{')
    ? (JSON.parse(text) as Record<string, unknown>)
    : { status: answer.status, text }
}

/** The references of the shipments that a query finds. */
async function found(caller: AppCaller, query: string): Promise<unknown> {
  const { value, status } = await read(caller, `/Shipments?$select=ShipmentReference&${query}`)
  return status ?? (value as { ShipmentReference: string }[]).map((row) => row.ShipmentReference)
}

test('a member sees the shipments of their organizations, staff see all that are not deleted', async () => {
  const order = '$orderby=ShipmentReference'
  expect(await found(member, order)).toEqual(['OWN', 'SHARED'])
  expect(await found(staff, order)).toEqual(['FOREIGN', 'OWN', 'SHARED'])
})

test('counts count what is seen', async () => {
  expect((await read(member, '/Shipments?$count=true&$top=0'))['@odata.count']).toBe(2)
  expect((await read(member, '/Shipments/$count')).text).toBe('2')
  expect((await read(staff, '/Shipments/$count')).text).toBe('3')
})

test('what one may not see is not there by its key either, nor is anything behind it', async () => {
  for (const path of ['', '/Documents', '/Documents/$count', '/ControllingCustomer', '/ShipmentReference'])
    expect([path, (await read(member, `/Shipments(${foreign})${path}`)).status]).toEqual([path, 404])
})

test('expanded rows obey their own rules', async () => {
  const { value } = await read(
    member,
    `/Shipments?$filter=ShipmentReference eq 'OWN'&$select=Id&$expand=Documents($select=Title;$count=true)`,
  )
  expect(value).toEqual([{ Id: own, 'Documents@odata.count': 1, Documents: [{ Title: 'open' }] }])
})

test('rows at the end of a path obey their own rules', async () => {
  const { value } = await read(member, `/Shipments(${own})/Documents?$select=Title`)
  expect(value).toEqual([{ Title: 'open' }])
  expect((await read(member, `/Shipments(${own})/Documents/$count`)).text).toBe('1')
})

test('any and $count do not find related rows that one may not see', async () => {
  expect(await found(member, `$filter=Documents/any(d:d/Title eq 'internal')`)).toEqual([])
  expect(await found(member, `$filter=Documents/any(d:d/Title eq 'deleted')`)).toEqual([])
  expect(await found(member, '$filter=Documents/$count gt 1')).toEqual([])
  expect(await found(staff, `$filter=Documents/any(d:d/Title eq 'internal')`)).toEqual(['OWN'])
})

test('a single related row that one may not see is null: shown, compared, sorted and grouped', async () => {
  const { value } = await read(
    member,
    `/Shipments?$orderby=ControllingCustomer/Code,ShipmentReference&$select=ShipmentReference&$expand=ControllingCustomer($select=Code)`,
  )
  expect(value).toEqual([
    { ShipmentReference: 'SHARED', ControllingCustomer: null },
    { ShipmentReference: 'OWN', ControllingCustomer: { Code: 'ALPHA' } },
  ])
  expect(await found(member, `$filter=ControllingCustomer/Code eq 'BETA'`)).toEqual([])
  expect(await found(member, '$filter=ControllingCustomer eq null')).toEqual(['SHARED'])
  const grouped = await read(
    member,
    '/Shipments?$apply=groupby((ControllingCustomer/Code),aggregate($count as N))&$format=application/json;odata.metadata=none',
  )
  expect(grouped.value).toEqual([
    { ControllingCustomer: null, N: 1 },
    { ControllingCustomer: { Code: 'ALPHA' }, N: 1 },
  ])
  const answer = await member.fetch(`/odata/Shipments(${shared})/ControllingCustomer`)
  expect(answer.status).toBe(204)
})

test('aggregates add up what is seen', async () => {
  const query =
    '/Shipments?$apply=aggregate($count as N,Documents/$count as D)&$format=application/json;odata.metadata=none'
  expect((await read(member, query)).value).toEqual([{ N: 2, D: 1 }])
  expect((await read(staff, query)).value).toEqual([{ N: 3, D: 3 }])
})

test('facets count what is seen', async () => {
  const statuses = async (caller: AppCaller) => {
    const answer = await caller.fetch('/odata/Shipments?$top=0', {
      headers: { prefer: 'odata.include-annotations="*"' },
    })
    const body = (await answer.json()) as { '@core.facets': { Field: string; Values: unknown }[] }
    return body['@core.facets'].find(({ Field }) => Field === 'Status')?.Values
  }
  expect(await statuses(member)).toEqual([
    { Value: 'Booked', Count: 1 },
    { Value: 'Draft', Count: 1 },
  ])
  expect(await statuses(staff)).toHaveLength(3)
})

test('whoever may not read a set gets no further by leading to it', async () => {
  for (const path of [
    '/Documents',
    '/Shipments?$expand=Documents',
    '/Shipments?$expand=Documents/$ref',
    '/Shipments?$filter=Documents/any()',
    '/Shipments?$filter=Documents/$count gt 0',
    '/Shipments?$orderby=Documents/$count',
    '/Shipments?$apply=aggregate(Documents/$count as D)',
    '/Shipments?$compute=Documents/$count as D',
    `/Shipments(${own})/Documents`,
    `/Shipments(${own})?$expand=Documents`,
    '/Organizations?$expand=Documents',
    '/Shipments?$expand=Orders($expand=Documents)',
  ])
    expect([path, (await read(withoutDocuments, path)).status]).toEqual([path, 403])
  const { value } = await read(withoutDocuments, `/Shipments?$filter=ShipmentReference eq 'OWN'&$expand=*`)
  expect(Object.keys((value as object[])[0] ?? {})).not.toContain('Documents')
})

test('who loses a permission is refused what they were answered a moment ago', async () => {
  const path = '/Shipments?$select=Id&$expand=Documents($select=Title)&$orderby=ShipmentReference'
  expect((await read(member, path)).status).toBeUndefined()
  expect((await read(withoutDocuments, path)).status).toBe(403)
  expect((await read(member, path)).status).toBeUndefined()
})

test('requests that differ in literals alone are answered each by the rights of its caller', async () => {
  for (const name of ['a', 'b', 'c']) {
    const path = (text: string) =>
      `/Shipments?$filter=ShipmentReference ne '${text}'&$expand=Documents&$count=true`
    expect(await read(staff, path(`${name}1`))).toMatchObject({ '@odata.count': 3 })
    expect(await read(withoutDocuments, path(`${name}2`))).toEqual({ status: 403 })
    expect(await read(member, path(`${name}3`))).toMatchObject({ '@odata.count': 2 })
    expect(await read(withoutDocuments, path(`${name}1`))).toEqual({ status: 403 })
  }
})

test('hidden properties do not exist, wherever they are named', async () => {
  for (const query of [
    `$filter=startswith(BlobName,'a')`,
    '$select=BlobName',
    '$orderby=BlobName',
    '$apply=groupby((BlobName))',
    '$compute=length(BlobName) as L',
  ])
    expect([query, (await read(staff, `/Documents?${query}`)).status]).toEqual([query, 400])
  expect((await read(staff, `/Shipments?$filter=Documents/any(d:d/BlobName eq 'a')`)).status).toBe(400)
})

test('what becomes visible is seen at once', async () => {
  const [id = ''] = await addDocuments(app, [{ ShipmentId: shared, Title: 'late', IsCustomerVisible: false }])
  const titles = async () =>
    (await read(member, `/Shipments(${shared})?$select=Id&$expand=Documents($select=Title)`)).Documents
  expect(await titles()).toEqual([])
  await setColumn(app, 'HubDocuments', id, 'IsCustomerVisible', true)
  expect(await titles()).toEqual([{ Title: 'late' }])
})

test('what $root leads to is what the caller may see', async () => {
  const hidden = `/odata/Shipments/$count?$filter=$root/Shipments(${foreign})/ShipmentReference%20ne%20null`
  expect(await (await member.fetch(hidden)).text()).toBe('0')
  expect(await (await staff.fetch(hidden)).text()).not.toBe('0')
  const references =
    '/odata/Shipments/$count?$filter=ShipmentReference%20in%20$root/Shipments/ShipmentReference'
  expect(await (await member.fetch(references)).text()).toBe('2')
  const forbidden = '/odata/Shipments/$count?$filter=$root/Documents/$count%20gt%200'
  expect((await withoutDocuments.fetch(forbidden)).status).toBe(403)
})

test('counts and facets that were kept follow what changes', async () => {
  const total = async () => (await read(staff, '/Shipments?$top=0&$count=true'))['@odata.count']
  const before = Number(await total())
  expect(await total()).toBe(before)
  await setColumn(app, 'HubShipments', foreign, 'IsDeleted', true)
  await vi.waitFor(async () => expect(await total()).toBe(before - 1), { timeout: 10_000 })
  expect((await read(member, '/Shipments?$top=0&$count=true'))['@odata.count']).toBe(2)
})

test('an API key with all rights of its owner reads no API keys', async () => {
  const manager = await app.as({ permissions: [ApiKeyPermissions.Create, ApiKeyPermissions.ManageAll] })
  const { key } = await newKey(manager)
  const machine = withKey(app.host, key)
  for (const path of ['/odata/ApiKeys', '/odata/ApiKeyUsages?$expand=ApiKey', '/odata/ApiKeys/$count']) {
    expect([path, (await manager.fetch(path)).status]).toEqual([path, 200])
    expect([path, (await machine.fetch(path)).status]).toEqual([path, 403])
  }
})
