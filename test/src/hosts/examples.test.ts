import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createDefaultProxy } from '@keel/default-proxy'
import { createHubProxy } from '@keel/hub-proxy'
import { SuperUser } from '@keel/identity/contracts'
import { createPlatformProxy } from '@keel/platform-proxy'
import { createPricingProxy } from '@keel/pricing-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { compile, installPacked } from '../support/packed-packages.js'
import { startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

const proxies = ['default', 'hub', 'platform', 'pricing']

/** A folder outside of the repository with the packed proxies installed in it. */
let folder: string
let app: App
let tokens: TokenEndpoint
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keel-example-'))
  await Promise.all([
    installPacked(
      folder,
      proxies.map((name) => `@keel/${name}-proxy`),
      { '': ['zod', '@types/node', 'undici-types'] },
    ),
    startApp().then(async (started) => {
      app = started
      const { token } = await app.as({ roles: [SuperUser] })
      tokens = await startTokenEndpoint(token)
    }),
  ])
}, 60_000)
afterAll(async () => {
  await tokens?.close()
  await app?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const tsc = (...words: string[]) => compile(folder, ...words)

test('the console example compiles with the packed proxy, and creates, finds and deletes a shipment', async () => {
  await cp(join(root, 'examples/console'), folder, { recursive: true })
  await tsc('-p', '.')
  const { stdout } = await run(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env: { ...process.env, API_URL: app.host.url, AUTH_URL: tokens.url },
  })
  expect(stdout).toMatch(
    /^created EXAMPLE-\d+, Draft\nrefused shipmentReference: .+\nrefused totalPackages: .+\nfound 1: EXAMPLE-\d+ with 12 packages\ndeleted\n$/,
  )
  expect(tokens.received[0]).toMatchObject({
    grant_type: 'password',
    client_id: 'Core_App',
    scope: 'Core',
    username: 'admin',
  })
}, 60_000)

test('the packed proxy compiles for bundlers, and is loaded by require', async () => {
  await writeFile(
    join(folder, 'bundled.ts'),
    `import { createHubProxy } from '@keel/hub-proxy'
const hub = createHubProxy({ baseUrl: '' })
export const name: Promise<string> = hub.ports.get('').then((port) => port.name)
// @ts-expect-error: a port has no colour
export const colour = hub.ports.get('').then((port) => port.colour)
`,
  )
  const flags = [
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--strict',
    '--noEmit',
    '--target',
    'es2022',
  ]
  await tsc('--ignoreConfig', ...flags, '--lib', 'es2023,dom', 'bundled.ts')
  // Node.js loads modules by `require` from 20.19 and 22.12 on: the oldest that the packages name.
  const code = "console.log(typeof require('@keel/hub-proxy').createHubProxy)"
  await writeFile(join(folder, 'required.cjs'), code)
  expect((await run(process.execPath, ['required.cjs'], { cwd: folder })).stdout).toBe('function\n')
}, 60_000)

test('a field that another version of the packed proxy calls otherwise breaks the compilation of a program, and its calls when it is not compiled again', async () => {
  const other = join(folder, 'other')
  const installed = join(other, 'node_modules/@keel/hub-proxy')
  await cp(join(folder, 'node_modules/@keel/hub-proxy'), installed, { recursive: true })
  await writeFile(join(other, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(other, 'ports.ts'),
    `import { ContractMismatchError, createHubProxy } from '@keel/hub-proxy'
const [baseUrl = '', token = ''] = process.argv.slice(2)
const hub = createHubProxy({ baseUrl, accessToken: () => token })
try {
  const { items } = await hub.ports.getList({ filter: 'DEHAM' })
  console.log(items.map((port) => port.isSeaport).join())
} catch (error) {
  if (!(error instanceof ContractMismatchError)) throw error
  console.log(error.remote, error.operation, error.field)
}
`,
  )
  const flags = ['--module', 'nodenext', '--strict', '--target', 'es2022', '--types', 'node']
  const build = () => compile(other, '--ignoreConfig', ...flags, 'ports.ts')
  const { token } = await app.as({ roles: [SuperUser] })
  const start = async () =>
    (await run(process.execPath, ['ports.js', app.host.url, token], { cwd: other })).stdout
  await build()
  expect(await start()).toBe('true\n')

  // The host and the proxy differ in a field from here on.
  const bundle = join(installed, 'bundle')
  for (const file of await readdir(bundle, { recursive: true })) {
    if (!/ports\.(js|d\.ts)$/.test(file)) continue
    const text = await readFile(join(bundle, file), 'utf8')
    await writeFile(join(bundle, file), text.replaceAll('isSeaport', 'isHarbour'))
  }
  await expect(build()).rejects.toMatchObject({
    stdout: expect.stringMatching(/ports\.ts.+Property 'isSeaport' does not exist on type/),
  })
  expect(await start()).toBe('Hub PortAppService.getList result.items[].isHarbour\n')
}, 60_000)

test('a program that calls more than 500 operations is type-checked within 5 s of processor time', async () => {
  const made = {
    core: createDefaultProxy({ baseUrl: '' }),
    hub: createHubProxy({ baseUrl: '' }),
    platform: createPlatformProxy({ baseUrl: '' }),
    pricing: createPricingProxy({ baseUrl: '' }),
  }
  const calls = callsOf(made)
  expect(calls.length).toBeGreaterThan(500)
  await writeFile(
    join(folder, 'everything.ts'),
    `import { createDefaultProxy } from '@keel/default-proxy'
import { createHubProxy } from '@keel/hub-proxy'
import { createPlatformProxy } from '@keel/platform-proxy'
import { createPricingProxy } from '@keel/pricing-proxy'
const options = { baseUrl: '' }
const core = createDefaultProxy(options)
const hub = createHubProxy(options)
const platform = createPlatformProxy(options)
const pricing = createPricingProxy(options)
${calls.map((call, index) => `export const call${index} = async (...args: Parameters<typeof ${call}>) => (await ${call}(...args)) ?? 0`).join('\n')}
`,
  )
  const flags = [
    '--module',
    'nodenext',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--types',
    'node',
  ]
  // The processor's time: other work of the machine is no time of the compiler.
  const compiler = [process.execPath, join(root, 'node_modules/@typescript/native/bin/tsc')]
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', ...compiler, '--ignoreConfig', ...flags]
  const { stderr } = await run('bash', [...timed, 'everything.ts'], { cwd: folder })
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  expect(user).toBeGreaterThan(0)
  expect(user + system).toBeLessThan(5)
}, 60_000)

/** The operations of proxies, by their paths (`hub.ports.get`). */
function callsOf(value: object, path: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'function' && !name.startsWith('query')
      ? [[...path, name].join('.')]
      : typeof member === 'object'
        ? callsOf(member as object, [...path, name])
        : [],
  )
}
