import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneOfRepository, plainEnvironment } from '../support/repository-clone.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'docs/adding-an-entity.md'), 'utf8')
/** The page's files: a path in backquotes on a line of its own, then a block of TypeScript. */
const files = [...page.matchAll(/^`([\w./-]+\.ts)`\n\n```ts\n(.*?)```/gms)].map(
  ([, path = '', text = '']) => ({ path, text }),
)
/** The page's commands, in their order. */
const [writeMigration = '', migrate = '', start = '', call = ''] = [
  ...page.matchAll(/^```sh\n(.*?)```/gms),
].map(([, text = '']) => text.trim())

let clone: string
let platform: ChildProcess | undefined
let said = ''
/** Takes the usual port of the API, so that the platform moves to another. */
let inTheWay: Server

/** What a stranger does in a shell. */
async function shell(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: clone, env: plainEnvironment })
  return stdout
}

beforeAll(async () => {
  clone = cloneOfRepository('adding-an-entity')
  inTheWay = createServer()
  await new Promise<void>((resolve) => inTheWay.once('error', () => resolve()).listen(4000, resolve))
}, 60_000)
afterAll(async () => {
  if (platform && platform.exitCode === null) {
    const ended = new Promise((resolve) => platform?.once('exit', resolve))
    platform.kill('SIGTERM')
    await ended
  }
  inTheWay?.close()
  rmSync(clone, { recursive: true, force: true })
}, 60_000)

test('the page adds an entity with three new files and at most 80 lines', () => {
  const lists = files.filter(({ path }) => /(core\.module|index)\.ts$/.test(path))
  const before = new Set(lists.flatMap(({ path }) => readFileSync(join(root, path), 'utf8').split('\n')))
  const lines = files.flatMap((file) =>
    file.text.split('\n').filter((line) => line && (!lists.includes(file) || !before.has(line))),
  )
  expect(files.filter((file) => !lists.includes(file)).map(({ path }) => path)).toHaveLength(3)
  expect(lines.length).toBeLessThanOrEqual(80)
})

test('who follows the page from its first file to its last command has an entity that a granted user creates and finds', {
  timeout: 600_000,
}, async () => {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  expect(await shell(writeMigration)).toMatch(/Wrote .*\d{8}-warehouses\.ts\. Read it/)
  await shell(migrate)
  const { apiUrl, authUrl } = await startPlatform()
  const asTold = call.replaceAll('http://localhost:4000', apiUrl).replaceAll('http://localhost:4001', authUrl)
  const [created, found] = (await shell(`${asTold}`))
    .split(/(?<=\})(?=\{)/)
    .map((text) => JSON.parse(text) as Record<string, unknown>)
  expect(created).toEqual({
    id: expect.any(String),
    code: 'RTM1',
    name: 'Maasvlakte',
    capacityPallets: null,
    isBonded: true,
  })
  expect(found).toEqual({ totalCount: 1, items: [created] })
  const refused = asTold
    .replace('username=manager', 'username=customer')
    .replace(`curl -s ${apiUrl}`, `curl -si ${apiUrl}`)
  expect(await shell(refused.slice(0, refused.lastIndexOf('curl')))).toMatch(/^HTTP\/1\.1 403/)

  // The page's command again, beside the platform: clients are still sent back to where it is.
  await shell(migrate)
  const { rows } = await query(
    `select "RedirectUris" as uris from "OpenIddictApplications" where "ClientId" = 'api'`,
  )
  expect(rows).toEqual([{ uris: `["${apiUrl}/swagger/oauth2-redirect.html"]` }])
  expect(apiUrl).not.toBe('http://localhost:4000')
})

/** Runs the page's command that keeps running, until it tells its addresses. */
async function startPlatform(): Promise<{ apiUrl: string; authUrl: string }> {
  platform = spawn('bash', ['-c', `exec ${start}`], { cwd: clone, env: plainEnvironment })
  for (const stream of [platform.stdout, platform.stderr]) stream?.on('data', (text) => (said += text))
  await expect
    .poll(
      () => {
        if (platform?.exitCode !== null) throw new Error(said)
        return said
      },
      { timeout: 300_000, interval: 200 },
    )
    .toContain('Keel is running')
  const address = (label: string): string =>
    new RegExp(`${label} +(http://localhost:\\d+)`).exec(said)?.[1] ?? ''
  return { apiUrl: address('API '), authUrl: address('Auth ') }
}

async function query(text: string): Promise<pg.QueryResult> {
  const connections = readFileSync(join(clone, '.keel/databases.env'), 'utf8')
  const client = new pg.Client(/^ConnectionStrings__Default='(.*)'$/m.exec(connections)?.[1])
  await client.connect()
  return client.query(text).finally(() => client.end())
}
