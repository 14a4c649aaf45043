import * as core from '@keel/core/contracts'
import { servicesIn } from '@keel/framework/contracts'
import { HttpHost } from '@keel/framework/http'
import * as hub from '@keel/hub/contracts'
import { ShipmentPermissions } from '@keel/hub/contracts'
import * as pricing from '@keel/pricing/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { send } from '../support/wire.js'

const address = '/api/abp/api-definition'
const browserOrigin = 'http://localhost:4200'

interface Typed {
  readonly type: string
  readonly typeSimple: string
}
interface Parameter extends Typed {
  readonly nameOnMethod: string
  readonly name: string
  readonly jsonName: string | null
  readonly bindingSourceId: string
  readonly descriptorName: string
}
interface Action {
  readonly uniqueName: string
  readonly name: string
  readonly httpMethod: string
  readonly url: string
  readonly parametersOnMethod: readonly ({ readonly name: string; readonly isOptional: boolean } & Typed)[]
  readonly parameters: readonly Parameter[]
  readonly returnValue: Typed
  readonly authorizeDatas: readonly { readonly policy: string | null }[]
}
interface Controller {
  readonly controllerName: string
  readonly isIntegrationService: boolean
  readonly type: string
  readonly actions: Readonly<Record<string, Action>>
}
interface TypeModel {
  readonly isEnum: boolean
  readonly enumNames: readonly string[] | null
  readonly enumValues: readonly number[] | null
  readonly genericArguments: readonly string[] | null
  readonly properties: readonly ({ readonly name: string } & Typed)[] | null
}
interface Definition {
  readonly modules: Readonly<
    Record<
      string,
      {
        readonly rootPath: string
        readonly remoteServiceName: string
        readonly controllers: Readonly<Record<string, Controller>>
      }
    >
  >
  readonly types: Readonly<Record<string, TypeModel>>
}

let app: App
let definition: Definition
let controllers: readonly Controller[]
let actions: readonly Action[]

beforeAll(async () => {
  app = await startApp(undefined, { 'App:CorsOrigins': browserOrigin })
  definition = (await send(app.host, 'GET', `${address}?includeTypes=true`)).body
  controllers = Object.values(definition.modules).flatMap((module) => Object.values(module.controllers))
  actions = controllers.flatMap((controller) => Object.values(controller.actions))
})
afterAll(() => app?.close())

const shipments = (): Controller =>
  definition.modules.hub?.controllers['Keel.Hub.Shipments.ShipmentController'] as Controller
const action = (name: string): Action => shipments().actions[name] as Action
const property = (type: string, name: string) =>
  definition.types[type]?.properties?.find((one) => one.name === name)

/** The names in a type without the marks for lists, maps, null and arguments: `[A.B<C>]` → `A.B<T0>`, `C`. */
function namesIn(type: string): string[] {
  return type
    .replace(/[[\]{}?]/g, '')
    .split(':')
    .flatMap((part) => {
      const [, generic, argument] = /^([^<]+)<(.+)>$/.exec(part) ?? []
      return generic && argument ? [`${generic}<T0>`, ...namesIn(argument)] : [part]
    })
}

