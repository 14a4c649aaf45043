import { AutoApiController, KeelModule, Module } from '@keel/framework'
import {
  type AnyAppService,
  type AnyDto,
  AppService,
  Dto,
  enumeration,
  filtersBy,
  guid,
  id,
  op,
  type Parameter,
  param,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { HttpModule } from '@keel/framework/http'
import { AllowAnonymous, SecurityModule } from '@keel/framework/security'
import { IdentityModule } from '@keel/identity'
import { PermissionManagementModule } from '@keel/permission-management'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { testOfOneProcess } from '../support/one-process.js'

enum Color {
  Red = 0,
  DarkBlue = 1,
}
const color = enumeration('Color', Color)
class EntryInput extends Dto({
  name: z.string().max(10),
  color: color.nullish(),
  isOpen: z.boolean().nullish(),
}) {}
class EntryFilter extends Dto({
  name: z.string().nullish(),
  number: z.int().nullish(),
  isOpen: z.boolean().nullish(),
  color: color.nullish(),
  tags: z.array(z.string()).nullish(),
  place: z.object({ city: z.string(), zips: z.array(z.string()).nullish() }).nullish(),
  filters: filtersBy('Kind', 'Owner'),
}) {}
/** Which operation answered, and with what arguments. */
class CallDto extends Dto({ operation: z.string(), args: z.array(z.unknown()) }) {}

const called = (...parameters: (Parameter | AnyDto)[]) => op(...parameters).returns(CallDto)
const [fromId, toId] = [param('fromId', guid()), param('toId', guid())]
const operations = {
  get: called(id),
  getList: called(EntryFilter),
  getAllOpen: called(),
  getOldNumbers: called(),
  getEditors: called(id),
  getOfPerson: called(param('personId', guid())),
  getBetween: called(fromId, toId),
  create: called(EntryInput),
  addLine: called(EntryInput),
  insertRow: called(EntryInput),
  postNews: called(EntryInput),
  createEditor: called(id, EntryInput),
  update: called(id, EntryInput),
  putBack: called(id, EntryInput),
  delete: op(id),
  removeLine: op(id),
  patchName: called(id, EntryInput),
  check: called(EntryInput),
  move: called(fromId, toId),
  getReport: called(EntryInput).at('POST'),
  find: called(id).at('GET', 'found/{id}'),
  ping: called().at('GET', '/api/plan-ping'),
}

abstract class PhoneBookAppService extends AppService(
  remoteService('Plan', 'plan'),
  'PhoneBookAppService',
  operations,
) {}

/** Every operation tells what it was called with. */
class PhoneBookService {}
for (const operation of Object.keys(operations)) {
  const answers = !['delete', 'removeLine'].includes(operation)
  const value = async (...args: unknown[]) => (answers ? { operation, args } : undefined)
  Object.defineProperty(PhoneBookService.prototype, operation, { value })
}
AutoApiController(PhoneBookAppService as AnyAppService)(PhoneBookService)
AllowAnonymous()(PhoneBookService)

@Module({
  dependsOn: [HttpModule, SecurityModule, IdentityModule, PermissionManagementModule],
  services: [PhoneBookService],
})
class PlanHost extends KeelModule {}

const book = '/api/plan/phone-book'
const one = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const two = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const ann = { name: 'Ann' }

let app: App
beforeAll(async () => {
  app = await startApp(PlanHost, {
    'App:MaxJsonBodyBytes': '2000',
    'RateLimits:Operations:Plan.PhoneBook.check': '1',
  })
})
afterAll(() => app?.close())

interface Request {
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Sends `GET /path`, with a body as JSON unless it is a text already. */
async function ask(line: string, { body, headers }: Request = {}) {
  const [method = '', path = ''] = line.split(' ')
  const json = body !== undefined && {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
  const response = await app.host.fetch(path, { method, ...(headers && { headers }), ...json })
  const text = await response.text()
  return { response, status: response.status, text }
}

describe('verbs and paths', () => {
  test.for<[rule: string, line: string, operation: string, args: unknown[], body?: unknown]>([
    ['get asks for one', `GET ${book}/${one}`, 'get', [one]],
    ['getList asks for the list', `GET ${book}`, 'getList', [{}]],
    ['getAll is stripped', `GET ${book}/open`, 'getAllOpen', []],
    ['what follows get is kebab-cased', `GET ${book}/old-numbers`, 'getOldNumbers', []],
    ['what follows stands behind the id', `GET ${book}/${one}/editors`, 'getEditors', [one]],
    ['create posts', `POST ${book}`, 'create', [ann], ann],
    ['add posts', `POST ${book}/line`, 'addLine', [ann], ann],
    ['insert posts', `POST ${book}/row`, 'insertRow', [ann], ann],
    ['post posts', `POST ${book}/news`, 'postNews', [ann], ann],
    ['create below one posts there', `POST ${book}/${one}/editor`, 'createEditor', [one, ann], ann],
    ['update puts', `PUT ${book}/${one}`, 'update', [one, ann], ann],
    ['put puts', `PUT ${book}/${one}/back`, 'putBack', [one, ann], ann],
    ['patch patches', `PATCH ${book}/${one}/name`, 'patchName', [one, ann], ann],
    ['the first GUID is in the path', `GET ${book}/${one}/of-person`, 'getOfPerson', [one]],
    ['two GUIDs are in the query', `GET ${book}/between?fromId=${one}&toId=${two}`, 'getBetween', [one, two]],
    ['two GUIDs of a POST are too', `POST ${book}/move?fromId=${one}&toId=${two}`, 'move', [one, two]],
    ['a verb of its own', `POST ${book}/get-report`, 'getReport', [ann], ann],
    ['a path of its own', `GET ${book}/found/${one}`, 'find', [one]],
    ['a whole path of its own', 'GET /api/plan-ping', 'ping', []],
    ['a GUID in upper case', `GET ${book}/${one.toUpperCase()}`, 'get', [one]],
    ['a path in another case', `GET ${book.toUpperCase()}/Old-Numbers/`, 'getOldNumbers', []],
  ])('%s: %s', async ([, line, operation, args, body]) => {
    const { status, text } = await ask(line, { body })
    expect([status, JSON.parse(text)]).toEqual([200, { operation, args }])
  })

  test.for([
    ['delete deletes', `DELETE ${book}/${one}`],
    ['remove deletes', `DELETE ${book}/${one}/line`],
  ])('%s, and nothing comes back: %s answers 204', async ([, line = '']) => {
    const { response, status, text } = await ask(line)
    expect([status, text, response.headers.get('content-type')]).toEqual([204, '', null])
  })

  test.for([
    ['an unknown path', `GET ${book}/${one}/nothing`, 404],
    ['a verb that the path has not', `PATCH ${book}`, 405],
    ['an id that is no GUID', `GET ${book}/7`, 400],
  ] as const)('%s: %s answers %i', async ([, line, status]) => {
    expect((await ask(line)).status).toBe(status)
  })
})

describe('a query', () => {
  const filters = (kind: string[]) => ({ filters: { Kind: kind } })
  const inJson = encodeURIComponent('{"Kind":["a","b"]}')
  test.for<[rule: string, query: string, read: object]>([
    ['flattens the input', 'Name=Ann&Number=7', { name: 'Ann', number: 7 }],
    ['has names in any case', 'NAME=Ann&nUmber=7', { name: 'Ann', number: 7 }],
    ['reads truth in any case', 'isOpen=True', { isOpen: true }],
    ['takes an empty value for none', 'name=&number=', {}],
    ['ignores what is unknown', 'name=Ann&colour=red&__proto__=1', { name: 'Ann' }],
    ['reads + and percent-encoding', 'name=A+n%20n%2B', { name: 'A n n+' }],
    ['reads an enumeration by its integer', 'color=1', { color: 1 }],
    ['reads an enumeration by its name', 'color=darkblue', { color: 1 }],
    ['repeats a name for a list', 'tags=a&Tags=b', { tags: ['a', 'b'] }],
    ['numbers a list', 'tags[1]=b&tags[0]=a', { tags: ['a', 'b'] }],
    ['marks a list', 'tags[]=a&tags[]=b', { tags: ['a', 'b'] }],
    ['takes a single value for a list', 'tags=a', { tags: ['a'] }],
    ['nests by points', 'place.city=Bonn', { place: { city: 'Bonn' } }],
    ['nests by brackets', 'Place[City]=Bonn', { place: { city: 'Bonn' } }],
    [
      'nests lists',
      'place.city=Bonn&place.zips[0]=1&place.zips[1]=2',
      { place: { city: 'Bonn', zips: ['1', '2'] } },
    ],
    ['has filters in brackets', 'Filters[Kind]=a&Filters[Kind]=b', filters(['a', 'b'])],
    ['has filters by points', 'filters.Kind=a&filters.Kind=b', filters(['a', 'b'])],
    ['has filters as JSON', `Filters=${inJson}`, filters(['a', 'b'])],
    ['has filters that stand for themselves', 'Kind=a&Kind=b', filters(['a', 'b'])],
    ['has filters in two ways', 'Kind=a&Filters.Owner=b', { filters: { Kind: ['a'], Owner: ['b'] } }],
  ])('%s: ?%s', async ([, query, read]) => {
    const { status, text } = await ask(`GET ${book}?${query}`)
    expect([status, JSON.parse(text)]).toEqual([200, { operation: 'getList', args: [read] }])
  })

  test.for([
    ['a number that is none', 'number=seven', 'number'],
    ['an enumeration’s name that is none', 'color=Pink', 'color'],
    ['filters that are no map', 'Filters=a', 'filters'],
    ['JSON that is broken', 'Filters=%7B', 'filters'],
    ['a broken percent-encoding', 'name=%E0%A4%A', undefined],
    ['a NUL character', 'name=a%00b', 'name'],
  ])('%s is refused: ?%s', async ([, query, member]) => {
    const { status, text } = await ask(`GET ${book}?${query}`)
    const members = JSON.parse(text).error.validationErrors.flatMap(
      (fault: { members: string[] }) => fault.members,
    )
    expect([status, members.map((name: string) => name.toLowerCase())]).toEqual([400, member ? [member] : []])
  })
})

describe('a body', () => {
  test.for<[rule: string, body: unknown, read: object]>([
    ['has members in any case', { NAME: 'Ann', isopen: true }, { name: 'Ann', isOpen: true }],
    ['may have unknown members', { ...ann, id: one, extraProperties: { a: 1 } }, ann],
    ['has an enumeration as its integer', { ...ann, color: 1 }, { ...ann, color: 1 }],
    ['has an enumeration as its name', { ...ann, color: 'DARKBLUE' }, { ...ann, color: 1 }],
    ['has an enumeration as digits', { ...ann, color: '1' }, { ...ann, color: 1 }],
    ['has truth as a text', { ...ann, isOpen: 'true' }, { ...ann, isOpen: true }],
  ])('%s: %j', async ([, body, read]) => {
    const { status, text } = await ask(`POST ${book}`, { body })
    expect([status, JSON.parse(text)]).toEqual([200, { operation: 'create', args: [read] }])
  })

  test.for<[fault: string, request: Request, status: number]>([
    ['malformed JSON', { body: '{"name": ' }, 400],
    ['a NUL character', { body: { name: 'a\0' } }, 400],
    ['a text that is too long', { body: { name: 'a'.repeat(11) } }, 400],
    ['a list for an object', { body: [ann] }, 400],
    ['a body that is too large', { body: { name: 'a'.repeat(2000) } }, 413],
    ['another content type', { body: ann, headers: { 'content-type': 'text/plain' } }, 415],
    ['a form', { body: 'name=Ann', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ])('%s answers %o', async ([, request, expected]) => {
    const { response, status, text } = await ask(`POST ${book}`, request)
    const { error } = JSON.parse(text)
    expect([status, response.headers.get('_abperrorformat'), error.validationErrors?.length]).toEqual([
      expected,
      'true',
      expected === 400 ? 1 : undefined,
    ])
  })
})

describe('limits and headers', () => {
  test.for([
    [`GET ${book}/%`, 400],
    [`GET ${book}/%C3%28`, 400],
    [`GET ${book}/%00`, 400],
    [`GET ${book}?${'a=1&'.repeat(2001)}`, 400],
    [`GET ${book}?a[b][c][d][e][f][g]=1`, 400],
  ] as const)('%s answers %i', async ([line, status]) => {
    expect((await ask(line)).status).toBe(status)
  })

  test('headers of more than 64 KiB answer 431', async () => {
    expect((await ask(`GET ${book}`, { headers: { 'x-long': 'x'.repeat(66_000) } })).status).toBe(431)
  })

  test('every answer has the security headers', async () => {
    const policy =
      "default-src 'none'; script-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    const names = [
      'content-security-policy',
      'x-content-type-options',
      'x-frame-options',
      'referrer-policy',
      'x-powered-by',
      'server',
    ]
    const lines = [`GET ${book}`, `GET ${book}/7`, 'GET /nothing', `DELETE ${book}/${one}`]
    const answers = await Promise.all(lines.map((line) => ask(line)))
    const expected = [policy, 'nosniff', 'DENY', 'no-referrer', null, null]
    expect(answers.map(({ response }) => names.map((name) => response.headers.get(name)))).toEqual(
      lines.map(() => expected),
    )
  })

  test('no cache keeps what is answered', async () => {
    const answers = await Promise.all(
      [`GET ${book}`, `GET ${book}/7`, 'GET /nothing'].map((line) => ask(line)),
    )
    expect(answers.map(({ response }) => response.headers.get('cache-control'))).toEqual([
      'no-store',
      'no-store',
      'no-store',
    ])
  })

  testOfOneProcess('more calls than are allowed answer 429 and when to come back', async () => {
    await ask(`POST ${book}/check`, { body: ann })
    const { response, status } = await ask(`POST ${book}/check`, { body: ann })
    expect([status, Number(response.headers.get('retry-after'))]).toEqual([429, expect.toSatisfy(isMinute)])
  })
})

const isMinute = (seconds: number): boolean => seconds >= 1 && seconds <= 60
