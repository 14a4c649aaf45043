import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiHost } from '@keel/api-host'
import { type Class, KeelModule, Module } from '@keel/framework'
import { BaseEntity, Column, createDatabase, DataType, dropDatabase, Entity } from '@keel/framework/data'
import { migratorOf } from '@keel/migrator'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linter, lintPackages } from '../support/lint-tools.js'
import { type Platform, shell, startPlatform } from '../support/npm-start.js'
import { isLong } from '../support/size.js'
import { emptyFolder, linkPackages } from '../support/solution.js'
import { directServer } from '../support/test-databases.js'

/** The formatter is found here, as where it is installed for everybody. */
const create = `NODE_PATH='${lintPackages}' node ${fileURLToPath(new URL('../../../hosts/create/bin.mjs', import.meta.url))}`
const biome = `${linter} check --error-on-warnings`
const keel = 'node node_modules/@keel/framework/bin/keel.js'
const keelDev = 'node node_modules/@keel/dev-host/bin.mjs'
const compile = 'node node_modules/@typescript/native/bin/tsc -b'

let solution: string
let platform: Platform | undefined

beforeAll(async () => {
  solution = emptyFolder('acme')
  await shell(solution, `${create} --without-hub`)
  linkPackages(solution)
}, 60_000)
afterAll(async () => {
  await platform?.stop()
  rmSync(dirname(solution), { recursive: true, force: true })
}, 60_000)

