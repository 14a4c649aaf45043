import { ContractTexts } from '@keel/framework'
import { AddressRole } from '@keel/hub/contracts'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import {
  addDocuments,
  addOrder,
  addOrganization,
  codeId,
  containerId,
  modeId,
  portId,
} from '../support/hub-rows.js'
import { SchemaChecks } from '../support/json-schema.js'
import {
  type DocumentedOperation,
  type OpenApiDocument,
  openApiOf,
  operationsOf,
  type Schema,
} from '../support/open-api.js'
import { type Answer, type Sender, send } from '../support/wire.js'

const nowhere = '00000000-0000-4000-8000-000000000001'

let app: App
let document: OpenApiDocument
let operations: readonly DocumentedOperation[]

beforeAll(async () => {
  app = await startApp()
  document = await openApiOf(app.host)
  operations = operationsOf(document)
})
afterAll(() => app.close())

/** Every value of a member, anywhere in a document. */
function everywhere(value: unknown, member: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === member ? [inner] : []),
    ...everywhere(inner, member),
  ])
}

/** The routes of all contracts that the host answers. */
function routes() {
  return app.host.application.localServices.flatMap(({ contract }) =>
    [...contract.contract.operations.values()].map(({ route }) => ({
      ...route,
      name: `${route.verb} ${route.path}`,
    })),
  )
}

/** What a `$ref` points at. */
function resolve(reference: string): unknown {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], document)
}

describe('the OpenAPI document', () => {
  test('is served to everybody as JSON', async () => {
    const { status, headers } = await send(app.host, 'GET', '/swagger/v1/swagger.json')
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
    })
  })

  test('is of OpenAPI 3.1, with title and version', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.stringMatching(/./), version: expect.stringMatching(/^v?\d/) },
    })
  })

  test('is the same at every request', async () => {
    expect(await openApiOf(app.host)).toEqual(document)
  })

  test('has every operation of every contract', () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(
      routes()
        .map(({ name }) => name)
        .sort(),
    )
  })

  test('has the shipment table of the interface document', () => {
    const names = operations.map(({ name }) => name)
    const table = ['GET ', 'POST '].map((verb) => `${verb}/api/hub/shipment`)
    const ofOne = ['GET', 'PUT', 'DELETE'].map((verb) => `${verb} /api/hub/shipment/{id}`)
    const lists = ['upcoming-shipments', 'new-documents'].map((list) => `GET /api/hub/shipment/${list}`)
    expect(names).toEqual(expect.arrayContaining([...table, ...ofOne, ...lists, 'GET /api/app/shipment']))
  })

  test('calls every operation by a name of its own', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index || !/^\w+$/.test(id))).toEqual([])
  })

  test('refers only to what it has', () => {
    const references = everywhere(document, '$ref') as string[]
    expect({
      some: references.length > 100,
      broken: references.filter((one) => resolve(one) === undefined),
    }).toEqual({
      some: true,
      broken: [],
    })
  })

  test('has no schema that nothing refers to', () => {
    const references = new Set(everywhere(document, '$ref'))
    const names = Object.keys(document.components.schemas)
    expect(names.filter((name) => !references.has(`#/components/schemas/${name}`))).toEqual([])
  })

  test('declares the parameters that its paths name, as required', () => {
    const undeclared = operations.flatMap(({ name, path, parameters = [] }) => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '')
      const declared = parameters.filter((one) => one.in === 'path' && one.required).map((one) => one.name)
      return named.sort().join() === declared.sort().join() ? [] : [name]
    })
    expect(undeclared).toEqual([])
  })

  test('declares every parameter once, with a schema', () => {
    const faulty = operations.filter(({ parameters = [] }) => {
      const keys = parameters.map((one) => `${one.in} ${one.name.toLowerCase()}`)
      const places = parameters.every(
        (one) =>
          (['path', 'query'].includes(one.in) || one.name === 'Idempotency-Key') &&
          Object.keys(one.schema).length > 0,
      )
      return !places || new Set(keys).size < keys.length
    })
    expect(faulty.map(({ name }) => name)).toEqual([])
  })

  test('has a body where the contract has one, and nowhere else', () => {
    const withBody = operations.filter(({ requestBody }) => requestBody).map(({ name }) => name)
    const taking = routes().filter(({ sources }) => sources.includes('body') || sources.includes('form'))
    expect(withBody.sort()).toEqual(taking.map(({ name }) => name).sort())
  })

  test('tells for every operation what it answers, well and badly', () => {
    const silent = operations.filter(({ parameters, requestBody, responses, security }) => {
      const good = '204' in responses ? '204' : '200'
      const faulty = parameters || requestBody ? ['400'] : []
      const refusals = security.length ? ['401', '403'] : []
      return ![good, ...faulty, ...refusals, '500'].every((status) => status in responses)
    })
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  test('files every operation under a tag that it declares', () => {
    const tags = new Set(document.tags.map(({ name }) => name))
    expect(operations.filter((one) => one.tags.length !== 1 || !tags.has(one.tags[0] ?? ''))).toEqual([])
  })

  test('declares the ways to sign in that its operations name', () => {
    const named = new Set(operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))))
    expect([...named].sort()).toEqual(Object.keys(document.components.securitySchemes).sort())
  })

  test('tells the limits of CreateShipmentDto', () => {
    const { properties, required } = document.components.schemas['Hub.CreateShipmentDto'] as {
      properties: Record<string, unknown>
      required: string[]
    }
    expect({ required, properties }).toMatchObject({
      required: ['shipmentReference'],
      properties: {
        shipmentReference: { type: 'string', minLength: 1, maxLength: 100 },
        cargoDescription: { anyOf: [{ type: 'string', maxLength: 500 }, { type: 'null' }] },
        totalPackages: { anyOf: [{ type: 'integer', minimum: 0, maximum: 2147483647 }, { type: 'null' }] },
        totalGrossWeight: { anyOf: [{ type: 'number', minimum: 0, maximum: 1e30 }, { type: 'null' }] },
        estimatedDeparture: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
        transportModeId: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
      },
    })
  })

  test('shows the paged request with facets as the interface document names it, and the text that is searched', () => {
    const list = operations.find(({ name }) => name === 'GET /api/hub/shipment')
    expect(list?.parameters?.map(({ name }) => name)).toEqual([
      'SkipCount',
      'MaxResultCount',
      'Sorting',
      'Filter',
      'IncludeFacets',
      'Filters',
    ])
  })
})

