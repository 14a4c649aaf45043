import { AutoApiController, type Constructor, KeelModule, Module } from '@keel/framework'
import { type ClientOptions, ContractMismatchError, createClient } from '@keel/framework/client'
import {
  type AnyAppService,
  type AnyDto,
  AppService,
  Dto,
  EntityDto,
  enumeration,
  id as idParameter,
  op,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { AllowAnonymous } from '@keel/framework/security'
import { startTestHost, type TestHost } from '@keel/framework/testing'
import { createHubProxy } from '@keel/hub-proxy'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { testServer } from '../support/test-databases.js'

enum Mode {
  Air = 1,
  Sea = 2,
}
enum ModeWithRail {
  Air = 1,
  Sea = 2,
  Rail = 3,
}
enum ModeRenumbered {
  Air = 2,
  Sea = 1,
}

const id = '11111111-1111-4111-8111-111111111111'
const first = {
  title: z.string(),
  weight: z.number().nullish(),
  mode: enumeration('Mode', Mode),
  note: z.string().nullish(),
}

class ThingDto extends EntityDto(first) {}
class ThingInput extends Dto(first) {}
abstract class ThingAppService extends AppService(remoteService('Test', 'test'), 'ThingAppService', {
  get: op(idParameter).returns(ThingDto),
  create: op(ThingInput).returns(ThingDto),
}) {}

/** Another version of the contract, with these fields of things. */
function versionOf(shape: z.ZodRawShape, input = shape): AnyAppService {
  abstract class ThingAppService extends AppService(remoteService('Test', 'test'), 'ThingAppService', {
    get: op(idParameter).returns(EntityDto(shape) as AnyDto),
    create: op(Dto(input)).returns(EntityDto(shape) as AnyDto),
  }) {}
  return ThingAppService
}

const hosts: TestHost[] = []
afterAll(async () => {
  for (const host of hosts) await host.close()
})

const serves = AutoApiController as (contract: AnyAppService) => ClassDecorator

/** A host of a version of the contract, whose things are these. Says what it was sent. */
async function hostOf(contract: AnyAppService, thing: object) {
  const created: unknown[] = []
  @serves(contract)
  @AllowAnonymous()
  class ThingService {
    async get() {
      return { id, ...thing }
    }
    async create(input: object) {
      created.push(input)
      return { id, ...thing, ...input }
    }
  }
  @Module({ dependsOn: [HttpModule], services: [ThingService as Constructor] })
  class ThingHost extends KeelModule {}
  const host = await startTestHost(ThingHost, { server: testServer, templates: {} })
  hosts.push(host)
  return { url: host.url, created }
}

const asked: string[] = []
beforeEach(() => {
  asked.length = 0
})
const options = (baseUrl: string, more: Partial<ClientOptions> = {}): ClientOptions => ({
  baseUrl,
  retry: false,
  fetch: (url, init) => {
    asked.push(`${init?.method} ${new URL(String(url)).pathname}`)
    return fetch(url, init)
  },
  ...more,
})
const plain = { title: 'Lamp', mode: Mode.Air }
const describes = 'GET /api/abp/contract'
const reads = `GET /api/test/thing/${id}`

test('a host with the same contract is asked nothing besides', async () => {
  const { url } = await hostOf(versionOf({ ...first }), plain)
  const things = createClient(ThingAppService, options(url))
  expect(await things.get(id)).toMatchObject(plain)
  await things.create(plain)
  expect(asked).toEqual([reads, 'POST /api/test/thing'])
})

test('additions are silent, and cost one request', async () => {
  const later = { ...first, mode: enumeration('Mode', ModeWithRail), colour: z.string().nullish() }
  const { url, created } = await hostOf(versionOf(later), {
    ...plain,
    mode: ModeWithRail.Rail,
    colour: 'red',
  })
  const things = createClient(ThingAppService, options(url))
  // The member that this program does not know stays visible as its number.
  expect(await things.get(id)).toMatchObject({ title: 'Lamp', mode: 3 })
  await Promise.all([things.get(id), things.create(plain), things.create(plain)])
  expect(asked.filter((one) => one === describes)).toEqual([describes])
  expect(created.length).toBe(2)
})

test('a renamed field is refused before a wrong value is used, with remote, operation and field', async () => {
  const { title, ...others } = first
  const { url, created } = await hostOf(versionOf({ ...others, name: title.nullish() }), {
    mode: 1,
    name: 'Lamp',
  })
  const things = createClient(ThingAppService, options(url))
  const read = things.get(id)
  await expect(read).rejects.toBeInstanceOf(ContractMismatchError)
  await expect(read).rejects.toMatchObject({
    name: 'ContractMismatchError',
    remote: 'Test',
    operation: 'ThingAppService.get',
    field: 'result.title',
    wasSent: true,
    message: 'Test has another contract of ThingAppService.get than this program: result.title is gone.',
  })
  await expect(things.create(plain)).rejects.toMatchObject({ field: 'input.title', wasSent: true })
  // From now on it is known, and nothing is sent.
  await expect(things.create(plain)).rejects.toMatchObject({ field: 'input.title', wasSent: false })
  expect(created.length).toBe(1)
  expect(asked.filter((one) => one === describes)).toEqual([describes])
  const unchecked = createClient(ThingAppService, options(url, { checksContracts: false }))
  expect((await unchecked.get(id)).title).toBeUndefined()
})

test('a refused input says so when the reason is the contract', async () => {
  const { url } = await hostOf(versionOf({ ...first, owner: z.string() }), { ...plain, owner: 'Ann' })
  const things = createClient(ThingAppService, options(url))
  await expect(things.create(plain)).rejects.toMatchObject({
    name: 'ContractMismatchError',
    field: 'input.owner',
  })
  expect((await things.get(id)).title).toBe('Lamp')
  // A fault of the input alone stays one.
  await expect(things.create({ ...plain, owner: 'Ann', title: 7 } as never)).rejects.toMatchObject({
    name: 'ValidationError',
  })
})

test('a field that the host no longer takes matters to calls that send it', async () => {
  const { note: _, ...others } = first
  const { url } = await hostOf(versionOf(first, others), plain)
  const things = createClient(ThingAppService, options(url))
  expect((await things.create(plain)).title).toBe('Lamp')
  await expect(things.create({ ...plain, note: 'fragile' })).rejects.toMatchObject({ field: 'input.note' })
})

test('changed types and numbers of members are refused', async () => {
  const weighed = await hostOf(versionOf({ ...first, weight: z.string().nullish() }), {
    ...plain,
    weight: '2 kg',
  })
  await expect(createClient(ThingAppService, options(weighed.url)).get(id)).rejects.toMatchObject({
    field: 'result.weight',
    differences: [{ what: 'number → text' }],
  })
  const renumbered = await hostOf(versionOf({ ...first, mode: enumeration('Mode', ModeRenumbered) }), plain)
  await expect(createClient(ThingAppService, options(renumbered.url)).get(id)).rejects.toMatchObject({
    field: 'result.mode',
    differences: [{ what: 'Air = 1 → 2' }],
  })
})

test('a host that does not describe its contracts is called as ever', async () => {
  const { url } = await hostOf(versionOf({ ...first, colour: z.string().nullish() }), plain)
  const hiding: typeof fetch = (address, init) =>
    String(address).includes('/api/abp/contract')
      ? Promise.resolve(new Response(null, { status: 404 }))
      : fetch(address, init)
  expect((await createClient(ThingAppService, options(url, { fetch: hiding })).get(id)).title).toBe('Lamp')
})

test('rows of another type than the DTO says, and members that a set lacks, name the field', async () => {
  const csdl = {
    $EntityContainer: 'Keel.Container',
    Keel: {
      Container: { Ports: { $Collection: true, $Type: 'Keel.Port' } },
      Port: { $Kind: 'EntityType', Id: {}, Name: {}, IsSeaport: {} },
    },
  }
  let row: object = { Name: 'Hamburg', IsSeaport: 'yes' }
  let status = 200
  const hub = createHubProxy({
    baseUrl: 'http://hub.test',
    fetch: async (url) => {
      const isMetadata = String(url).endsWith('$metadata')
      const refused = { error: { code: '400', message: 'No.' } }
      return Response.json(isMetadata ? csdl : status === 200 ? { value: [row] } : refused, {
        status: isMetadata ? 200 : status,
      })
    },
  })
  const query = () => hub.ports.query((q) => q.select('name', 'isSeaport', 'latitude'))
  await expect(query()).rejects.toMatchObject({
    name: 'ContractMismatchError',
    remote: 'Hub',
    operation: 'Ports',
    field: 'isSeaport',
  })
  row = { Name: 'Hamburg', IsSeaport: true, Latitude: '53.5' }
  expect((await query()).items).toEqual([{ name: 'Hamburg', isSeaport: true, latitude: 53.5 }])
  status = 400
  await expect(query()).rejects.toMatchObject({
    field: 'latitude',
    message: expect.stringMatching(/latitude is gone/),
  })
  await expect(hub.ports.query((q) => q.select('name'))).rejects.toMatchObject({
    status: 400,
    name: 'RemoteServiceError',
  })
})
