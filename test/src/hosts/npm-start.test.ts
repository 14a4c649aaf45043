import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Platform, shell, startPlatform } from '../support/npm-start.js'
import { cloneOfRepository } from '../support/repository-clone.js'
import { isLong } from '../support/size.js'

let clone: string
let platform: Platform
/** What the first start printed. */
let first: string
/** Takes the usual port of the API, so that the platform moves to another. */
let inTheWay: Server
const nothingChanged = 'schemas, migrations and seeds: nothing has changed since the last start'

beforeAll(async () => {
  inTheWay = createServer()
  await new Promise<void>((resolve) => inTheWay.once('error', () => resolve()).listen(4000, resolve))
  clone = cloneOfRepository('npm-start')
  const cold = await startPlatform(clone)
  first = cold.said()
  await cold.stop()
  await hasEnded()
  platform = await startPlatform(clone, isLong ? 'npm start -- --watch' : 'npm start')
}, 360_000)
afterAll(async () => {
  await platform?.stop()
  inTheWay.close()
  rmSync(clone, { recursive: true, force: true })
}, 60_000)

test('a second start compiles nothing, and lets no host wait for migrations and seeds when it has the addresses of the first', () => {
  expect(first).not.toContain(nothingChanged)
  expect(platform.said()).not.toContain('code compiled')
  // Another program of this machine may have taken a port since; then clients get other redirect addresses.
  const isSame = addressesIn(first).join() === addressesIn(platform.said()).join()
  expect(platform.said().includes(nothingChanged)).toBe(isSame)
  expect(platform.said().includes('migrations and seeds (')).toBe(!isSame)
})

// To watch takes more of the processors than all other tests of this file.
test.runIf(isLong)(
  'while the sources are watched a change is served by the hosts that use it, and a fault waits for its cure',
  {
    timeout: 120_000,
  },
  async () => {
    const auth = () => processes().find(({ name }) => name === 'auth')?.pid
    const before = auth()

    const file = join(clone, 'modules/hub/src/contracts/ports.ts')
    const source = readFileSync(file, 'utf8')
    // Tests after a failure are not to meet what it left.
    onTestFinished(() => writeFileSync(file, source))
    // The longest name of a port that the document tells.
    const longest = async (): Promise<number | undefined> => {
      const response = await fetch(`${platform.apiUrl}/swagger/v1/swagger.json`).catch(() => undefined)
      // biome-ignore lint/suspicious/noExplicitAny: one number of a large document
      const document: any = await response?.json().catch(() => undefined)
      return document?.components.schemas['Hub.PortDto'].properties.name.maxLength
    }
    expect(await longest()).toBe(100)
    const changed = source.replace(
      'name: z.string().trim().min(1).max(100)',
      'name: z.string().trim().min(1).max(77)',
    )
    expect(changed).not.toBe(source)
    const began = performance.now()
    writeFileSync(file, changed)
    await expect.poll(longest, { timeout: 45_000, interval: 20 }).toBe(77)
    const servedMs = Math.round(performance.now() - began)
    expect(auth()).toBe(before)

    writeFileSync(file, `${changed}\nconst = 1\n`)
    await platform.says(/ports\.ts:\d+ .*expected/)
    expect(await longest()).toBe(77)

    const returned = performance.now()
    writeFileSync(file, source)
    await expect.poll(longest, { timeout: 45_000, interval: 20 }).toBe(100)
    const returnedMs = Math.round(performance.now() - returned)
    console.info(`The change was served after ${servedMs} ms, its return after ${returnedMs} ms.`)
  },
)

test('migrating beside a running platform on another port leaves the addresses of its clients alone', {
  timeout: 120_000,
}, async () => {
  expect(platform.apiUrl).not.toBe('http://localhost:4000')
  await shell(clone, 'npm run migrate')
  expect(
    await rowsOf(
      'Default',
      `select "RedirectUris" as uris from "OpenIddictApplications" where "ClientId" = 'api'`,
    ),
  ).toEqual([{ uris: `["${platform.apiUrl}/swagger/oauth2-redirect.html"]` }])
})

test('a SIGTERM to npm alone, whose shell does not pass it on, ends the platform', {
  timeout: 60_000,
}, async () => {
  const pids = processes().map(({ pid }) => pid)
  platform.stopNpm()
  await hasEnded()
  expect(pids.filter(isAlive)).toEqual([])
  expect(existsSync(join(clone, '.keel/postgres/postmaster.pid'))).toBe(false)
})

test('a start compiles a changed source and applies a new schema script before hosts start, whatever the last one found', {
  timeout: 120_000,
}, async () => {
  const source = join(clone, 'modules/hub/src/contracts/ports.ts')
  writeFileSync(
    source,
    readFileSync(source, 'utf8').replace('.trim().min(1).max(100)', '.trim().min(1).max(66)'),
  )
  const scripts = join(clone, 'modules/hub/schema')
  const last = readdirSync(scripts).sort().at(-1) ?? ''
  const name = `${String(Number(last.slice(0, 4)) + 1).padStart(4, '0')}-added-between-starts.sql`
  writeFileSync(join(scripts, name), 'create table "HubAddedBetweenStarts" ("Id" uuid primary key);\n')

  platform = await startPlatform(clone)
  expect(platform.said()).not.toContain(nothingChanged)
  const document = await fetch(`${platform.apiUrl}/swagger/v1/swagger.json`).then((answer) => answer.json())
  // biome-ignore lint/suspicious/noExplicitAny: one number of a large document
  expect((document as any).components.schemas['Hub.PortDto'].properties.name.maxLength).toBe(66)
  expect(await rowsOf('Hub', `select to_regclass('"HubAddedBetweenStarts"') is not null as exists`)).toEqual([
    { exists: true },
  ])
})

/** Waits for the end of the platform, which npm does not wait for. */
async function hasEnded(): Promise<void> {
  // What the platform removes last.
  await vi.waitFor(() => expect(existsSync(join(clone, '.keel/processes.json'))).toBe(false), {
    timeout: 50_000,
  })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const addressesIn = (said: string): string[] =>
  said.match(/(?:Admin UI|API|Auth) +http:\/\/localhost:\d+/g) ?? []

/** Rows of a database of the platform. */
async function rowsOf(connection: string, statement: string): Promise<unknown[]> {
  const connections = readFileSync(join(clone, '.keel/databases.env'), 'utf8')
  const client = new pg.Client(
    new RegExp(`^ConnectionStrings__${connection}='(.*)'$`, 'm').exec(connections)?.[1],
  )
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows
}

function processes(): { name: string; pid: number }[] {
  return JSON.parse(readFileSync(join(clone, '.keel/processes.json'), 'utf8')).children
}
