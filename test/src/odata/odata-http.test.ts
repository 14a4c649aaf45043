import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type EntitySetDeclaration, entityMeta } from '@keel/framework/data'
import { DocumentPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { addShipments, portId } from '../support/hub-rows.js'
import { type Answer, send } from '../support/wire.js'

let app: App
let caller: AppCaller
let ids: string[]
beforeAll(async () => {
  app = await startApp()
  caller = await app.as({ roles: [SuperUser] })
  ids = await addShipments(
    app,
    Array.from({ length: 7 }, (_, index) => ({
      ShipmentReference: `H-${index + 1}`,
      Status: index % 2,
      TotalPackages: index === 6 ? null : index * 10,
      ...(index < 3 && { LastConsolLegArrivalPortId: portId('DEHAM') }),
    })),
  )
})
afterAll(() => app.close())

/** A GET of the caller's, with headers. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await caller.fetch(`/odata${path}`, { headers })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text }
}
const languages = ['en', 'de', 'es', 'fr', 'tr', 'zh-Hans']

/** The texts of a folder and the folders in it, in a language. */
function textsIn(folder: URL, language: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true }).filter(
    (path) => basename(String(path)) === `${language}.json`,
  )
  return new Map(
    files.flatMap((path) =>
      Object.entries<string>(JSON.parse(readFileSync(new URL(String(path), folder), 'utf8'))),
    ),
  )
}
const root = () => `${app.host.url}/odata/`
const ours = "$filter=startswith(ShipmentReference,'H-')"

