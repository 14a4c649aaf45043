import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { Configuration, configurationSection, loadConfiguration } from './configuration.js'

const App = configurationSection('App', {
  selfUrl: z.url().default('http://localhost:4000'),
  maxItems: z.int().min(1).default(10),
  isOpen: z.boolean().default(false),
  origins: z.array(z.string()).default([]),
})

/** A folder with these files, gone after the test. */
function folderWith(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(tmpdir(), 'keel-configuration-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return folder
}

test('keys are compared without case', () => {
  const configuration = new Configuration().add({ ConnectionStrings: { Default: 'x' } }, 'file')
  expect(configuration.get('connectionstrings:DEFAULT')).toBe('x')
})

test('a later layer wins, key by key, and is named as the source', () => {
  const configuration = new Configuration()
    .add({ App: { SelfUrl: 'http://one', HealthCheckUrl: '/one' } }, 'first')
    .add({ app: { selfurl: 'http://two' } }, 'second')
  expect(configuration.get('App:SelfUrl')).toBe('http://two')
  expect(configuration.sourceOf('App:SelfUrl')).toBe('second')
  expect(configuration.get('App:HealthCheckUrl')).toBe('/one')
})

test('a list replaces the members it has and leaves the others', () => {
  const configuration = new Configuration()
    .add({ App: { Origins: ['a', 'b', 'c'] } }, 'first')
    .add({ App: { Origins: ['x'] } }, 'second')
  expect(configuration.tree('App:Origins')).toEqual(['x', 'b', 'c'])
})

const Shop = z.object({
  code: z.string(),
  open: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
})
const Shops = configurationSection(
  'Shops',
  { list: z.array(Shop).default([]) },
  { namedBy: { list: 'code' } },
)
const shopsOf = (...layers: object[]) =>
  layers
    .reduce(
      (all: Configuration, layer, index) => all.add({ Shops: { List: layer } }, `layer ${index}`),
      new Configuration(),
    )
    .read(Shops)
    .list.map(({ code, open, tags }) => [code, open, tags.join()].join(' '))
const harbour = { Code: 'harbour', Tags: ['a', 'b'] }
const station = { Code: 'station', Open: true }

test.each([
  ['a list adds to the lists before', [[harbour, station], [{ Code: 'airport' }]]],
  [
    'positions mean nothing',
    [
      [harbour, station],
      [{ Code: 'station', Open: 'true' }, { Code: 'airport' }],
    ],
  ],
  [
    'a map is as good as a list',
    [{ Harbour: harbour, station: { Open: true } }, { airport: { Open: false } }],
  ],
])('members with names: %s', (_, layers) => {
  expect(shopsOf(...layers)).toEqual(['harbour false a,b', 'station true ', 'airport false '])
})

test('members with names: a place or a key of a map stands for the member that another layer has there', () => {
  expect(shopsOf([harbour, station], { 0: { Open: true } })).toEqual(['harbour true a,b', 'station true '])
  expect(shopsOf({ 1: { Open: true } }, [station, harbour])).toEqual(['harbour true a,b', 'station true '])
  expect(shopsOf({ Shop_A: harbour }, { SHOP_A: { Open: true } })).toEqual(['harbour true a,b'])
  expect(shopsOf([harbour], { HARBOUR: { Open: true } })).toEqual(['harbour true a,b'])
})

test('members with names: a list inside is replaced as a whole, and its members one by one', () => {
  expect(shopsOf([harbour], [{ Code: 'harbour', Tags: ['c'] }])).toEqual(['harbour false c'])
  expect(shopsOf([harbour], [{ Code: 'harbour', Tags: [] }])).toEqual(['harbour false '])
  expect(shopsOf([harbour], { harbour: { Tags: { 1: 'c' } } })).toEqual(['harbour false a,c'])
  expect(shopsOf([harbour], [], [station])).toEqual(['station true '])
  expect(shopsOf([harbour], [station, station])).toHaveLength(3)
})

test('members with names: variables of the environment are one layer, and a fault names the member', () => {
  const directory = folderWith({ 'appsettings.json': { Shops: { List: [harbour] } } })
  const env = {
    Shops__List__0__Open: 'true',
    Shops__List__0__Code: 'airport',
    Shops__List__harbour__Open: 'no',
  }
  const configuration = loadConfiguration({ directory, env, argv: ['--Shops:List:harbour:Open=true'] })
  expect(configuration.members('Shops:List', 'Code')).toEqual([
    { Code: 'harbour', Tags: ['a', 'b'], Open: 'true' },
    { Code: 'airport', Open: 'true' },
  ])
  expect(() => loadConfiguration({ directory, env, argv: [] }).read(Shops)).toThrow(
    /Shops:list:harbour:open: .* \(from environment variable Shops__List__harbour__Open\)$/,
  )
  expect(() => shopsOf([harbour], { 4: { Open: true } })).toThrow(/Shops:list:1:code: .* \(not set\)$/)
})

test('an empty list is not the same as one that was left out', () => {
  const Client = configurationSection('Client', { scopes: z.array(z.string()).default(['all']) })
  const scopesOf = (...layers: object[]) =>
    layers.reduce((all: Configuration, layer) => all.add(layer, 'layer'), new Configuration()).read(Client)
      .scopes
  const [empty, some] = [{ Client: { Scopes: [] } }, { client: { scopes: ['a', 'b'] } }]
  expect(scopesOf({ Client: {} })).toEqual(['all'])
  expect(scopesOf(empty)).toEqual([])
  expect(scopesOf(some, empty)).toEqual([])
  expect(scopesOf(empty, some)).toEqual(['a', 'b'])
  expect(scopesOf(empty, { 'Client:Scopes:0': 'a' })).toEqual(['a'])
  expect(scopesOf(some, empty, { Client: { Scopes: ['c'] } })).toEqual(['c'])
})

test('an empty list among objects of a list is kept with its object', () => {
  const configuration = new Configuration().add(
    { clients: [{ id: 'a', scopes: [] }, { scopes: [] }] },
    'file',
  )
  expect(configuration.tree('Clients')).toEqual([{ id: 'a', scopes: [] }, { scopes: [] }])
  expect(configuration.get('clients:0:scopes')).toBeUndefined()
})

test('a list of more than ten keeps its order', () => {
  const list = Array.from({ length: 12 }, (_, index) => `v${index}`)
  expect(new Configuration().add({ list }, 'file').tree('list')).toEqual(list)
})

test('empty text counts as set, null and nothing as absent', () => {
  const configuration = new Configuration().add({ a: '', b: null, c: undefined }, 'file')
  expect(['a', 'b', 'c', 'd'].map((key) => configuration.get(key))).toEqual([
    '',
    undefined,
    undefined,
    undefined,
  ])
})

test('what is below a path comes as objects and lists', () => {
  const configuration = new Configuration().add(
    { OpenIddict: { Applications: [{ ClientId: 'api', Scopes: ['Core'] }, { ClientId: 'web' }] } },
    'file',
  )
  expect(configuration.tree('openiddict')).toEqual({
    Applications: [{ ClientId: 'api', Scopes: ['Core'] }, { ClientId: 'web' }],
  })
})

test('nothing below a path is undefined', () => {
  expect(new Configuration().add({ Appendix: '1' }, 'file').tree('App')).toBeUndefined()
})

test('a section reads texts as what its schema asks for, with defaults for the rest', () => {
  const configuration = new Configuration().add(
    { APP: { MaxItems: '5', IsOpen: 'True', Origins: ['a'] } },
    'file',
  )
  expect(configuration.read(App)).toEqual({
    selfUrl: 'http://localhost:4000',
    maxItems: 5,
    isOpen: true,
    origins: ['a'],
  })
})

test('a section that is not valid names each key, its fault and the layer it came from', () => {
  const configuration = new Configuration()
    .add({ App: { SelfUrl: 'nowhere' } }, 'appsettings.json')
    .add({ 'App:MaxItems': '0' }, 'environment variable App__MaxItems')
  expect(() => configuration.read(App)).toThrow(
    [
      'The configuration is not valid:',
      '  App:selfUrl: Invalid URL (from appsettings.json)',
      '  App:maxItems: Too small: expected number to be >=1 (from environment variable App__MaxItems)',
    ].join('\n'),
  )
})

test('a setting that is required and missing is said to be not set', () => {
  const Mail = configurationSection('Mail', { host: z.string() })
  expect(() => new Configuration().read(Mail)).toThrow(/Mail:host: .*\(not set\)/)
})

test('layers come in the order of the interface document', () => {
  const value = (where: string) => ({ [where]: where, last: where })
  const directory = folderWith({
    'appsettings.json': value('settings'),
    'appsettings.secrets.json': value('secrets'),
    'appsettings.aspire.json': value('aspire'),
    'appsettings.Staging.json': value('environment'),
  })
  const env = {
    KEEL_ENVIRONMENT: 'Staging',
    USE_ASPIRE_CONFIG: 'True',
    variable: 'variable',
    last: 'variable',
  }
  const configuration = loadConfiguration({ directory, env, argv: ['--A:Line=line', '--last:x=1'] })
  const keys = ['settings', 'secrets', 'aspire', 'environment', 'variable', 'A:Line']
  expect(keys.map((key) => configuration.get(key))).toEqual([...keys.slice(0, 5), 'line'])
  expect(configuration.sourceOf('last')).toBe('environment variable last')
})

test.each([
  ['appsettings.json', 'appsettings.secrets.json'],
  ['appsettings.secrets.json', 'appsettings.Development.json'],
])('%s gives way to %s', (weaker, stronger) => {
  const directory = folderWith({ [weaker]: { A: { B: 'weak' } }, [stronger]: { A: { B: 'strong' } } })
  const env = { KEEL_ENVIRONMENT: 'Development' }
  expect(loadConfiguration({ directory, env, argv: [] }).get('A:B')).toBe('strong')
})

test('the command line wins over the environment, which wins over files', () => {
  const directory = folderWith({ 'appsettings.json': { A: { B: 'file', C: 'file', D: 'file' } } })
  const env = { A__B: 'variable', A__C: 'variable' }
  const configuration = loadConfiguration({ directory, env, argv: ['--A:B=one=two', '--other', 'A:D=x'] })
  expect(configuration.tree('A')).toEqual({ B: 'one=two', C: 'variable', D: 'file' })
})

test('an environment variable with __ sets a member of a list', () => {
  const directory = folderWith({ 'appsettings.json': { App: { Origins: ['a', 'b'] } } })
  const env = { App__Origins__1: 'x' }
  expect(loadConfiguration({ directory, env, argv: [] }).tree('App:Origins')).toEqual(['a', 'x'])
})

test('the orchestration overlay counts only when USE_ASPIRE_CONFIG is true', () => {
  const directory = folderWith({ 'appsettings.aspire.json': { A: 'aspire' } })
  expect(
    loadConfiguration({ directory, env: { USE_ASPIRE_CONFIG: 'false' }, argv: [] }).get('A'),
  ).toBeUndefined()
})

test.each([
  [{}, 'Production', false],
  [{ KEEL_ENVIRONMENT: '', DOTNET_ENVIRONMENT: '' }, 'Production', false],
  [{ DOTNET_ENVIRONMENT: 'Staging' }, 'Staging', false],
  [{ DOTNET_ENVIRONMENT: 'Staging', ASPNETCORE_ENVIRONMENT: 'Prod' }, 'Prod', false],
  [{ ASPNETCORE_ENVIRONMENT: 'Prod', KEEL_ENVIRONMENT: 'development' }, 'development', true],
])('with %j the environment is %s', (env, environment, isDevelopment) => {
  const configuration = loadConfiguration({ directory: folderWith({}), env, argv: [] })
  expect([configuration.environment, configuration.isDevelopment]).toEqual([environment, isDevelopment])
})

test('a file that is not JSON is named, without its content', () => {
  const directory = folderWith({ 'appsettings.secrets.json': '{ "Password": hunter2 }' })
  const load = () => loadConfiguration({ directory, env: {}, argv: [] })
  expect(load).toThrow(/appsettings\.secrets\.json is not valid JSON/)
  expect(load).not.toThrow(/hunter2/)
})
