import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, shell, startPlatform } from '../support/npm-start.js'
import { cloneOfRepository } from '../support/repository-clone.js'

let clone: string
let platform: Platform
/** Takes the usual port of the API, so that the platform moves to another. */
let inTheWay: Server

beforeAll(async () => {
  inTheWay = createServer()
  await new Promise<void>((resolve) => inTheWay.once('error', () => resolve()).listen(4000, resolve))
  clone = cloneOfRepository('npm-start')
  platform = await startPlatform(clone, 'npm start -- --watch')
}, 360_000)
afterAll(async () => {
  await platform?.stop()
  inTheWay.close()
  rmSync(clone, { recursive: true, force: true })
}, 60_000)

test('while the sources are watched a change is served by the hosts that use it, and a fault waits for its cure', {
  timeout: 120_000,
}, async () => {
  const auth = () => processes().find(({ name }) => name === 'auth')?.pid
  const before = auth()

  const file = join(clone, 'modules/hub/src/contracts/ports.ts')
  const source = readFileSync(file, 'utf8')
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
  await expect.poll(longest, { timeout: 15_000, interval: 20 }).toBe(77)
  const servedMs = Math.round(performance.now() - began)
  expect(auth()).toBe(before)

  writeFileSync(file, `${changed}\nconst = 1\n`)
  await platform.says(/ports\.ts:\d+ .*expected/)
  expect(await longest()).toBe(77)

  const returned = performance.now()
  writeFileSync(file, source)
  await expect.poll(longest, { timeout: 15_000, interval: 20 }).toBe(100)
  const returnedMs = Math.round(performance.now() - returned)
  console.info(`The change was served after ${servedMs} ms, its return after ${returnedMs} ms.`)
})

test('migrating beside a running platform on another port leaves the addresses of its clients alone', {
  timeout: 120_000,
}, async () => {
  expect(platform.apiUrl).not.toBe('http://localhost:4000')
  await shell(clone, 'npm run migrate')
  const connections = readFileSync(join(clone, '.keel/databases.env'), 'utf8')
  const client = new pg.Client(/^ConnectionStrings__Default='(.*)'$/m.exec(connections)?.[1])
  await client.connect()
  const { rows } = await client
    .query(`select "RedirectUris" as uris from "OpenIddictApplications" where "ClientId" = 'api'`)
    .finally(() => client.end())
  expect(rows).toEqual([{ uris: `["${platform.apiUrl}/swagger/oauth2-redirect.html"]` }])
})

test('a SIGTERM to npm alone, whose shell does not pass it on, ends the platform', {
  timeout: 60_000,
}, async () => {
  const pids = processes().map(({ pid }) => pid)
  platform.stopNpm()
  // What the platform removes last.
  await expect.poll(() => existsSync(join(clone, '.keel/processes.json')), { timeout: 50_000 }).toBe(false)
  expect(pids.filter(isAlive)).toEqual([])
  expect(existsSync(join(clone, '.keel/postgres/postmaster.pid'))).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function processes(): { name: string; pid: number }[] {
  return JSON.parse(readFileSync(join(clone, '.keel/processes.json'), 'utf8')).children
}