describe('documents', () => {
  test('the service document names every set', async () => {
    for (const path of ['', '/']) {
      const { body, headers } = await get(path)
      expect(body['@odata.context']).toBe(`${root()}$metadata`)
      expect(body.value).toContainEqual({ name: 'Shipments', kind: 'EntitySet', url: 'Shipments' })
      expect(headers.get('odata-version')).toBe('4.0')
    }
  })

  test('$metadata is XML unless JSON is asked for, with an entity tag', async () => {
    const xml = await get('/$metadata')
    expect(xml.headers.get('content-type')).toBe('application/xml;charset=utf-8')
    expect(xml.text).toContain('<EntityType Name="Shipment">')
    expect(xml.text).toContain('<NavigationPropertyBinding Path="Documents" Target="Documents"/>')
    expect(xml.text).toContain(
      '<Member Name="Booked" Value="1"><Annotation Term="Org.OData.Core.V1.Description" String="Agreed with the customer."/>',
    )
    expect(xml.text).toMatch(/<PropertyValue Property="Scope" String="Shipment.View"\/>/)
    const json = await get('/$metadata', { accept: 'application/json' })
    expect(json.body.$EntityContainer).toBe('Core.Container')
    expect(json.body.Core.Shipment.ShipmentReference).toMatchObject({ $MaxLength: 100 })
    expect(json.body.Core.Shipment.Documents).toMatchObject({
      $Kind: 'NavigationProperty',
      $Collection: true,
      $Type: 'Core.Document',
    })
    expect((await get('/$metadata?$format=json')).text).toBe(json.text)
    const etag = xml.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    const again = await get('/$metadata', { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await get('/%24metadata')).status).toBe(200)
  })

  test('members have labels in the language of the caller, each document a tag of its own', async () => {
    const label = '@com.sap.vocabularies.Common.v1.Label'
    const tags = new Set<string | null>()
    for (const [language, pickup, mode] of [
      ['en', 'Estimated pick-up', 'Transport mode'],
      ['de-AT', 'Geplante Abholung', 'Transportart'],
      ['zh-Hans', '预计提货', '运输方式'],
    ] as const) {
      const { body, headers } = await get('/$metadata?$format=json', { 'accept-language': language })
      expect(body.Core.Shipment.EstimatedPickup[label]).toBe(pickup)
      expect(body.Core.Shipment.TransportMode[label]).toBe(mode)
      expect(body.Core.Shipment.TransportModeId[label]).toBe(`${mode} (Id)`)
      expect(headers.get('vary')).toContain('Accept-Language')
      tags.add(headers.get('etag'))
      const unlabelled = ['Shipment', 'ShipmentAddress', 'Order', 'Document', 'Port', 'Country']
        .concat('CodeEntity', 'Organization', 'OrganizationMember', 'Currency', 'ExchangeRate', 'ChargeCode')
        .flatMap((type) =>
          Object.entries<object>(body.Core[type])
            .filter(([name, member]) => !/^[$@]/.test(name) && !(label in member))
            .map(([name]) => `${type}.${name}`),
        )
      expect(unlabelled).toEqual([])
    }
    expect(tags.size).toBe(3)
    const xml = await get('/$metadata', { 'accept-language': 'fr' })
    expect(xml.text).toContain(
      '<Annotation Term="com.sap.vocabularies.Common.v1.Label" String="Enlèvement estimé"/>',
    )
  })

  test('no label is a text of another module: a port has a name, and no first name, in every language', async () => {
    const label = '@com.sap.vocabularies.Common.v1.Label'
    const { modules } = app.host.application
    const shared = new URL('../../../framework/localization/', import.meta.url)
    for (const language of languages) {
      const { body } = await get('/$metadata?$format=json', { 'accept-language': language })
      const everywhere = textsIn(shared, language)
      const foreign: string[] = []
      for (const { options } of modules) {
        const own = options.localization ? textsIn(options.localization, language) : new Map()
        for (const { entity, options: said } of (options.odata ?? []) as readonly EntitySetDeclaration[]) {
          const type = said.typeName ?? entityMeta(entity).name
          for (const [name, member] of Object.entries<Record<string, string>>(body.Core[type] ?? {})) {
            if (/^[$@]/.test(name)) continue
            const ofId = name.replace(/Id$/, '')
            const allowed = [own, everywhere].flatMap((texts) => [
              texts.get(`DisplayName:${type}:${name}`),
              texts.get(`DisplayName:${name}`),
              `${texts.get(`DisplayName:${type}:${ofId}`)} (Id)`,
              `${texts.get(`DisplayName:${ofId}`)} (Id)`,
            ])
            if (!allowed.includes(member[label])) foreign.push(`${type}.${name}: ${member[label]}`)
          }
        }
      }
      expect([language, foreign]).toEqual([language, []])
      const { User, Port, Role, ClaimType, Tenant, ApiKey, PermissionGrant } = body.Core
      const names = [Port, Role, ClaimType, Tenant, ApiKey, PermissionGrant].map(({ Name }) => Name[label])
      expect(new Set(names)).toEqual(new Set([everywhere.get('DisplayName:Name')]))
      if (['de', 'fr', 'zh-Hans'].includes(language)) expect(names).not.toContain(User.Name[label])
    }
  })

  test('members say what they are measured in, and which of them only the server writes', async () => {
    const [core, measures] = ['@Org.OData.Core.V1', '@Org.OData.Measures.V1']
    const { Shipment, Document, Organization, Order } = (await get('/$metadata?$format=json')).body.Core
    expect(Shipment.TotalGrossWeight[`${measures}.Unit`]).toBe('kg')
    expect(Shipment.GoodsValue[`${measures}.ISOCurrency`]).toEqual({ $Path: 'GoodsCurrencyCode' })
    expect(Order.TotalAmount[`${measures}.ISOCurrency`]).toEqual({ $Path: 'CurrencyCode' })
    for (const computed of [
      Shipment.Id,
      Shipment.CreationTime,
      Organization.HierarchyPath,
      Document.FileSize,
    ])
      expect(computed).toMatchObject({ [`${core}.Computed`]: true })
    expect(Document.ShipmentId).toMatchObject({ [`${core}.Immutable`]: true })
    for (const given of [Shipment.ShipmentReference, Shipment.TotalPackages, Document.Title])
      for (const term of ['Computed', 'Immutable']) expect(given).not.toHaveProperty([`${core}.${term}`])
    const { text } = await get('/$metadata')
    expect(text).toContain('<Annotation Term="Org.OData.Measures.V1.ISOCurrency" Path="GoodsCurrencyCode"/>')
    expect(text).toContain('<Annotation Term="Org.OData.Measures.V1.Unit" String="m³"/>')
    expect(text).toContain('<Annotation Term="Org.OData.Core.V1.Computed" Bool="true"/>')
  })

  test('columns that no DTO declares and no set names do not exist', async () => {
    const { body } = await get('/$metadata?$format=json')
    for (const [set, type, column] of [
      ['Documents', 'Document', 'Sha256'],
      ['Organizations', 'Organization', 'SalesOwnerUserId'],
      ['Ports', 'Port', 'FunctionCodes'],
      ['ExchangeRates', 'ExchangeRate', 'CreatorId'],
      ['Users', 'User', 'ExtraProperties'],
    ] as const) {
      expect(body.Core[type]).not.toHaveProperty(column)
      expect((await get(`/${set}?$filter=${column} eq null`)).status).toBe(400)
    }
    // Named by their sets: no operation shows them, and the shipment's tenant belongs to its fields.
    expect(body.Core.Order).toHaveProperty('RequiredInStoreDate')
    expect(body.Core.Shipment).toHaveProperty('TenantId')
  })

  test('secrets are in no set', async () => {
    const { text } = await get('/$metadata')
    for (const secret of [
      'PasswordHash',
      'SecurityStamp',
      '"Hash"',
      'PreviousHash',
      'ClientSecret',
      '"Payload"',
      'BlobName',
      'IsDeleted',
    ])
      expect(text).not.toContain(secret)
  })

  test('documents are for everybody, rows for who signed in', async () => {
    expect((await app.host.fetch('/odata')).status).toBe(200)
    expect((await app.host.fetch('/odata/$metadata')).status).toBe(200)
    for (const path of ['/odata/Shipments', '/odata/NoSuchSet', '/odata/Shipments/$count', '/odata/$batch']) {
      const response = await app.host.fetch(path, { method: path.endsWith('batch') ? 'POST' : 'GET' })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('Bearer')
      expect(((await response.json()) as Answer['body']).error.message).toBe(
        'Authentication is required to access this resource.',
      )
    }
  })
})