test('a solution of one’s own is laid out and clean as it is written, refuses wrong calls before it opens anything, and starts with databases, tokens, entities in both of them, and a client of somebody else’s module', {
  timeout: 300_000,
}, async () => {
  await shell(solution, `${biome} .`)
  expect(await wrongCall('schema.js flet')).toContain('There is no schema of flet, only of fleet and yard.')
  expect(await wrongCall('main.js pln')).toContain('There is no command pln. Did you mean plan?')
  expect(existsSync(join(solution, '.keel/postgres'))).toBe(false)
  platform = await startPlatform(solution, `${keelDev} start`)
  const { apiUrl, authUrl } = platform
  const form = { grant_type: 'password', client_id: 'Core_App', scope: 'Core', username: 'manager' }
  const answer = await fetch(`${authUrl}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, password: '1q2w3E*' }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await fetch(apiUrl + path, { ...init, headers })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const vehicle = { plate: 'KE-1', name: 'Tractor', kind: 1, payloadKg: 18_000 }
  const created = await call('/api/fleet/vehicle', vehicle)
  expect(created).toMatchObject({ status: 200, body: vehicle })
  expect(await call('/api/fleet/vehicle?filter=KE-1')).toMatchObject({ body: { totalCount: 1 } })
  expect(await call('/odata/Vehicles?$select=Plate')).toMatchObject({ body: { value: [{ Plate: 'KE-1' }] } })
  const gate = { code: 'G1', name: 'North', isOpen: true }
  expect(await call('/api/yard/gate', gate)).toMatchObject({ status: 200, body: gate })
  expect((await fetch(`${apiUrl}/api/fleet/vehicle`)).status).toBe(401)
  expect((await call('/api/hub/port')).status).toBe(404)
  const health = (await (await fetch(`${apiUrl}/health-status`)).json()) as { status: string }
  expect(health.status).toBe('Healthy')
  expect(await codesByNewProxy(apiUrl, token)).toBe('G1')
  await platform.stop()
})

/** What a script of the solution says that is called with wrong words. */
async function wrongCall(call: string): Promise<string> {
  const said = await shell(solution, `${keelDev} run --check migrator/dist/${call} 2>&1 || echo "exit $?"`)
  expect(said).toMatch(/exit 2\n$/)
  return said
}

/** The codes of the gates that a client finds which `keel proxy new` makes of the package of another vendor. */
async function codesByNewProxy(apiUrl: string, token: string): Promise<string> {
  const foreign = join(solution, 'node_modules/@north/gates')
  cpSync(join(solution, 'modules/yard'), foreign, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(foreign, 'package.json'), 'utf8')) as object
  writeFileSync(
    join(foreign, 'package.json'),
    JSON.stringify({ ...manifest, name: '@north/gates', version: '3.1.4' }),
  )
  expect(await shell(solution, `${keel} proxy new @north/gates`)).toContain(
    'proxies/gates is written: gates.',
  )
  expect(readFileSync(join(solution, 'proxies/gates/package.json'), 'utf8')).toContain(
    '"@north/gates": "3.1.4"',
  )
  await shell(
    solution,
    `${biome} --write proxies/gates && ${compile} proxies/gates && ${biome} proxies/gates`,
  )
  const program = `
    import { createGatesProxy } from '${join(solution, 'proxies/gates/dist/index.js')}'
    const { gates } = createGatesProxy({ baseUrl: '${apiUrl}', accessToken: () => '${token}' })
    const [list, set] = await Promise.all([gates.getList({}), gates.query((q) => q.select('code'))])
    console.log([...new Set([...list.items, ...set.items].map(({ code }) => code))].join())`
  return (await shell(solution, `node --input-type=module -e "${program}"`)).trim()
}

test(`keel writes a module with a database of its own, a host, and an entity that refers to another into it${isLong ? '' : ' (compiles and migrates anew: part of npm run test:long)'}`, {
  skip: !isLong,
  timeout: 300_000,
}, async () => {
  await shell(
    solution,
    `${keel} module new billing invoice --database Billing --fields "number:string(20)! unique"`,
  )
  await shell(solution, `${keel} host new report`)
  linkPackages(solution)
  await shell(
    solution,
    `${keel} entity new yard dock --fields "code:string(4)! unique, gate:reference(Gate)!"`,
  )
  await shell(solution, `${biome} --write . && ${compile} && ${biome} .`)
  expect(readdirSync(join(solution, 'modules/billing/schema'))).toEqual(['0001-invoices.sql'])
  const run = `${keelDev} run --check migrator/dist`
  const said = await shell(solution, `${run}/main.js`)
  expect(said).toContain('0001-invoices.sql')
  expect(said).toContain('0002-docks.sql')
  expect(await shell(solution, `${run}/schema.js add yard more 2>/dev/null`)).toBe(
    'The scripts of yard make what its entity classes declare: there is nothing to write.\n',
  )
})

test(`a database of ABP is adopted by the migrator of a solution, and gets the tables of its modules${isLong ? '' : ' (part of npm run test:long)'}`, {
  skip: !isLong,
  timeout: 300_000,
}, async () => {
  const database = `keel_test_abp_${process.pid}`
  await createDatabase(directServer, database)
  const client = new pg.Client({ connectionString: directServer.urlOf(database) })
  try {
    await client.connect()
    await client.query(readFileSync(new URL('../migrator/abp-database.sql', import.meta.url), 'utf8'))
    const users = async () => (await client.query('select "Id" from "AbpUsers" order by "Id"')).rows
    const before = await users()
    const run = `ConnectionStrings__Default='${directServer.urlOf(database)}' ${keelDev} run migrator/dist/main.js`
    expect(await shell(solution, `${run} plan || true`)).toContain('adoption of the database of ABP')
    await shell(solution, run)
    expect(await users()).toEqual(expect.arrayContaining(before))
    const { rows } = await client.query(
      `select to_regclass('"FleetVehicles"')::text as own, to_regclass('"AppBooks"')::text as abp`,
    )
    expect(rows).toEqual([{ own: '"FleetVehicles"', abp: '"AppBooks"' }])
  } finally {
    await client.end()
    await dropDatabase(directServer, database)
  }
})

test('keel module remove takes a module out of the host of a solution, and says what goes with it', {
  timeout: 120_000,
}, async () => {
  const [host, manifest] = [
    join(solution, 'hosts/api/src/api-host.ts'),
    join(solution, 'hosts/api/package.json'),
  ]
  const [text, dependencies] = [readFileSync(host, 'utf8'), readFileSync(manifest, 'utf8')]
  const remove = `${keel} module remove hosts/api @acme/yard`
  const told = await shell(solution, remove)
  expect(told).toMatch(/^modules\n {2}- Yard\ntables\n {2}- YardGates\n(?: {2}- YardDocks\n)?endpoints\n/)
  expect(told).toContain('  - POST /api/yard/gate\n')
  expect(readFileSync(host, 'utf8')).toBe(text)
  await shell(solution, `${remove} --yes`)
  expect([text, dependencies].join()).toMatch(/YardModule.+@acme\/yard/s)
  expect([readFileSync(host, 'utf8'), readFileSync(manifest, 'utf8')].join()).not.toMatch(
    /YardModule|@acme\/yard/,
  )
  writeFileSync(host, text)
  writeFileSync(manifest, dependencies)
})

test.for([
  ['', 'is not empty: it holds'],
  ['Acme', '"Acme" is no name'],
  ['new --with-hub', 'npm create keel [folder]'],
] as const)(
  'create-keel %s is refused with what is wrong, before anything is written',
  async ([words, told]) => {
    const before = readdirSync(solution)
    const said = await shell(solution, `${create} ${words} 2>&1 || echo "exit $?"`)
    expect(said).toContain(told)
    expect(said).toContain('exit 2')
    expect(readdirSync(solution)).toEqual(before)
  },
)

test('the migrator of a host is made of what its modules list, and names a table that nothing makes', () => {
  expect(Object.keys(migratorOf(ApiHost).schemas ?? {})).toEqual(['hub', 'pricing'])
  @Entity('YardCranes')
  class Crane extends BaseEntity {
    @Column(DataType.STRING(10)) declare code: string
  }
  const hostOf = (schema?: URL) => {
    class CranesModule extends KeelModule {}
    Module({ entities: [Crane as Class], ...(schema && { schema }) })(CranesModule)
    class Host extends KeelModule {}
    Module({ dependsOn: [CranesModule] })(Host)
    return Host
  }
  expect(() => migratorOf(hostOf())).toThrow('Nothing makes these tables:\n  Cranes: YardCranes\n')
  expect(Object.keys(migratorOf(hostOf(new URL('.', import.meta.url))).schemas ?? {})).toEqual(['cranes'])
})