describe('the texts of the OpenAPI document', () => {
  test('are there for every service and operation', () => {
    const { application } = app.host
    const texts = ContractTexts.of(application)
    const silent = application.localServices.flatMap((local) => {
      const { name, operations: own } = local.contract.contract
      return [
        ...(texts.ofService(local)?.summary ? [] : [name]),
        ...[...own.keys()]
          .filter((one) => !texts.ofOperation(local, one)?.summary)
          .map((one) => `${name}.${one}`),
      ]
    })
    expect(silent).toEqual([])
  })

  test('are the TSDoc of the contracts', () => {
    const upcoming = document.paths['/api/hub/shipment/upcoming-shipments']?.get
    const moveAll = document.paths['/api/identity/roles/{id}/move-all-users']?.put
    expect([
      upcoming?.summary,
      upcoming?.parameters?.find(({ name }) => name === 'StartDate')?.description,
      moveAll?.parameters?.map(({ name, description }) => [name, description]),
      document.components.schemas['Hub.PortDto'],
    ]).toMatchObject([
      'Lists shipments that are about to depart, in pages',
      'The current UTC date when not given.',
      [
        ['id', 'The id of the role.'],
        ['roleId', 'The role that they get; none when not given.'],
      ],
      {
        description: 'A place of UN/LOCODE: sea port, airport or both.',
        properties: { latitude: { description: 'Degrees north.' } },
      },
    ])
  })

  test('name the thing in operations that every list has', () => {
    const of = (path: string, verb: string) => document.paths[path]?.[verb]?.summary
    expect([
      of('/api/hub/code-entity', 'get'),
      of('/api/hub/code-entity/{id}', 'get'),
      of('/api/hub/organization', 'post'),
    ]).toEqual([
      'Lists the code entities that the caller may see, in pages',
      'Gets a code entity by its id',
      'Creates an organization',
    ])
  })

  test('group the tags by module, with names for people', () => {
    const { tags, 'x-tagGroups': groups } = document
    const shipments = tags.filter((tag) => tag['x-displayName'] === 'Shipments').map(({ name }) => name)
    expect(shipments).toEqual(['Core / Shipments', 'Hub / Shipments'])
    const ofHub = groups.find(({ name }) => name === 'Hub')?.tags ?? []
    expect(ofHub).toEqual([...ofHub].sort())
    const expected = [
      'Hub / Code entities',
      'Hub / Documents',
      'Hub / Organization members',
      'Hub / Organizations',
      'Hub / Ports',
      'Hub / Settings',
      'Hub / Shipment status histories',
      'Hub / Shipments',
    ]
    expect(ofHub).toEqual(expect.arrayContaining(expected))
    expect(groups.flatMap((group) => group.tags)).toEqual(tags.map(({ name }) => name))
  })

  test('leave operation ids as they were', () => {
    const ids = new Set(operations.map(({ operationId }) => operationId))
    expect(
      [
        'Hub_Shipment_getUpcomingShipments',
        'AbpIdentity_IdentityUser_getList',
        'Default_Shipment_getList',
      ].filter((id) => !ids.has(id)),
    ).toEqual([])
  })

  test('have examples that match their schemas', () => {
    const checks = new SchemaChecks(document.components.schemas)
    const given = withExamples(document, '')
    const wrong = given.flatMap(({ where, schema }) =>
      (schema.examples as unknown[]).flatMap((value) => checks.mismatches(value, schema, where)),
    )
    expect([given.length > 20, wrong]).toEqual([true, []])
  })

  /** Every schema with examples of its own. */
  function withExamples(value: unknown, where: string): { where: string; schema: Schema }[] {
    if (typeof value !== 'object' || value === null) return []
    const schema = value as Schema
    const here = Array.isArray(schema.examples) ? [{ where, schema }] : []
    return [
      ...here,
      ...Object.entries(value).flatMap(([key, inner]) =>
        key === 'examples' ? [] : withExamples(inner, `${where}/${key}`),
      ),
    ]
  }
})

