import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { CoreModule } from '@keel/core'
import { ShipmentAppService as LegacyShipmentAppService } from '@keel/core/contracts'
import { AutoApiController, KeelModule, Module } from '@keel/framework'
import { createClient } from '@keel/framework/client'
import { AppService, crud, remoteService, servicesIn } from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { Authenticated, SecurityModule } from '@keel/framework/security'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { HubModule } from '@keel/hub'
import * as hubContracts from '@keel/hub/contracts'
import {
  CreateShipmentDto,
  DocumentPermissions,
  HubErrors,
  OrganizationPermissions,
  ShipmentAppService,
  ShipmentDto,
  ShipmentListInput,
  ShipmentPage,
  ShipmentPermissions,
  UpdateShipmentDto,
} from '@keel/hub/contracts'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { hasCopies, sameBuild } from '../support/copies.js'
import { comparedWithDocument } from '../support/documented-traffic.js'
import { addOrganization, addShipments, containerId, modeId, portId } from '../support/hub-rows.js'
import { testServer } from '../support/test-databases.js'
import { type Answer, faultyMembers, type Sender, send } from '../support/wire.js'

/** The host that Hub runs on. */
@Module({ dependsOn: [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule, HubModule] })
class HubHost extends KeelModule {}

/** Passes every operation on to Hub, wherever that runs. */
abstract class RelayAppService extends AppService(
  remoteService('Relay', 'relay'),
  'RelayAppService',
  crud(ShipmentDto, CreateShipmentDto, UpdateShipmentDto, ShipmentListInput, ShipmentPage),
) {}

@AutoApiController(RelayAppService)
@Authenticated()
class RelayService implements RelayAppService {
  constructor(private readonly shipments: ShipmentAppService) {}

  get(id: string): Promise<ShipmentDto> {
    return this.shipments.get(id)
  }
  getList(input: ShipmentListInput): Promise<ShipmentPage> {
    return this.shipments.getList(input)
  }
  create(input: CreateShipmentDto): Promise<ShipmentDto> {
    return this.shipments.create(input)
  }
  update(id: string, input: UpdateShipmentDto): Promise<ShipmentDto> {
    return this.shipments.update(id, input)
  }
  delete(id: string): Promise<void> {
    return this.shipments.delete(id)
  }
}

/** The host without Hub: its contracts are among the remotes instead. */
@Module({
  dependsOn: [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule, CoreModule],
  services: [RelayService],
  remotes: servicesIn(hubContracts),
})
class CoreHost extends KeelModule {}

const hubPath = '/api/hub/shipment'
const relayPath = '/api/relay/relay'
const legacyPath = '/api/app/shipment'
const nowhere = '00000000-0000-4000-8000-000000000001'
const { View, Create, Edit, Delete, ViewGoodsValue } = ShipmentPermissions

let hub: App
let core: TestHost
let staff: AppCaller

beforeAll(async () => {
  hub = await startApp(HubHost)
  core = await startCore({ 'RemoteServices:Hub:BaseUrl': hub.host.url })
  const permissions = [
    View,
    Create,
    Edit,
    Delete,
    ViewGoodsValue,
    DocumentPermissions.View,
    OrganizationPermissions.AccessAll,
  ]
  staff = await hub.as({ permissions })
  const [acme, globex] = [await addOrganization(hub, 'ACME'), await addOrganization(hub, 'GLOBEX')]
  await addShipments(
    hub,
    Array.from({ length: 30 }, (_, index) => ({
      ShipmentReference: `R-${index}`,
      EstimatedDeparture: new Date(Date.UTC(2026, 11, 1, 10, 0, 0, index)),
      FirstConsolLegDeparturePortId: index % 2 ? portId('NLRTM') : null,
      TransportModeId: modeId(index % 3 ? 'Sea' : 'Air'),
      ContainerModeId: index % 3 ? containerId('FCL') : null,
      TotalGrossWeight: index / 7,
      GoodsValue: `${index}234567890123456.${index % 10}0`.slice(-18),
      GoodsCurrencyCode: 'EUR',
      CargoDescription: 'Tulips “from” Amsterdam',
      parties: [{ role: 4, organizationId: index % 5 ? acme : globex }],
    })),
  )
})
afterAll(async () => {
  await core?.close()
  await hub?.close()
})

/** Starts a host without Hub on the users, grants and tokens of the host with it. */
async function startCore(settings: Record<string, string>): Promise<TestHost> {
  const shared = {
    ...(hasCopies && sameBuild),
    'AuthServer:Authority': hub.host.issuer.address,
    'ConnectionStrings:Default': hub.host.databaseUrl('Default'),
  }
  const options = { server: testServer, templates: {}, settings: { ...shared, ...settings } }
  return comparedWithDocument(await startTestHost(CoreHost, options), {
    root: CoreHost,
    settings: options.settings,
  })
}

