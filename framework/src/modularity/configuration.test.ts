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
  expect(loadConfiguration({ directory, env: {}, argv: [] }).get('A:B')).toBe('strong')
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
  [{}, 'Development', true],
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