describe('the errors in the OpenAPI document', () => {
  test('are told as ABP’s envelope or, for who asks for it, as a problem of RFC 9457', () => {
    const kinds = operations.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([, { $ref = '' }]) => Object.keys((resolve($ref) as { content: object }).content).join()),
    )
    expect([...new Set(kinds)]).toEqual(['application/json,application/problem+json'])
  })

  test('are answered so', async () => {
    const problem = await app.host.fetch(`/api/hub/shipment/${nowhere}`, {
      headers: { accept: 'application/problem+json' },
    })
    const checks = new SchemaChecks(document.components.schemas)
    const schema = { $ref: '#/components/schemas/ProblemDetails' }
    expect([problem.status, checks.mismatches(await problem.json(), schema)]).toEqual([401, []])
  })
})

describe('the examples of the OpenAPI document', () => {
  interface Example {
    readonly where: string
    readonly schema: Schema
    readonly value: unknown
  }

  /** Every schema with an example beside it: of parameters, bodies, answers and headers. */
  function examples(value: unknown, where = ''): Example[] {
    if (typeof value !== 'object' || value === null) return []
    const { schema, example } = value as { schema?: Schema; example?: unknown }
    const here = schema && example !== undefined ? [{ where, schema, value: example }] : []
    return [...here, ...Object.entries(value).flatMap(([key, inner]) => examples(inner, `${where}/${key}`))]
  }

  test('are given for every body of JSON or text, whether asked, answered or refused', () => {
    const media = operations.flatMap(({ name, requestBody, responses }) =>
      [{ content: requestBody?.content }, ...Object.values(responses)].flatMap((one) => {
        const { content = {} } = '$ref' in one ? (resolve(one.$ref ?? '') as typeof one) : one
        // Of a file there is none.
        return Object.entries(content)
          .filter(([type, { schema }]) => /json$/.test(type) && schema.format !== 'binary')
          .map(([type, { example }]) => [`${name} ${type}`, example] as const)
      }),
    )
    expect([media.length > 100, media.filter(([, example]) => example === undefined)]).toEqual([true, []])
  })

  test('match their schemas', () => {
    const checks = new SchemaChecks(document.components.schemas)
    const wrong = examples(document).flatMap(({ where, schema, value }) =>
      checks.mismatches(value, schema, where),
    )
    expect(wrong).toEqual([])
  })

  test('are those that a contract gives, where it does', () => {
    const { paths } = document
    const { example } =
      paths['/api/pricing/exchange-rate']?.post?.requestBody?.content['application/json'] ?? {}
    expect(example).toMatchObject({
      fromCurrencyCode: 'EUR',
      toCurrencyCode: 'USD',
      rate: 1.0875,
      source: 'ECB',
    })
  })

  test('of requests keep the contracts', () => {
    const bodies = app.host.application.localServices.flatMap(({ contract }) =>
      [...contract.contract.operations.values()].flatMap(({ parameters, route }) =>
        parameters
          .filter((_, index) => route.sources[index] === 'body')
          .map(({ schema }) => ({ schema, path: route.path, verb: route.verb.toLowerCase() })),
      ),
    )
    const refused = bodies.flatMap(({ schema, path, verb }) => {
      const example = document.paths[path]?.[verb]?.requestBody?.content['application/json']?.example
      const { error } = schema.safeParse(example)
      return error ? [`${verb} ${path}: ${error.message}`] : []
    })
    expect([bodies.length > 10, refused]).toEqual([true, []])
  })
})