describe('paths', () => {
  test('a set, a row, its properties and what it leads to have a context and a form each', async () => {
    const [first = ''] = ids
    const set = await get(
      `/Shipments?${ours}&$count=true&$top=2&$select=ShipmentReference&$orderby=ShipmentReference`,
    )
    expect(Object.entries(set.body)).toEqual([
      ['@odata.context', `${root()}$metadata#Shipments(ShipmentReference)`],
      ['@odata.count', 7],
      ['value', [{ ShipmentReference: 'H-1' }, { ShipmentReference: 'H-2' }]],
    ])
    const row = await get(`/Shipments(${first})`)
    expect(row.body['@odata.context']).toBe(`${root()}$metadata#Shipments/$entity`)
    expect(row.body.Id).toBe(first)
    expect(Object.keys(row.body)[0]).toBe('@odata.context')
    expect((await get(`/Shipments(Id=${first})`)).body.Id).toBe(first)
    expect((await get(`/Shipments(@k)?@k=${first}`)).body.Id).toBe(first)
    expect((await get(`/Shipments/${first}`)).body.Id).toBe(first)
    expect((await get(`/Shipments(${first})/ShipmentReference`)).body).toEqual({
      '@odata.context': `${root()}$metadata#Shipments(${first})/ShipmentReference`,
      value: 'H-1',
    })
    const raw = await get(`/Shipments(${first})/ShipmentReference/$value`)
    expect([raw.text, raw.headers.get('content-type')]).toEqual(['H-1', 'text/plain;charset=utf-8'])
    expect((await get(`/Shipments(${first})/HoldReason`)).status).toBe(204)
    expect((await get(`/Shipments(${first})/HoldReason/$value`)).status).toBe(204)
    const port = await get(`/Shipments(${first})/LastConsolLegArrivalPort`)
    expect([port.body['@odata.context'], port.body.UnLocode]).toEqual([
      `${root()}$metadata#Ports/$entity`,
      'DEHAM',
    ])
    expect((await get(`/Shipments(${first})/OriginPort`)).status).toBe(204)
    expect((await get(`/Shipments(${first})/Documents`)).body).toEqual({
      '@odata.context': `${root()}$metadata#Documents`,
      value: [],
    })
    expect((await get(`/Shipments(${first})/Documents/$count`)).text).toBe('0')
    expect((await get(`/Shipments/$count?${ours}`)).text).toBe('7')
    expect(
      (await get(`/Shipments/$filter(@f)/$count?@f=ShipmentReference eq 'H-1'`.replaceAll(' ', '%20'))).text,
    ).toBe('1')
    const reference = await get(`/Shipments(${first})/LastConsolLegArrivalPort/$ref`)
    expect(reference.body['@odata.id']).toBe(`${root()}Ports(${portId('DEHAM')})`)
    const references = await get(`/Shipments/$ref?${ours}&$top=1`)
    expect(references.body['@odata.context']).toBe(`${root()}$metadata#Collection($ref)`)
    expect((await get(`/$entity?$id=${encodeURIComponent(`${root()}Shipments(${first})`)}`)).body.Id).toBe(
      first,
    )
    expect((await get(`/$entity?$id=Shipments(${first})&$select=Id`)).body.Id).toBe(first)
    expect((await get(`/$entity/Core.Shipment?$id=Shipments(${first})`)).body.Id).toBe(first)
    expect((await get(`/$entity/Core.Port?$id=Shipments(${first})`)).status).toBe(404)
  })

  test('what is not there is 404, and tells no difference to what may not be seen', async () => {
    for (const path of [
      '/NoSuchSet',
      '/Shipments(00000000-0000-0000-0000-000000000000)',
      '/Shipments(00000000-0000-0000-0000-000000000000)/ShipmentReference',
      '/Shipments(00000000-0000-0000-0000-000000000000)/Documents',
      `/Shipments(${ids[0]})/NoSuchProperty`,
      '/Shipments/x/y/z',
    ]) {
      const { status, body } = await get(path)
      expect([path, status]).toEqual([path, 404])
      expect(body.error.code).toBe('404')
    }
  })

  test('names are found in any case, options with and without $', async () => {
    const { body } = await get(
      `/shipments?FILTER=shipmentreference eq 'H-1'&select=SHIPMENTREFERENCE`.replaceAll(' ', '%20'),
    )
    expect(body.value).toEqual([{ ShipmentReference: 'H-1' }])
    expect((await app.host.fetch('/OData/$metadata')).status).toBe(200)
  })

  test('the query may come in a body', async () => {
    const long = Array.from({ length: 20 }, (_, index) => `ShipmentReference eq 'H-${index}'`).join(' or ')
    const response = await caller.fetch('/odata/Shipments/$query?$count=true', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: `$filter=${long}&$select=ShipmentReference`,
    })
    expect(((await response.json()) as Answer['body'])['@odata.count']).toBe(7)
    const json = await caller.fetch('/odata/Shipments/$query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(json.status).toBe(415)
    expect((await caller.fetch('/odata/Shipments/$query')).status).toBe(405)
  })

  test('nobody writes here', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers, body } = await send(caller, method, '/odata/Shipments')
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      expect(body.error.message).toContain(method)
    }
    const head = await caller.fetch('/odata/Shipments?$top=1', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('forms', () => {
  test('the level of control information follows Accept, and $format before it', async () => {
    const one = '/Shipments?$top=1&$select=Id'
    const minimal = await get(one)
    expect(minimal.headers.get('content-type')).toBe(
      'application/json;odata.metadata=minimal;odata.streaming=true;charset=utf-8',
    )
    const none = await get(`${one}&$count=true`, { accept: 'application/json;odata.metadata=none' })
    expect(Object.keys(none.body)).toEqual(['@odata.count', 'value'])
    const full = await get(one, { accept: 'application/json;odata.metadata=full' })
    expect(full.body.value[0]).toMatchObject({
      '@odata.type': '#Core.Shipment',
      '@odata.id': expect.stringContaining('Shipments('),
    })
    const format = await get(`${one}&$format=application/json;metadata=none`, { accept: 'application/xml' })
    expect(format.headers.get('content-type')).toContain('odata.metadata=none')
    expect((await get(one, { accept: 'text/html, */*;q=0.1' })).status).toBe(200)
  })

  test('what nobody can be given is 406', async () => {
    for (const accept of [
      'application/xml',
      'text/html',
      'application/json;odata.metadata=verbose',
      'application/json;q=0',
    ])
      expect([accept, (await get('/Shipments', { accept })).status]).toEqual([accept, 406])
    expect((await get('/Shipments?$format=atom')).status).toBe(406)
    expect((await get('/Shipments/$count', { accept: 'image/png' })).status).toBe(406)
    expect((await get('/$metadata', { accept: 'text/plain' })).status).toBe(406)
  })

  test('large numbers are strings where the caller says IEEE754Compatible', async () => {
    const { body, headers } = await get('/Documents?$count=true&$top=0', {
      accept: 'application/json;IEEE754Compatible=true',
    })
    expect(body['@odata.count']).toMatch(/^\d+$/)
    expect(headers.get('content-type')).toContain('IEEE754Compatible=true')
  })

  test('versions: 4.01 drops the prefix, older ones than 4.0 are refused', async () => {
    const { body, headers } = await get('/Shipments?$top=1&$count=true', { 'odata-maxversion': '4.01' })
    expect(headers.get('odata-version')).toBe('4.01')
    expect(Object.keys(body)).toEqual(['@context', '@count', 'value'])
    expect((await get('/Shipments?$top=1', { 'odata-maxversion': '4.0' })).headers.get('odata-version')).toBe(
      '4.0',
    )
    for (const version of ['3.0', '2', 'x', '4'])
      expect([version, (await get('/Shipments', { 'odata-maxversion': version })).status]).toEqual([
        version,
        400,
      ])
    expect((await get('/Shipments', { 'odata-version': '3.0' })).status).toBe(400)
  })

  test('null members are left out where the caller prefers it', async () => {
    const { body, headers } = await get(`/Shipments(${ids[0]})`, { prefer: 'omit-values=nulls' })
    expect(body).not.toHaveProperty('HoldReason')
    expect(body).toHaveProperty('ShipmentReference')
    expect(headers.get('preference-applied')).toBe('omit-values=nulls')
  })

  test('answers are for the caller alone', async () => {
    const { headers } = await get('/Shipments?$top=1')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')).toMatch(/Accept.*Prefer.*Authorization/i)
  })
})

describe('pages', () => {
  test('a smaller page is the caller’s to choose; each leads to the next, without loss under inserts', async () => {
    const prefer = { prefer: 'odata.maxpagesize=3' }
    const first = await get(
      `/Shipments?${ours}&$orderby=TotalPackages desc&$select=ShipmentReference&x=1`.replaceAll(' ', '%20'),
      prefer,
    )
    expect(first.headers.get('preference-applied')).toBe('odata.maxpagesize=3')
    expect(first.body.value.map(reference)).toEqual(['H-6', 'H-5', 'H-4'])
    await addShipments(app, [{ ShipmentReference: 'H-0', TotalPackages: 1000 }])
    const second = await follow(first, prefer)
    expect(second.body.value.map(reference)).toEqual(['H-3', 'H-2', 'H-1'])
    const last = await follow(second, prefer)
    expect(last.body.value.map(reference)).toEqual(['H-7'])
    expect(last.body).not.toHaveProperty('@odata.nextLink')
    const link = new URL(first.body['@odata.nextLink'])
    expect([...link.searchParams.keys()]).toEqual(['$filter', '$orderby', '$select', 'x', '$skiptoken'])
  })

  test('$top is a bound of the whole, $skip of the first page', async () => {
    const prefer = { prefer: 'maxpagesize=2' }
    const first = await get(
      `/Shipments?${ours}&$orderby=ShipmentReference&$skip=1&$top=3&$select=ShipmentReference`,
      prefer,
    )
    expect(first.headers.get('preference-applied')).toBe('maxpagesize=2')
    const second = await follow(first, prefer)
    expect([...first.body.value, ...second.body.value].map(reference)).toHaveLength(3)
    expect(second.body).not.toHaveProperty('@odata.nextLink')
    expect(new URL(first.body['@odata.nextLink']).searchParams.get('$top')).toBe('1')
    expect(new URL(first.body['@odata.nextLink']).searchParams.has('$skip')).toBe(false)
  })

  test('preferences that make no sense are ignored', async () => {
    for (const prefer of [
      'maxpagesize=0',
      'maxpagesize=-1',
      'maxpagesize=x',
      'maxpagesize',
      'respond-async',
      ';;,,="',
    ])
      expect((await get(`/Shipments?${ours}`, { prefer })).headers.has('preference-applied')).toBe(false)
  })

  test('a token is for one query, and nobody can make one', async () => {
    const first = await get(`/Shipments?${ours}`, { prefer: 'maxpagesize=1' })
    const token = new URL(first.body['@odata.nextLink']).searchParams.get('$skiptoken') ?? ''
    for (const query of [
      `$orderby=Status&${ours}&$skiptoken=${token}`,
      `$skiptoken=${token}`,
      `${ours}&$skiptoken=${token.slice(0, -2)}AA`,
      `${ours}&$skiptoken=${token}x`,
      `${ours}&$skiptoken=abc`,
      `${ours}&$skiptoken=%00`,
    ])
      expect([query, (await get(`/Shipments?${query}`)).status]).toEqual([query, 400])
    expect((await get(`/Ports?$skiptoken=${token}`)).status).toBe(400)
  })

  const reference = (row: { ShipmentReference: string }) => row.ShipmentReference
  async function follow({ body }: Answer, headers: Record<string, string>): Promise<Answer> {
    const link = String(body['@odata.nextLink'])
    expect(link.startsWith(root())).toBe(true)
    return get(`/${link.slice(root().length)}`, headers)
  }
})

describe('@core.facets', () => {
  test.each([
    ['Documents', ['Status', 'Source', 'DocumentType']],
    ['Orders', ['Status', 'Incoterm', 'TransportMode']],
    ['ShipmentAddresses', ['Role']],
    ['Organizations', ['CreditStatus']],
    ['Ports', ['Country']],
    ['ChargeCodes', ['ChargeGroup', 'DefaultBasis']],
    ['ExchangeRates', ['RateType']],
    ['EntityChanges', ['ChangeType']],
  ])('%s: enumerations and references to public lists are counted', async (set, fields) => {
    const { body } = await get(`/${set}?$top=0`, { prefer: 'odata.include-annotations="*"' })
    expect(body['@core.facets'].map(({ Field }: { Field: string }) => Field)).toEqual(fields)
  })

  test('values go by names and codes; codes of a list are told to those who may read it', async () => {
    const prefer = 'odata.include-annotations="*"'
    const { body } = await get("/Ports?$top=0&$filter=Country/Code%20in%20('DE','NL')", { prefer })
    const rows = await get('/Ports?$apply=groupby((CountryCode),aggregate($count%20as%20N))')
    const countOf = (code: string) =>
      rows.body.value.find(({ CountryCode }: { CountryCode: string }) => CountryCode === code)?.N
    const [{ Values }] = body['@core.facets']
    // Over all conditions but its own: every country is there, the most frequent first.
    expect(Values[0].Count).toBeGreaterThanOrEqual(Values.at(-1).Count)
    for (const code of ['DE', 'NL'])
      expect(Values).toContainEqual({ Value: code, Count: Number(countOf(code)) })
    const charges = await get('/ChargeCodes?$top=0', { prefer })
    expect(charges.body['@core.facets'][0].Values).toContainEqual({
      Value: 'Freight',
      Count: expect.any(Number),
    })
    const reader = await app.as({ permissions: [DocumentPermissions.View] })
    const documents = await reader.fetch('/odata/Documents?$top=0', { headers: { prefer } })
    const facets = ((await documents.json()) as { '@core.facets': { Field: string }[] })['@core.facets']
    expect(facets.map(({ Field }) => Field)).toEqual(['Status', 'Source'])
  })

  test('come where the caller prefers annotations, over everything that was found', async () => {
    const { body, headers } = await get(
      `/Shipments?$filter=startswith(ShipmentReference,'H-') and Status eq 'Booked'&$top=1`.replaceAll(
        ' ',
        '%20',
      ),
      {
        prefer: 'odata.include-annotations="*"',
      },
    )
    expect(headers.get('preference-applied')).toBe('odata.include-annotations="*"')
    const facets = body['@core.facets'] as { Field: string; Values: unknown }[]
    expect(facets.map(({ Field }) => Field)).toEqual([
      'TransportMode',
      'ContainerMode',
      'DeparturePort',
      'ArrivalPort',
      'Status',
      'Organization',
    ])
    // Each field counts over all conditions but its own.
    expect(facets.find(({ Field }) => Field === 'Status')?.Values).toContainEqual({
      Value: 'Booked',
      Count: 3,
    })
    expect(facets.find(({ Field }) => Field === 'Status')?.Values).toContainEqual(
      expect.objectContaining({ Value: 'Draft' }),
    )
    expect(Object.keys(body).indexOf('@core.facets')).toBeLessThan(Object.keys(body).indexOf('value'))
  })

  test('are left out where they are excluded, and of sets without them', async () => {
    for (const prefer of [
      'include-annotations="-*"',
      'include-annotations="*,-core.facets"',
      'include-annotations="display.*"',
      'x',
    ])
      expect((await get('/Shipments?$top=1', { prefer })).body).not.toHaveProperty('@core.facets')
    const countries = await get('/Countries?$top=1', { prefer: 'odata.include-annotations="*"' })
    expect(countries.body).not.toHaveProperty('@core.facets')
    expect(countries.headers.has('preference-applied')).toBe(false)
  })
})

describe('errors', () => {
  test('tell code, message, target, position and what was expected', async () => {
    const { status, body, headers } = await get('/Shipments?$filter=Status%20eq')
    expect(status).toBe(400)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('odata-version')).toBe('4.0')
    expect(body).toEqual({
      error: {
        code: '400',
        message:
          'The query specified in the URI is not valid. Syntax error at position 9: expected an expression, found the end.',
        target: '$filter',
        details: [
          { code: 'Position', message: '9' },
          { code: 'Expected', message: 'an expression' },
        ],
      },
    })
  })

  test('name what is unknown, as AspNetCoreOData does', async () => {
    for (const query of ['$filter=NoSuch eq 1', '$orderby=NoSuch', '$select=NoSuch', '$expand=NoSuch'])
      expect((await get(`/Shipments?${query.replaceAll(' ', '%20')}`)).body.error.message).toContain(
        "'NoSuch'",
      )
    expect((await get('/Shipments?$filter=NoSuch%20eq%201')).body.error.message).toContain(
      "Could not find a property named 'NoSuch' on type 'Core.Shipment'.",
    )
  })

  test('come for broken escapes, duplicates and unknown options', async () => {
    for (const query of [
      '$filter=%zz',
      '$filter=%',
      '%',
      '$top=1&top=1',
      '$unknown=1',
      '$filter=%00',
      '$top=-1',
      '$apply=x',
    ])
      expect([query, (await get(`/Shipments?${query}`)).status]).toEqual([query, 400])
    for (const path of ['/Shipments(%zz)', '/%', '/Shipments(%00)'])
      expect([path, (await get(path)).status]).toEqual([path, 400])
  })

  test('features of OData that are not done here are 501 and named', async () => {
    for (const [query, feature] of [
      ['$deltatoken=x', '$deltatoken'],
      ['$filter=geo.distance(Id,Id) lt 1', 'geo.distance'],
    ] as const) {
      const { status, body } = await get(`/Shipments?${query.replaceAll(' ', '%20')}`)
      expect([query, status]).toEqual([query, 501])
      expect(body.error.message).toContain(feature)
    }
    expect((await get('/$all')).status).toBe(501)
  })

  test('of the database are faults of the query', async () => {
    expect((await get('/Shipments?$filter=1%20div%200%20eq%201')).status).toBe(400)
    expect(
      (await get('/Shipments?$filter=TotalPackages%20div%20(TotalPackages%20sub%20TotalPackages)%20eq%201'))
        .status,
    ).toBe(400)
  })

  test('a URL may be as long as the host allows', async () => {
    const limited = await startApp(undefined, { 'OData:MaxUrlLength': '200' })
    try {
      const someone = await limited.as({ permissions: [ShipmentPermissions.View] })
      const response = await someone.fetch(`/odata/Shipments?x=${'a'.repeat(200)}`)
      expect(response.status).toBe(414)
    } finally {
      await limited.close()
    }
  })
})

describe('permissions', () => {
  test('each set asks for its own', async () => {
    const nobody = await app.as({})
    const reader = await app.as({ permissions: [ShipmentPermissions.View] })
    for (const set of [
      'Shipments',
      'Ports',
      'Users',
      'AuditLogs',
      'ApiKeys',
      'OpenIddictApplications',
      'Currencies',
    ]) {
      const response = await nobody.fetch(`/odata/${set}`)
      expect([set, response.status]).toEqual([set, 403])
      expect(((await response.json()) as Answer['body']).error.code).toBe('Volo.Authorization:010002')
    }
    expect((await reader.fetch('/odata/Shipments?$top=1')).status).toBe(200)
    expect((await reader.fetch('/odata/Shipments?$expand=Documents')).status).toBe(403)
    expect((await reader.fetch('/odata/Shipments?$expand=*&$top=1')).status).toBe(200)
    expect((await reader.fetch('/odata/Documents')).status).toBe(403)
  })

  test('rows are those of the caller', async () => {
    const outsider = await app.as({ permissions: [ShipmentPermissions.View] })
    const { body } = await send(outsider, 'GET', '/odata/Shipments?$count=true')
    expect(body['@odata.count']).toBe(0)
    expect((await outsider.fetch(`/odata/Shipments(${ids[0]})`)).status).toBe(404)
  })

  test('every set can be read by who may', async () => {
    const admin = await app.admin()
    const { body } = await send(admin, 'GET', '/odata')
    const sets = (body.value as { name: string }[]).map(({ name }) => name)
    expect(sets.length).toBeGreaterThanOrEqual(45)
    for (const set of sets) {
      const read = await send(admin, 'GET', `/odata/${set}?$count=true&$top=3&$expand=*($levels=1)`)
      expect([set, read.status, read.body.error?.message]).toEqual([set, 200, undefined])
    }
  })
})
