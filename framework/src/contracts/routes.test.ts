import { expect, test } from 'vitest'
import { AppService } from './app-service.js'
import { Dto } from './dto.js'
import { z } from './index.js'
import { id, type Operation, op, param } from './operation.js'
import { remoteService } from './remote-service.js'
import { kebab, routeOf, verbOf } from './routes.js'
import { guid } from './scalars.js'

class Input extends Dto({ name: z.string() }) {}
const Hub = remoteService('Hub', 'hub')
/** Verb, path and where each parameter travels. */
const routed = (method: string, operation: object, service = 'PortAppService'): string => {
  const { verb, path, sources } = routeOf(Hub, service, method, operation as Operation)
  return [verb, path, ...sources].join(' ')
}

test.each([
  ['get', 'GET'],
  ['getList', 'GET'],
  ['getAllActive', 'GET'],
  ['create', 'POST'],
  ['addRole', 'POST'],
  ['insert', 'POST'],
  ['postNews', 'POST'],
  ['update', 'PUT'],
  ['putBack', 'PUT'],
  ['delete', 'DELETE'],
  ['removeMember', 'DELETE'],
  ['patch', 'PATCH'],
  ['check', 'POST'],
  // A prefix ends where the next word begins.
  ['getaway', 'POST'],
  ['address', 'POST'],
  ['deleted', 'POST'],
])('%s is a %s', (method, verb) => {
  expect(verbOf(method)).toBe(verb)
})

test.each([
  ['PhoneBook', 'phone-book'],
  ['URLParser', 'u-rLParser'],
  ['SMSCode', 's-mSCode'],
  ['IsABTest', 'is-aBTest'],
  ['Book2Author', 'book2Author'],
  ['Port', 'port'],
  ['', ''],
])('%s becomes the segment %s, as ABP writes it', (name, segment) => {
  expect(kebab(name)).toBe(segment)
})

test.each([
  ['get', op(id), 'GET /api/hub/port/{id} path'],
  ['getList', op(Input), 'GET /api/hub/port query'],
  ['getAll', op(), 'GET /api/hub/port'],
  ['getListByCountry', op(Input), 'GET /api/hub/port/by-country query'],
  ['getAllowed', op(), 'GET /api/hub/port/allowed'],
  ['getUpcomingShipments', op(Input), 'GET /api/hub/port/upcoming-shipments query'],
  ['getEditors', op(id), 'GET /api/hub/port/{id}/editors path'],
  ['getAsync', op(id), 'GET /api/hub/port/{id} path'],
  ['getNamesAsync', op(), 'GET /api/hub/port/names'],
  ['create', op(Input), 'POST /api/hub/port body'],
  ['createEditor', op(id, Input), 'POST /api/hub/port/{id}/editor path body'],
  ['update', op(id, Input), 'PUT /api/hub/port/{id} path body'],
  ['delete', op(id), 'DELETE /api/hub/port/{id} path'],
  ['deleteMany', op(Input), 'DELETE /api/hub/port/many query'],
  ['removeMember', op(id), 'DELETE /api/hub/port/{id}/member path'],
  ['patchName', op(id, Input), 'PATCH /api/hub/port/{id}/name path body'],
  ['merge', op(Input), 'POST /api/hub/port/merge body'],
  ['import', op(param('codes', z.array(z.string()))), 'POST /api/hub/port/import body'],
  ['getByCodes', op(param('codes', z.array(z.string()))), 'GET /api/hub/port/by-codes query'],
])('%s of a port service answers at its conventional route', (method, operation, route) => {
  expect(routed(method, operation)).toBe(route)
})

test('the first GUID is a path segment whatever its name', () => {
  expect(routed('getMembers', op(param('portId', guid())))).toBe('GET /api/hub/port/{portId}/members path')
})

test('two simple GUIDs both travel in the query', () => {
  const move = op(param('fromId', guid()), param('toId', guid()))
  expect(routed('move', move)).toBe('POST /api/hub/port/move query query')
})

test('an optional GUID and a text beside it keep their places', () => {
  const find = op(param('id', guid().optional()), param('text', z.string()))
  expect(routed('getFound', find)).toBe('GET /api/hub/port/{id}/found path query')
})

test('an explicit verb overrides the prefix, of which only its own is stripped', () => {
  expect(routed('getFoo', op(Input).at('POST'))).toBe('POST /api/hub/port/get-foo body')
})

test('an explicit path stands below the route of the service, its named parameters in the path', () => {
  const operation = op(param('code', z.string()), Input).at('PUT', 'by-code/{code}')
  expect(routed('update', operation)).toBe('PUT /api/hub/port/by-code/{code} path body')
})

test('an explicit path with a leading slash is the whole route, its named parameters in the path', () => {
  const operation = op(param('name', z.string())).at('GET', '/api/abp/multi-tenancy/tenants/by-name/{name}')
  expect(routed('findTenantByName', operation)).toBe('GET /api/abp/multi-tenancy/tenants/by-name/{name} path')
})

test('an empty explicit path is the route of the service', () => {
  expect(routed('getStatus', op().at('GET', ''))).toBe('GET /api/hub/port')
})

test.each([
  ['CodeEntityAppService', 'GET /api/hub/code-entity/{id} path'],
  ['PhoneBookApplicationService', 'GET /api/hub/phone-book/{id} path'],
  ['PhoneBookService', 'GET /api/hub/phone-book/{id} path'],
])('%s gives its name without the suffix to the route', (service, route) => {
  expect(routed('get', op(id), service)).toBe(route)
})

test('a contract is described once, under the name of its class', () => {
  abstract class PortAppService extends AppService(Hub, 'PortAppService', {
    get: op(id),
    getList: op(Input),
  }) {}
  const { contract } = PortAppService
  expect(PortAppService.contract).toBe(contract)
  expect(
    [...contract.operations.values()].map(({ name, route }) => [contract.name, name, route.path]),
  ).toEqual([
    ['PortAppService', 'get', '/api/hub/port/{id}'],
    ['PortAppService', 'getList', '/api/hub/port'],
  ])
})
