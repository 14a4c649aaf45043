import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { type DocumentedOperation, openApiOf, operationsOf } from '../support/open-api.js'

let app: App
let caller: AppCaller
let operations: DocumentedOperation[]

beforeAll(async () => {
  app = await startApp()
  caller = await app.admin()
  operations = operationsOf(await openApiOf(app.host))
})
afterAll(() => app.close())

async function odd(method: string, address: string, init: RequestInit = {}): Promise<string[]> {
  const { status } = await caller.fetch(address, { method, ...init })
  // Users are looked up by clients alone, and not even by the administrator.
  const isForbidden = status === 403 && address.startsWith('/api/identity/users/lookup/')
  return status === 400 || status === 404 || isForbidden ? [] : [`${method} ${address} → ${status}`]
}

test('the character NUL in a path or a parameter of any operation is 400, or names nothing', async () => {
  const faults: string[] = []
  for (const { method, path, parameters = [] } of operations) {
    if (path.includes('{')) faults.push(...(await odd(method, path.replace(/\{\w+\}/g, 'a%00b'))))
    if (method !== 'GET') continue
    const at = path.replace(/\{\w+\}/g, '00000000-0000-0000-0000-000000000000')
    for (const { in: where, name } of parameters)
      if (where === 'query') faults.push(...(await odd(method, `${at}?${name}=a%00b`)))
  }
  expect(faults).toEqual([])
}, 120_000)

test.each([
  '/odata/Shipments?$filter=shipmentReference%20eq%20%27a%00b%27',
  '/odata/Shipments?$filter=contains(shipmentReference,%27a%00b%27)',
  '/odata/Shipments?$search=a%00b',
  '/odata/Shipments?$orderby=a%00b',
  '/odata/Shipments?$select=a%00b',
  '/odata/Shipments?$expand=a%00b',
  '/odata/Shipments?$skiptoken=a%00b',
  '/odata/Shipments?$apply=filter(shipmentReference%20eq%20%27a%00b%27)',
  '/odata/Shipments?@p=%27a%00b%27&$filter=shipmentReference%20eq%20@p',
  '/odata/Ports(%27a%00b%27)',
  '/odata/a%00b',
])('GET %s is 400', async (address) => {
  expect((await caller.fetch(address)).status).toBe(400)
})

test('requests of a batch and the body of a query are refused like addresses', async () => {
  const url = '/odata/Shipments?$search=a%00b'
  const raw = '/odata/Shipments?$search=a\0b'
  const answer = await caller.fetch('/odata/$batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      requests: [url, raw].map((one, index) => ({ id: String(index), method: 'GET', url: one })),
    }),
  })
  const { responses } = (await answer.json()) as { responses: { status: number }[] }
  expect(responses.map(({ status }) => status)).toEqual([400, 400])
  for (const body of ['$search=a%00b', '$search=a\0b'])
    expect(
      await odd('POST', '/odata/Shipments/$query', { headers: { 'content-type': 'text/plain' }, body }),
    ).toEqual([])
})