describe('the API definition', () => {
  test('is served to everybody, with types when they are asked for', async () => {
    const asked = [
      '',
      '?includeTypes=false',
      '?includeTypes=true',
      '?IncludeTypes=True&includeDescriptions=true',
    ]
    const counts = []
    for (const query of asked) {
      const { status, body } = await send(app.host, 'GET', address + query)
      counts.push([status, Object.keys(body.types).length > 0, Object.keys(body.modules).length > 0])
    }
    expect(counts).toEqual([
      [200, false, true],
      [200, false, true],
      [200, true, true],
      [200, true, true],
    ])
  })

  test('is not sent again to whoever has it', async () => {
    const first = await app.host.fetch(`${address}?includeTypes=true`)
    const tag = first.headers.get('etag') ?? ''
    const [again, other] = await Promise.all(
      ['true', 'false'].map((types) =>
        app.host.fetch(`${address}?includeTypes=${types}`, { headers: { 'if-none-match': tag } }),
      ),
    )
    expect([first.status, again?.status, await again?.text(), other?.status]).toEqual([200, 304, '', 200])
  })

  test.for(['includeTypes=perhaps', 'includeTypes=%zz'])('refuses ?%s', async (query) => {
    const { status, body } = await send(app.host, 'GET', `${address}?${query}`)
    expect({ status, faults: body.error.validationErrors.length }).toEqual({ status: 400, faults: 1 })
  })

  test('answers at its own address and for reading only', async () => {
    const [below, written] = [
      await send(app.host, 'GET', `${address}/more`),
      await send(app.host, 'POST', address, {}),
    ]
    expect([below.status, written.status]).toEqual([404, 404])
  })

  test('has the modules of the host with their remote services', () => {
    const names = Object.entries(definition.modules).map(([key, one]) => [key, one.remoteServiceName])
    expect(Object.fromEntries(names)).toMatchObject({ app: 'Default', hub: 'Hub', pricing: 'Pricing' })
  })

  // `proxy-add --module settingManagement`: the names are the areas of ABP's controllers, whatever their routes begin with.
  test('names the modules and remote services that are ABP’s as ABP does', () => {
    const names = Object.entries(definition.modules).map(([key, { rootPath, remoteServiceName }]) => [
      key,
      [rootPath, remoteServiceName],
    ])
    expect(Object.fromEntries(names)).toMatchObject({
      abp: ['abp', 'abp'],
      account: ['account', 'AbpAccount'],
      accountAdmin: ['accountAdmin', 'AbpAccountAdmin'],
      auditLogging: ['auditLogging', 'AbpAuditLogging'],
      featureManagement: ['featureManagement', 'AbpFeatureManagement'],
      identity: ['identity', 'AbpIdentity'],
      'multi-tenancy': ['multi-tenancy', 'AbpTenantManagement'],
      permissionManagement: ['permissionManagement', 'AbpPermissionManagement'],
      saas: ['saas', 'SaasHost'],
      settingManagement: ['settingManagement', 'SettingManagement'],
    })
  })

  test('has every operation at its route', () => {
    const contracts = [core, hub, pricing].flatMap(servicesIn).map(({ contract }) => contract)
    const routes = contracts.flatMap(({ operations }) =>
      [...operations.values()].map(({ route }) => `${route.verb} ${route.path}`),
    )
    const defined = actions.map(({ httpMethod, url }) => `${httpMethod} /${url}`)
    expect(defined).toEqual(expect.arrayContaining(routes))
  })

  test('files controllers and actions under their own names', () => {
    const misfiled = Object.values(definition.modules).flatMap((module) =>
      Object.entries(module.controllers).filter(
        ([key, { type, isIntegrationService, actions: own }]) =>
          key !== type ||
          isIntegrationService !== false ||
          Object.entries(own).some(([name, { uniqueName }]) => name !== uniqueName),
      ),
    )
    expect(misfiled).toEqual([])
  })

  test('calls actions as ABP does', () => {
    const names = Object.keys(shipments().actions)
    expect(names).toEqual([...names].sort())
    const expected = [
      'BookAsyncByIdAndInput',
      'CreateAsyncByInput',
      'DeleteAsyncById',
      'GetAsyncById',
      'GetListAsCsvFileAsyncByInput',
      'GetListAsExcelFileAsyncByInput',
      'GetListAsyncByInput',
      'GetNewDocumentsAsyncByInput',
      'GetUpcomingShipmentsAsyncByInput',
      'UpdateAsyncByIdAndInput',
    ]
    expect(names).toEqual(expect.arrayContaining(expected))
  })

  test('tells of a write where its parameters travel', () => {
    expect(action('UpdateAsyncByIdAndInput')).toMatchObject({
      name: 'UpdateAsync',
      httpMethod: 'PUT',
      url: 'api/hub/shipment/{id}',
      parametersOnMethod: [
        { name: 'id', type: 'System.Guid', typeSimple: 'string', isOptional: false },
        { name: 'input', type: 'Keel.Hub.Shipments.UpdateShipmentDto', isOptional: false },
      ],
      parameters: [
        { nameOnMethod: 'id', name: 'id', type: 'System.Guid', bindingSourceId: 'Path', descriptorName: '' },
        {
          nameOnMethod: 'input',
          name: 'input',
          type: 'Keel.Hub.Shipments.UpdateShipmentDto',
          bindingSourceId: 'Body',
          descriptorName: '',
        },
      ],
      returnValue: { type: 'Keel.Hub.Shipments.ShipmentDto', typeSimple: 'Keel.Hub.Shipments.ShipmentDto' },
      allowAnonymous: null,
      authorizeDatas: [{ policy: ShipmentPermissions.Edit, roles: null }],
    })
  })

  test('tells the members of a query one by one', () => {
    const { parameters } = action('GetListAsyncByInput')
    expect(
      parameters.map(({ nameOnMethod, descriptorName, bindingSourceId, name, type }) => [
        nameOnMethod,
        descriptorName,
        bindingSourceId,
        name,
        type,
      ]),
    ).toEqual(
      [
        ['SkipCount', 'System.Int64'],
        ['MaxResultCount', 'System.Int32'],
        ['Sorting', 'System.String'],
        ['Filter', 'System.String'],
        ['IncludeFacets', 'System.Boolean'],
        [
          'Filters',
          'System.Collections.Generic.Dictionary<System.String,System.Collections.Generic.List<System.String>>',
        ],
      ].map(([name, type]) => ['input', 'input', 'ModelBinding', name, type]),
    )
  })

  test('tells the results: nothing, a page of ABP’s, a page of ours', () => {
    const results = ['DeleteAsyncById', 'GetNewDocumentsAsyncByInput', 'GetListAsyncByInput'].map(
      (name) => action(name).returnValue.typeSimple,
    )
    expect(results).toEqual([
      'System.Void',
      'Volo.Abp.Application.Dtos.PagedResultDto<Keel.Hub.Documents.NewDocumentDto>',
      'Keel.Application.PagedResultWithFilters.PagedResultWithFiltersDto<Keel.Hub.Shipments.ShipmentDto>',
    ])
  })

  test('has every type that something is of', () => {
    const used = [
      ...actions.flatMap(({ parameters, parametersOnMethod, returnValue }) => [
        ...parameters,
        ...parametersOnMethod,
        returnValue,
      ]),
      ...Object.values(definition.types).flatMap(({ properties }) => properties ?? []),
    ]
    const missing = used
      .flatMap(({ type }) => namesIn(type))
      .filter((name) => !name.startsWith('System.') && name !== 'T' && !(name in definition.types))
    expect({ some: used.length > 100, missing }).toEqual({ some: true, missing: [] })
  })

  test('has a namespace for each type that modules share, for the generator writes one file for a namespace', () => {
    const namespaces = Object.keys(definition.types)
      .filter((name) => name.startsWith('Keel.Application.'))
      .map((name) => name.split('.').slice(0, -1).join('.'))
    expect({ some: namespaces.length > 3, apart: new Set(namespaces).size }).toEqual({
      some: true,
      apart: namespaces.length,
    })
  })

  test('names the members of enumerations with their values', () => {
    expect(definition.types['Keel.Hub.Shipments.ShipmentStatus']).toMatchObject({
      baseType: 'System.Enum',
      isEnum: true,
      enumNames: expect.arrayContaining(['Draft', 'Cancelled']),
      enumValues: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      properties: null,
    })
  })

  test('defines generics by placeholders', () => {
    expect(definition.types['Volo.Abp.Application.Dtos.PagedResultDto<T0>']).toMatchObject({
      isEnum: false,
      genericArguments: ['T'],
      properties: [
        { name: 'TotalCount', type: 'System.Int64', typeSimple: 'number', isRequired: true },
        { name: 'Items', type: '[T]', typeSimple: '[T]', isRequired: true },
      ],
    })
  })

  test('tells what members are of, may be and must be', () => {
    const dto = 'Keel.Hub.Shipments.ShipmentDto'
    const input = 'Keel.Hub.Shipments.CreateShipmentDto'
    expect([
      property(dto, 'Id'),
      property(dto, 'Direction'),
      property(dto, 'Addresses'),
      property(input, 'ShipmentReference'),
      property(input, 'TotalPackages'),
    ]).toMatchObject([
      { type: 'System.Guid', typeSimple: 'string', isRequired: true, isNullable: false, regex: null },
      { type: 'Keel.Hub.Direction?', typeSimple: 'enum?', isRequired: false, isNullable: true },
      { type: '[Keel.Hub.Shipments.ShipmentAddressDto]', isRequired: false, isNullable: true },
      { type: 'System.String', isRequired: true, isNullable: false, minLength: 1, maxLength: 100 },
      { type: 'System.Int32?', typeSimple: 'number?', minimum: '0', maximum: '2147483647' },
    ])
  })

  test('may be asked for from a browser', async () => {
    const response = await app.host.fetch(address, { headers: { origin: browserOrigin } })
    expect(response.headers.get('access-control-allow-origin')).toBe(browserOrigin)
  })

  test('is the same at every host of the same modules', async () => {
    const other = await startApp()
    const { body } = await send(other.host, 'GET', `${address}?includeTypes=true`)
    await other.close()
    expect({ body, apart: other.host.get(HttpHost) !== app.host.get(HttpHost) }).toEqual({
      body: definition,
      apart: true,
    })
  })
})
