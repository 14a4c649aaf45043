import { HubErrors, PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { Admin } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { detailedErrors } from '../support/copies.js'

const shipments = '/api/hub/shipment'
const nowhere = '00000000-0000-4000-8000-000000000000'

let app: App
let caller: AppCaller

beforeAll(async () => {
  app = await startApp(undefined, { 'App:SendExceptionDetails': 'false' })
  caller = await app.as({ roles: [Admin] })
})
afterAll(() => app?.close())

interface Told {
  readonly status: number
  readonly headers: Headers
  readonly error: Record<string, unknown>
}

async function ask(
  path: string,
  init: RequestInit & { language?: string; by?: AppCaller } = {},
): Promise<Told> {
  const { language = 'de', by = caller, ...rest } = init
  const headers = { 'accept-language': language, 'content-type': 'application/json', ...rest.headers }
  const response = await by.fetch(path, { ...rest, headers })
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return { status: response.status, headers: response.headers, error }
}

const post = (body: unknown, language?: string): Promise<Told> =>
  ask(shipments, { method: 'POST', body: JSON.stringify(body), ...(language && { language }) })

describe('the culture of a request', () => {
  test.each([
    ['its default', '', {}, 'en'],
    ['Accept-Language', '', { 'accept-language': 'de-AT, en;q=0.5' }, 'de'],
    ['Accept-Language by script', '', { 'accept-language': 'zh-CN' }, 'zh-Hans'],
    ['a cookie', '', { cookie: '.AspNetCore.Culture=c%3Dtr%7Cuic%3Dtr', 'accept-language': 'de' }, 'tr'],
    ['the query', '?culture=fr', { cookie: '.AspNetCore.Culture=c=tr|uic=tr' }, 'fr'],
    ['the query for texts', '?culture=fr&ui-culture=es', {}, 'es'],
    ['what is offered', '?culture=ja', { 'accept-language': 'ja, de;q=0.1' }, 'de'],
  ])('comes from %s', async (_where, query, headers, culture) => {
    const response = await app.host.fetch(`/nothing${query}`, { headers: headers as Record<string, string> })
    expect(response.headers.get('content-language')).toBe(culture)
  })

  test('is kept in a cookie when the query asks for it', async () => {
    const { headers } = await app.host.fetch('/nothing?culture=fr-CA')
    expect(headers.get('set-cookie')).toMatch(
      /^\.AspNetCore\.Culture=c%3Dfr%7Cuic%3Dfr; Path=\/; Max-Age=\d+; SameSite=Lax$/,
    )
    expect((await app.host.fetch('/nothing?culture=xx')).headers.get('set-cookie')).toBeNull()
  })

  test('is the host’s own for who asks for none', async () => {
    const german = await startApp(undefined, { 'App:DefaultCulture': 'de' })
    try {
      const response = await german.host.fetch('/nothing')
      expect([response.headers.get('content-language'), await response.json()]).toMatchObject([
        'de',
        { error: { message: 'Unter GET /nothing antwortet nichts.' } },
      ])
    } finally {
      await german.close()
    }
  })
})

describe('errors are told in the language of the caller', () => {
  test('who is not known', async () => {
    const response = await app.host.fetch(shipments, { headers: { 'accept-language': 'fr' } })
    expect([response.status, response.headers.get('www-authenticate'), await response.json()]).toMatchObject([
      401,
      'Bearer',
      { error: { message: 'Vous devez être authentifié pour accéder à cette ressource.' } },
    ])
  })

  test.each([
    ['de', 'Nothings', 404, "Es gibt keine Entitätsmenge 'Nothings'."],
    [
      'fr',
      'Ports?$filter=Nope eq 1',
      400,
      "La requête indiquée dans l’URL n’est pas valide. Le type 'Core.Port' n’a pas de propriété 'Nope'.",
    ],
    ['zh-CN', 'Ports?$top=x', 400, "URL 中的查询无效。$top 的值 'x' 无效。$top 需要非负整数。"],
    [
      'tr',
      'Ports(00000000-0000-4000-8000-000000000000)',
      404,
      "'Ports' içinde böyle bir varlık yok veya görmenize izin yok.",
    ],
    ['en', 'Nothings', 404, "There is no entity set 'Nothings'."],
  ])('what OData refuses, in %s: %s', async (language, path, status, message) => {
    expect(await ask(`/odata/${path}`, { language })).toMatchObject({ status, error: { message } })
  })

  test('who may not', async () => {
    const reader = await app.as({ permissions: [PortPermissions.View] })
    expect(await ask(shipments, { by: reader, language: 'es' })).toMatchObject({
      status: 403,
      error: {
        code: 'Volo.Authorization:010002',
        message: `No puede hacer esto: se necesita el permiso ${ShipmentPermissions.View}.`,
      },
    })
  })

  test('what is not there', async () => {
    expect(await ask(`${shipments}/${nowhere}`, { language: 'zh-CN' })).toMatchObject({
      status: 404,
      error: { message: `不存在 id = ${nowhere} 的实体 货运！` },
    })
  })

  test('what a rule of the domain refuses, with its data', async () => {
    const shipment = { shipmentReference: 'Ü-1' }
    await post(shipment)
    expect(await post(shipment, 'tr')).toMatchObject({
      status: 403,
      error: {
        code: HubErrors.ShipmentReferenceAlreadyExists,
        message: 'Ü-1 referanslı bir gönderi zaten var.',
        data: { shipmentReference: 'Ü-1' },
      },
    })
  })

  test('what is out of date', async () => {
    const response = await caller.fetch(shipments, {
      method: 'POST',
      body: JSON.stringify({ shipmentReference: 'Ü-2' }),
      headers: { 'content-type': 'application/json' },
    })
    const { id } = (await response.json()) as { id: string }
    const body = JSON.stringify({ shipmentReference: 'Ü-2', concurrencyStamp: 'other' })
    expect(await ask(`${shipments}/${id}`, { method: 'PUT', body })).toMatchObject({
      status: 409,
      error: { message: expect.stringMatching(/^Die Daten wurden inzwischen/) },
    })
  })

  test('what breaks the contract: zod’s checks, our scalars’, those of the domain and of the wire', async () => {
    const body = { cargoDescription: 'x'.repeat(501), estimatedDeparture: 'x', goodsValue: '0.001' }
    expect((await post(body)).error).toEqual({
      code: null,
      message: 'Ihre Anfrage ist ungültig!',
      details: expect.stringMatching(/^Bei der Prüfung wurden folgende Fehler festgestellt\.\n - /),
      data: null,
      validationErrors: expect.arrayContaining([
        { message: 'shipmentReference: ein Wert ist erforderlich', members: ['shipmentReference'] },
        {
          message: 'cargoDescription: der Text darf höchstens 500 Zeichen haben',
          members: ['cargoDescription'],
        },
        {
          message: expect.stringMatching(/^estimatedDeparture: der Wert muss Datum und Uhrzeit sein/),
          members: ['estimatedDeparture'],
        },
        { message: 'goodsValue: die Zahl darf höchstens 2 Nachkommastellen haben', members: ['goodsValue'] },
      ]),
    })
    const path = `${shipments}/upcoming-shipments?startDate=2026-02-01&endDate=2026-01-01`
    expect((await ask(path)).error.validationErrors).toEqual([
      { message: 'endDate: es liegt vor startDate', members: ['endDate'] },
    ])
    expect((await ask(`${shipments}?sorting=x`)).error.validationErrors).toEqual([
      {
        message: expect.stringMatching(/^sorting: Nach einem Feld „x“ kann nicht sortiert werden\./),
        members: ['sorting'],
      },
    ])
    expect((await ask(shipments, { method: 'POST', body: '{' })).error.validationErrors).toEqual([
      { message: expect.stringMatching(/^Der Inhalt ist kein gültiges JSON: /), members: [] },
    ])
  })
})

describe('application/problem+json', () => {
  test('tells an error to who asks for it', async () => {
    const response = await app.host.fetch('/nothing?x=1', {
      headers: { accept: 'application/problem+json', 'x-correlation-id': 'mine', 'accept-language': 'de' },
    })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'Unter GET /nothing antwortet nichts.',
      instance: '/nothing',
      traceId: 'mine',
      code: null,
      details: null,
      data: null,
      validationErrors: null,
    })
  })

  test('is not what Angular gets', async () => {
    const headers = { accept: 'application/json, text/plain, */*' }
    const response = await app.host.fetch('/nothing', { headers })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})

test.each(['shipment', 'port', 'code-entity', 'organization'])(
  'each column of the file of the list of %s is headed by a text, in every language',
  async (list) => {
    const { localization } = app.host.application
    for (const culture of localization.cultures) {
      const headers = { 'accept-language': culture }
      const file = await (await caller.fetch(`/api/hub/${list}/as-csv-file`, { headers })).text()
      const texts = localization.resources(culture).flatMap((resource) => Object.entries(resource.texts))
      const labels = new Set(texts.flatMap(([key, text]) => (key.startsWith('DisplayName:') ? [text] : [])))
      const [heads = ''] = file.replace(/^\uFEFF/, '').split('\r\n')
      const columns = heads.split(/[;,]/).map((head) => head.replace(/^"|"$/g, ''))
      expect(columns.length).toBeGreaterThan(3)
      expect([culture, columns.filter((column) => !labels.has(column))]).toEqual([culture, []])
    }
  },
)

describe('with details, which is the default', () => {
  let verbose: App
  beforeAll(async () => {
    verbose = await startApp(undefined, detailedErrors)
  })
  afterAll(() => verbose?.close())

  test.each([
    ['a route that is not there', '/nothing', 404, 'RouteNotFoundError'],
    ['who is not known', shipments, 401, 'UnauthenticatedError'],
  ])('the stack of %s is told', async (_what, path, status, name) => {
    const response = await verbose.host.fetch(path)
    const { error } = (await response.json()) as { error: { details: string } }
    expect([response.status, error.details]).toEqual([
      status,
      expect.stringMatching(new RegExp(`^${name}: .+\\n(DATA: .+\\n)?STACK TRACE:\\n\\s+at `)),
    ])
  })

  test('the refusal of the database behind an error is told with its statement, without its values', async () => {
    const by = await verbose.as({ roles: [Admin] })
    const body = JSON.stringify({ shipmentReference: 'Twice' })
    await by.fetch(shipments, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const { error } = await ask(shipments, { method: 'POST', body, by })
    expect(error.details).toMatch(/^BusinessError: .+\nDATA: {.*"Twice".*}\nSTACK TRACE:\n/)
    expect(error.details).toContain('Caused by')
    const details = String(error.details)
    const refusal = details.slice(details.indexOf('the database refused'))
    expect(refusal).toMatch(
      /^the database refused a statement \(23505\): duplicate key value violates unique constraint "\w+"\nTABLE: HubShipments\nCONSTRAINT: \w+\nSTATEMENT: insert into "HubShipments" .+\$1/,
    )
    expect(refusal).not.toMatch(/Twice|postgres:\/\/\w/i)
  })
})