describe('what is answered matches the document:', () => {
  let owner: AppCaller
  let shipmentId: string

  beforeAll(async () => {
    owner = await app.as({ roles: [SuperUser] })
    const [buyer, supplier] = [await addOrganization(app, 'BUYER'), await addOrganization(app, 'SUPPLIER')]
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const created = await call('POST', '/api/hub/shipment', {
      shipmentReference: 'O-everything',
      estimatedDeparture: day(3),
      estimatedArrival: day(30),
      cargoReadyDate: '2026-11-01T10:00:00.123Z',
      firstConsolLegDeparturePortId: portId('NLRTM'),
      lastConsolLegArrivalPortId: portId('USLAX'),
      transportModeId: modeId('Sea'),
      containerModeId: containerId('FCL'),
      incotermId: codeId('Incoterm', 'FOB'),
      cargoDescription: 'Everything',
      totalPackages: 1,
      totalGrossWeight: 1e21,
      totalVolume: 1e-7,
      goodsValue: '1234.5',
      goodsCurrencyCode: 'EUR',
      addresses: [
        { role: AddressRole.Consignee, organizationId: buyer, email: 'buyer@example.com', countryCode: 'US' },
        { role: AddressRole.ControllingCustomer, organizationId: supplier },
      ],
    })
    shipmentId = created.body.id
    const orderId = await addOrder(app, {
      ShipmentId: shipmentId,
      BuyerId: buyer,
      SupplierId: supplier,
      TotalAmount: 12.34,
    })
    await addDocuments(app, [
      { ShipmentId: shipmentId, OrderId: orderId, ExpiryDate: '2027-01-01', FileSize: 104857600 },
    ])
    await call('POST', '/api/hub/shipment', { shipmentReference: 'O-nothing' })
  })

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(owner, method, path, body)

  /** What in an answer is not as the document says of that operation and status. */
  function faultsOf(method: string, path: string, { status, body }: Answer): string[] {
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {}
    const given = responses[status] as { $ref?: string } | undefined
    if (!given) return [`${method} ${path} says nothing of ${status}`]
    const response = (given.$ref ? resolve(given.$ref) : given) as DocumentedOperation['responses'][string]
    const schema = response.content?.['application/json']?.schema
    if (!schema) return body === undefined ? [] : ['there is a body']
    return new SchemaChecks(document.components.schemas).mismatches(body, schema)
  }

  test.for([
    '/api/hub/shipment',
    '/api/hub/shipment/upcoming-shipments',
    '/api/hub/shipment/new-documents',
    '/api/app/shipment',
    '/api/hub/port',
    '/api/hub/code-entity',
    '/api/hub/organization',
    '/api/hub/organization-member',
    '/api/hub/document',
    '/api/pricing/currency',
    '/api/pricing/charge-code',
    '/api/pricing/exchange-rate',
  ])('the list %s', async (path) => {
    const answer = await call(
      'GET',
      `${path}?MaxResultCount=1000${path.endsWith('shipment') ? '&IncludeFacets=true' : ''}`,
    )
    expect({ status: answer.status, faults: faultsOf('GET', path, answer) }).toEqual({
      status: 200,
      faults: [],
    })
  })

  test.for([
    ['/api/abp/application-configuration', ''],
    ['/api/abp/application-localization', '?CultureName=en'],
  ] as const)('what clients start with, %s', async ([path, query]) => {
    const answer = await call('GET', path + query)
    const again = await owner.fetch(path + query, {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    })
    const unchanged = { ...answer, status: again.status, body: undefined }
    expect([answer, unchanged].map((one) => [one.status, ...faultsOf('GET', path, one)])).toEqual([
      [200],
      [304],
    ])
  })

  test('a shipment with everything', async () => {
    const answer = await call('GET', `/api/hub/shipment/${shipmentId}`)
    const { addresses, orders, documents } = answer.body
    expect([addresses.length, orders.length, documents.length]).toEqual([2, 1, 1])
    expect(faultsOf('GET', '/api/hub/shipment/{id}', answer)).toEqual([])
  })

  test('a change', async () => {
    const answer = await call('PUT', `/api/hub/shipment/${shipmentId}`, { totalPackages: 2 })
    expect({ status: answer.status, faults: faultsOf('PUT', '/api/hub/shipment/{id}', answer) }).toEqual({
      status: 200,
      faults: [],
    })
  })

  test('a creation', async () => {
    const rate = {
      fromCurrencyCode: 'EUR',
      toCurrencyCode: 'JPY',
      rateDate: '2026-11-20',
      rate: 163.1,
      source: 'ECB',
    }
    const answer = await call('POST', '/api/pricing/exchange-rate', rate)
    expect({ status: answer.status, faults: faultsOf('POST', '/api/pricing/exchange-rate', answer) }).toEqual(
      {
        status: 200,
        faults: [],
      },
    )
  })

  test('a deletion', async () => {
    const { body } = await call('POST', '/api/hub/shipment', { shipmentReference: 'O-gone' })
    const answer = await call('DELETE', `/api/hub/shipment/${body.id}`)
    expect({ status: answer.status, faults: faultsOf('DELETE', '/api/hub/shipment/{id}', answer) }).toEqual({
      status: 204,
      faults: [],
    })
  })

  const path = '/api/hub/shipment/{id}'
  const failures: readonly (readonly [number, () => Promise<Sender>, string, string, unknown])[] = [
    [400, async () => owner, 'PUT', '', { totalPackages: -1 }],
    [401, async () => app.host, 'GET', '', undefined],
    [403, () => app.as({}), 'GET', '', undefined],
    [403, async () => owner, 'PUT', '', { shipmentReference: 'O-nothing' }],
    [404, async () => owner, 'DELETE', nowhere, undefined],
    [409, async () => owner, 'PUT', '', { totalPackages: 3, concurrencyStamp: 'old' }],
    [413, async () => owner, 'PUT', '', 'x'.repeat(2_000_000)],
  ]

  test.for(failures)('a failure with %i', async ([status, who, method, id, body]) => {
    const answer = await send(await who(), method, `/api/hub/shipment/${id || shipmentId}`, body)
    expect({ status: answer.status, faults: faultsOf(method, path, answer) }).toEqual({ status, faults: [] })
  })

  test('the checker finds what does not match', async () => {
    const { body } = await call('GET', `/api/hub/shipment/${shipmentId}`)
    const { id, ...others } = body
    const wrong = {
      ...others,
      status: 'Draft',
      creationTime: 'today',
      transportMode: { ...body.transportMode, code: 7 },
      colour: 1,
    }
    const faults = new SchemaChecks(document.components.schemas).mismatches(wrong, {
      $ref: '#/components/schemas/Hub.ShipmentDto',
    })
    expect(faults.map((fault) => fault.split(/[: ]/)[0]).sort()).toEqual(
      [
        '$.colour',
        '$.creationTime',
        '$.id',
        '$.status',
        '$.status',
        '$.transportMode',
        '$.transportMode.code',
      ].sort(),
    )
  })
})
