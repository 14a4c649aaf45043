import { ApiKeyAppService } from '@keel/api-keys/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { addShipments } from '../support/hub-rows.js'

/** Excel and Power BI: `OData.Feed(url, null, [Headers=[#"Api-Key"=…]])`, with the headers that Power Query sends. */
let app: App
let key: string
const powerQuery = {
  accept:
    'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7',
  'accept-encoding': 'gzip, deflate',
  maxdataserviceversion: '3.0',
  'odata-maxversion': '4.0',
  'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
}

beforeAll(async () => {
  app = await startApp(undefined, { 'OData:MaxTop': '5' })
  const admin = await app.admin()
  await addShipments(
    app,
    Array.from({ length: 12 }, (_, index) => ({ ShipmentReference: `P-${String(index).padStart(2, '0')}` })),
  )
  ;({ key } = await admin.service(ApiKeyAppService).create({ name: 'Power BI', isActive: true }))
})
afterAll(() => app.close())

const ask = (url: string, headers: Record<string, string> = { 'api-key': key }) =>
  fetch(new URL(url, app.host.url), { headers: { ...powerQuery, ...headers } })

describe('Power Query', () => {
  test('reads the service document and the metadata, which it knows as XML alone', async () => {
    const service = await ask('/odata/')
    const { value } = (await service.json()) as { value: { name: string }[] }
    expect([service.headers.get('odata-version'), value.some(({ name }) => name === 'Shipments')]).toEqual([
      '4.0',
      true,
    ])
    const metadata = await ask('/odata/$metadata')
    expect(metadata.headers.get('content-type')).toBe('application/xml;charset=utf-8')
    expect(await metadata.text()).toContain('<edmx:Edmx Version="4.0"')
  })

  test('follows the links of a table to its end with the key in the header', async () => {
    const references: string[] = []
    let link: string | undefined =
      "/odata/Shipments?$filter=startswith(ShipmentReference,'P-')&$select=ShipmentReference&$orderby=ShipmentReference"
    for (; link; ) {
      const answer = await ask(link)
      const page = (await answer.json()) as {
        value: { ShipmentReference: string }[]
        '@odata.nextLink'?: string
      }
      expect([answer.status, JSON.stringify(page).includes(key)]).toEqual([200, false])
      references.push(...page.value.map(({ ShipmentReference }) => ShipmentReference))
      link = page['@odata.nextLink']
    }
    expect(references).toEqual(Array.from({ length: 12 }, (_, n) => `P-${String(n).padStart(2, '0')}`))
  })

  test('is asked for a key where it sends none or a wrong one, and learns no rows', async () => {
    for (const headers of [{}, { 'api-key': `${key}x` }] as Record<string, string>[]) {
      const answer = await ask('/odata/Shipments', headers)
      expect([answer.status, answer.headers.has('www-authenticate')]).toEqual([401, true])
      expect(await answer.text()).not.toContain(key)
    }
  })

  test.each(['apiKey', 'api_key', 'API%5FKEY', 'x-api-key'])(
    'a key that comes in the query as %s is repeated in no link, context or error',
    async (name) => {
      const query = `${name}=${key}&$select=ShipmentReference,Status&$expand=Documents&$count=true`
      const page = await ask(`/odata/Shipments?${query}`)
      const text = await page.text()
      expect([page.status, text.includes('nextLink'), text.includes(key)]).toEqual([200, true, false])
      for (const path of [
        `/odata/Shipments?${name}=${key}&$filter=Nonsense`,
        `/odata/Nowhere?${name}=${key}`,
        `/odata/Shipments?${name}=${key}&$orderby=Nonsense`,
      ]) {
        const refused = await ask(path)
        expect(refused.status).toBeGreaterThanOrEqual(400)
        expect(await refused.text()).not.toContain(key)
      }
    },
  )
})
