import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  createDatabase,
  dropDatabase,
  type EmbeddedPostgres,
  ensurePostgres,
  freePort,
} from '@keel/framework/data'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const program = `${root}migrator/dist/main.js`
const database = 'keel_test_migrator'
let server: EmbeddedPostgres

beforeAll(async () => {
  server = await ensurePostgres({ directory: `${root}.keel/test` })
}, 60_000)
afterAll(async () => {
  await dropDatabase(server, database)
  await server.stop()
})
beforeEach(async () => {
  await dropDatabase(server, database)
  await createDatabase(server, database)
})

test('validation of an empty database fails with the names of the migrations and writes nothing', async () => {
  const { code, stderr } = await migrate([], { VALIDATE_MIGRATIONS_ONLY: 'true' })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Migrations are not applied: \d{8}-initial/),
  })
  expect(await tables()).toEqual([])
})

test('a run migrates and seeds, and a second one writes nothing', async () => {
  expect(await migrate()).toMatchObject({ code: 0, stdout: expect.stringContaining('"schema migrated"') })
  const first = await contents()
  expect(first.AbpRoles).toBeTruthy()
  expect(await migrate()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"schema is up to date"'),
  })
  expect(await contents()).toEqual(first)
  expect(await migrate([], { VALIDATE_MIGRATIONS_ONLY: 'true' })).toMatchObject({ code: 0 })
}, 20_000)

test('of five at once one migrates, and the others wait and find nothing to do', async () => {
  const runs = await Promise.all([1, 2, 3, 4, 5].map(() => migrate()))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  expect(runs.filter(({ stdout }) => stdout.includes('"schema migrated"'))).toHaveLength(1)
}, 30_000)

test('release tooling reads the state with its token, and the process stays up until it is stopped', async () => {
  const token = randomBytes(25).toString('hex')
  const port = await freePort()
  const { process: migrator, done } = start(['--enable-api'], {
    PORT: String(port),
    PIPELINE_AUTH_TOKEN: token,
  })
  const status = (query: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/migration/status${query}`)
  await expect
    .poll(
      () =>
        status(`?token=${token}`).then(
          (response) => response.json(),
          () => undefined,
        ),
      { timeout: 10_000 },
    )
    .toEqual({ state: 'Completed', exception: null })
  expect((await status('?token=another')).status).toBe(401)
  expect((await status('')).status).toBe(401)
  migrator.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 0, stdout: expect.not.stringContaining(token) })
}, 20_000)

test('without a configured token the state is told to nobody', async () => {
  const port = await freePort()
  const { process: migrator, done } = start(['--enable-api'], { PORT: String(port) })
  const status = () =>
    fetch(`http://127.0.0.1:${port}/migration/status?token=`).then(
      (response) => response.status,
      () => undefined,
    )
  await expect.poll(status, { timeout: 10_000 }).toBe(503)
  migrator.kill('SIGTERM')
  await done
}, 20_000)

test('a failure is recorded with its cause and its stack, and the process stays up', async () => {
  const port = await freePort()
  const unreachable = { ConnectionStrings__Default: 'postgres://nobody:secret@127.0.0.1:1/none' }
  const { process: migrator, done } = start(['--enable-api'], {
    ...unreachable,
    PORT: String(port),
    PIPELINE_AUTH_TOKEN: 't',
  })
  const state = () =>
    fetch(`http://127.0.0.1:${port}/migration/status?token=t`).then(
      (response) => response.json(),
      () => undefined,
    )
  await expect
    .poll(state, { timeout: 10_000 })
    .toEqual({ state: 'Failed', exception: expect.stringMatching(/^connect ECONNREFUSED .*\n\s+at /s) })
  expect(migrator.exitCode).toBeNull()
  migrator.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 1 })
}, 20_000)

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function migrate(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Outcome> {
  return start(args, env).done
}

function start(
  args: readonly string[],
  env: Record<string, string>,
): { process: ChildProcess; done: Promise<Outcome> } {
  const variables = { ...process.env, ConnectionStrings__Default: server.urlOf(database), ...env }
  const child = spawn(process.execPath, [program, ...args], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (text) => (output[name] += String(text)))
  const done = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, ...output }))
  return { process: child, done }
}

async function tables(): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** A digest of the rows of every table. */
async function contents(): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {}
  for (const table of await tables()) {
    const [row] = await query<{ digest: string | null }>(
      `select md5(string_agg(t::text, '|' order by t::text)) as digest from ${pg.escapeIdentifier(table)} t`,
    )
    digests[table] = row?.digest ?? null
  }
  return digests
}

async function query<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}