/** Somebody who calls the host without Hub. */
const through = ({ token }: { token: string }, host = core): Sender => ({
  fetch: (path, init = {}) =>
    host.fetch(path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
})

/** Waits until the host without Hub knows the rights of a new reader of shipments: behind a pooler it hears of them late. */
const heardOf = (reader: AppCaller) =>
  expect
    .poll(() => send(through(reader), 'GET', `${legacyPath}?MaxResultCount=1`).then(({ status }) => status), {
      timeout: 10_000,
    })
    .toBe(200)

describe('a list of shipments that another host has', () => {
  test.for([
    '',
    'MaxResultCount=1000',
    'IncludeFacets=true&Filters[TransportMode]=Sea&Filters.Organization=ACME&Filters.Organization=GLOBEX',
    'Sorting=shipmentReference%20DESC&SkipCount=5&MaxResultCount=3',
    'Filters.Status=Booked',
    'SkipCount=1000',
  ])('is the same to the letter (%s)', async (query) => {
    const here = await send(through(staff), 'GET', `${legacyPath}?${query}`)
    const there = await send(staff, 'GET', `${hubPath}?${query}`)
    expect({ status: here.status, text: here.text }).toEqual({ status: 200, text: there.text })
  })

  test('arrives with its types where it is called by contract', async () => {
    const legacy = createClient(LegacyShipmentAppService, {
      baseUrl: core.url,
      accessToken: () => staff.token,
    })
    const page = await legacy.getList({ maxResultCount: 5, filters: { TransportMode: ['air'] } })
    expect(page).toEqual(
      await staff
        .service(ShipmentAppService)
        .getList({ maxResultCount: 5, filters: { TransportMode: ['air'] } }),
    )
    expect(page.items[0]?.estimatedDeparture).toBeInstanceOf(Date)
  })

  test('shows a customer what their own token lets them see there', async () => {
    const customer = await hub.as({ permissions: [View], organizations: ['GLOBEX'] })
    await heardOf(customer)
    const { body } = await send(through(customer), 'GET', `${legacyPath}?IncludeFacets=true`)
    expect({ total: body.totalCount, organizations: body.facets.at(-1).values }).toEqual({
      total: 6,
      organizations: [{ value: 'GLOBEX', count: 6 }],
    })
  })

  test('is refused without credentials', async () => {
    const { status, headers } = await send(core, 'GET', legacyPath)
    expect({ status, challenge: headers.get('www-authenticate') }).toEqual({
      status: 401,
      challenge: 'Bearer',
    })
  })

  test('is refused to a caller without the permission', async () => {
    const answer = await send(through(await hub.as({})), 'GET', legacyPath)
    expect({ status: answer.status, data: answer.body.error.data }).toEqual({
      status: 403,
      data: { PolicyName: 'Shipment.View' },
    })
  })
})

describe('a call that is passed on to another host', () => {
  const shipment = {
    shipmentReference: 'R-passed',
    estimatedDeparture: '2026-12-24T18:30:00.5+01:00',
    totalGrossWeight: 0.1,
    goodsValue: '9999999999999999.99',
    goodsCurrencyCode: 'EUR',
    addresses: [{ role: 2, companyName: 'Company' }],
  }

  test('creates, changes and deletes there in the name of the caller', async () => {
    const created = await send(through(staff), 'POST', relayPath, shipment)
    expect(created).toMatchObject({
      status: 200,
      body: { creatorId: staff.userId, estimatedDeparture: '2026-12-24T17:30:00.5Z' },
    })
    const path = `/${created.body.id}`
    const changed = await send(through(staff), 'PUT', relayPath + path, {
      goodsValue: null,
      goodsCurrencyCode: null,
      totalPackages: 2,
    })
    expect(changed.body).toMatchObject({ goodsValue: null, totalPackages: 2, totalGrossWeight: 0.1 })
    const deleted = await send(through(staff), 'DELETE', relayPath + path)
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' })
    expect((await send(staff, 'GET', hubPath + path)).status).toBe(404)
  })

  test('loses no digit of a decimal', async () => {
    const { text } = await send(through(staff), 'POST', relayPath, {
      ...shipment,
      shipmentReference: 'R-digits',
    })
    expect(text).toContain('"goodsValue":9999999999999999.99')
  })

  const errors: readonly (readonly [
    name: string,
    status: number,
    method: string,
    path: string,
    body?: unknown,
  ])[] = [
    ['of a thing that is not there', 404, 'GET', `/${nowhere}`],
    ['of a rule of the domain', 403, 'POST', '', { shipmentReference: 'R-1' }],
    [
      'of an invalid input that only the other side knows',
      400,
      'POST',
      '',
      { shipmentReference: 'R-x', transportModeId: nowhere },
    ],
    ['of an unknown filter', 400, 'GET', '?Filters.Colour=green'],
    ['of an unknown order', 400, 'GET', '?Sorting=colour'],
    ['of a limit that both sides know', 400, 'POST', '', { totalPackages: -1 }],
  ]

  test.for(errors)('comes back with the error %s', async ([, status, method, path, body]) => {
    const [here, there] = await Promise.all([
      send(through(staff), method, relayPath + path, body),
      send(staff, method, hubPath + path, body),
    ])
    const told = ({ body, headers }: Answer) => ({ body, format: headers.get('_AbpErrorFormat') })
    expect({ status: here.status, told: told(here) }).toEqual({ status, told: told(there) })
  })

  test('comes back with 409 for what somebody else changed', async () => {
    const { body } = await send(staff, 'POST', hubPath, { shipmentReference: 'R-stamp' })
    const change = { totalPackages: 1, concurrencyStamp: 'old' }
    const answer = await send(through(staff), 'PUT', `${relayPath}/${body.id}`, change)
    expect({ status: answer.status, format: answer.headers.get('_AbpErrorFormat') }).toEqual({
      status: 409,
      format: 'true',
    })
  })

  test('comes back with 403 for a permission that the other side misses, and names it', async () => {
    const reader = await hub.as({ permissions: [View, ViewGoodsValue] })
    await heardOf(reader)
    const answer = await send(through(reader), 'POST', relayPath, shipment)
    expect({ status: answer.status, error: answer.body.error }).toMatchObject({
      status: 403,
      error: { code: 'Volo.Authorization:010002', data: { PolicyName: 'Shipment.Create' } },
    })
  })

  test('comes back with faults that name the members', async () => {
    const answer = await send(through(staff), 'POST', relayPath, {
      ...shipment,
      shipmentReference: 'R-y',
      incotermId: nowhere,
    })
    expect(faultyMembers(answer)).toEqual(['incotermId'])
  })

  test('throws at a caller by contract the class and code of the error', async () => {
    const relay = createClient(RelayAppService, { baseUrl: core.url, accessToken: () => staff.token })
    await expect(relay.create({ shipmentReference: 'R-1' })).rejects.toMatchObject({
      name: 'BusinessError',
      code: HubErrors.ShipmentReferenceAlreadyExists,
      message: 'There is already a shipment with the reference R-1.',
    })
  })
})

describe('the address of another host', () => {
  test('is that of the default service when it has none of its own', async () => {
    const other = await startCore({ 'RemoteServices:Default:BaseUrl': `${hub.host.url}/` })
    const { status } = await send(through(staff, other), 'GET', legacyPath)
    await other.close()
    expect(status).toBe(200)
  })

  test('where nobody answers makes the call 503 with a time to retry', async () => {
    const other = await startCore({ 'RemoteServices:Hub:BaseUrl': 'http://127.0.0.1:9' })
    const { status, headers } = await send(through(staff, other), 'GET', legacyPath)
    await other.close()
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '5' })
  })

  test('where something else answers makes the call 503', async () => {
    const stranger = http.createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<h1>Welcome</h1>')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { port } = stranger.address() as AddressInfo
    const other = await startCore({ 'RemoteServices:Hub:BaseUrl': `http://127.0.0.1:${port}` })
    const { status } = await send(through(staff, other), 'GET', legacyPath)
    await other.close()
    stranger.closeAllConnections()
    stranger.close()
    expect(status).toBe(503)
  })

  /** Starts a host whose remote service is what answers here, and runs work with it. */
  const withRemote = async (answer: http.RequestListener, work: (other: TestHost) => Promise<void>) => {
    const stranger = http.createServer(answer)
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { port } = stranger.address() as AddressInfo
    const other = await startCore({ 'RemoteServices:Hub:BaseUrl': `http://127.0.0.1:${port}` })
    try {
      await work(other)
    } finally {
      await other.close()
      stranger.closeAllConnections()
      stranger.close()
    }
  }

  test('that sends elsewhere makes the call 503, and nothing of it goes there', async () => {
    const seen: unknown[] = []
    const redirecting: http.RequestListener = (request, response) => {
      if (request.url?.startsWith('/elsewhere')) seen.push(request.headers)
      response.writeHead(307, { location: `http://localhost:${request.socket.localPort}/elsewhere` }).end()
    }
    await withRemote(redirecting, async (other) => {
      const { status } = await send(through(staff, other), 'POST', relayPath, {
        shipmentReference: 'R-secret',
      })
      expect([status, seen]).toEqual([503, []])
    })
  })

  test.each([200, 400])(
    'that never stops answering %i makes the call 503 or an error, and is read no further',
    async (status) => {
      let sent = 0
      const piece = Buffer.alloc(1024 * 1024, ' ')
      const endless: http.RequestListener = (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        const more = () => {
          if (response.destroyed) return
          sent++
          if (response.write(piece)) setImmediate(more)
          else response.once('drain', more)
        }
        more()
      }
      await withRemote(endless, async (other) => {
        const answer = await send(through(staff, other), 'GET', `${relayPath}/${nowhere}`)
        expect(answer.status).toBe(status === 200 ? 503 : 500)
        expect(sent).toBeLessThan(200)
      })
    },
  )

  test('must be set, or the host does not start and says what to set', async () => {
    await expect(startCore({})).rejects.toThrow('RemoteServices:Hub:BaseUrl')
  })
})
