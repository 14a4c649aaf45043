import { ReauthenticationAppService } from '@keel/account/contracts'
import { ApiKeyAppService } from '@keel/api-keys/contracts'
import { createClient } from '@keel/framework/client'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { copyDatabases, type DatabaseCopies } from '../support/spare-databases.js'
import { ports } from './keys.js'

let issuer: TokenIssuer
let databases: DatabaseCopies
let development: HostProcess
let production: HostProcess
/** The Default database, seen from beside. */
let identity: pg.Client
let token: string

beforeAll(async () => {
  issuer = await TokenIssuer.start()
  databases = await copyDatabases()
  const env = {
    ...databases.env,
    AuthServer__Authority: issuer.address,
    AuthServer__RequireHttpsMetadata: 'false',
    Log__Level: 'trace',
    Log__Requests: 'true',
  }
  development = startApiProcess({ ...env, KEEL_ENVIRONMENT: 'Development' })
  production = startApiProcess({ ...env, KEEL_ENVIRONMENT: 'Production', App__DrainDelayMs: '0' })
  await Promise.all([development.url, production.url])
  identity = new pg.Client({ connectionString: databases.env.ConnectionStrings__Default })
  await identity.connect()
  const { rows } = await identity.query<{ id: string }>(
    `select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
  )
  token = await issuer.token({ subject: rows[0]?.id ?? '' })
  const baseUrl = await development.url
  await createClient(ReauthenticationAppService, { baseUrl, accessToken: () => token }).prove({
    password: '1q2w3E*',
  })
})
afterAll(async () => {
  await identity?.end()
  for (const host of [development, production]) host?.child.kill('SIGTERM')
  await Promise.all([development?.exitCode, production?.exitCode])
  await issuer?.stop()
  await databases?.drop()
})

const keysAt = async (host: HostProcess) =>
  createClient(ApiKeyAppService, { baseUrl: await host.url, accessToken: () => token })

async function ask(host: HostProcess, path: string, headers: Record<string, string> = {}) {
  const response = await fetch((await host.url) + path, { headers })
  const text = await response.text()
  return { status: response.status, text: text + JSON.stringify([...response.headers]) }
}

test('a key in the query counts in Development alone, one in a header everywhere', async () => {
  const { key } = await (await keysAt(development)).create({ name: 'Query' })
  const statuses = async (host: HostProcess) => [
    (await ask(host, `${ports}&apiKey=${key}`)).status,
    (await ask(host, `${ports}&api_key=${key}`)).status,
    (await ask(host, ports, { 'x-api-key': key })).status,
    (await ask(host, ports, { 'api-key': key })).status,
  ]
  expect(await statuses(development)).toEqual([200, 200, 200, 200])
  expect(await statuses(production)).toEqual([401, 401, 200, 200])
})

test('no answer but the two that give a key, no log line and no row ever holds one', async () => {
  const keys = await keysAt(development)
  const { id, key: first } = await keys.create({ name: 'Secret', description: 'Kept' })
  const { key: second } = await keys.rotate(id, {})
  const answers: string[] = [
    JSON.stringify([await keys.get(id), await keys.getList({}), await keys.getUsage(id)]),
  ]
  const paths = [
    ports,
    '/api/hub/port/nonsense',
    '/api/hub/shipment?Filters=%7B',
    '/nowhere',
    '/health-status',
    '/api/abp/application-configuration',
  ]
  for (const host of [development, production]) {
    for (const key of [
      first,
      second,
      `${second.slice(0, -1)}_`,
      `${second.slice(0, 20)}${first.slice(20)}`,
    ]) {
      for (const path of paths) {
        const mark = path.includes('?') ? '&' : '?'
        for (const name of ['apiKey', 'api_key', 'API_KEY', 'api%5Fkey', '%61piKey', 'x'])
          answers.push(
            (await ask(host, `${path}${mark}${name}=${key}`, { accept: 'application/problem+json' })).text,
          )
        for (const name of ['x-api-key', 'api-key'])
          answers.push((await ask(host, path, { [name]: key })).text)
      }
    }
    host.child.kill('SIGTERM')
    await host.exitCode
  }
  const rows = await everyRow()
  // Shorter than a secret, longer than what two texts share by chance.
  const pieces = [first, second].map((key) => key.slice(16, 32))
  const holding = (text: string) => pieces.filter((piece) => text.includes(piece))
  expect(rows).toContain(first.slice(0, 16))
  expect(development.said()).toContain('apiKey=***')
  expect({
    answers: answers.flatMap(holding),
    log: [development, production].flatMap((host) => holding(host.said())),
    rows: holding(rows),
  }).toEqual({ answers: [], log: [], rows: [] })
}, 120_000)

async function everyRow(): Promise<string> {
  const texts: string[] = []
  for (const url of Object.values(databases.env)) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(table_name) as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `select row_to_json(t)::text as text from ${name} t`,
      )
      texts.push(...rows.map(({ text }) => text))
    }
    await client.end()
  }
  return texts.join('\n')
}
