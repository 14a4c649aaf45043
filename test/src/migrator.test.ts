import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createDatabase, dropDatabase, type EmbeddedPostgres, ensurePostgres } from '@keel/framework/data'
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
    code: 5,
    stderr: expect.stringMatching(/^Migrations are not applied: \d{8}-initial/),
  })
  expect(await tables()).toEqual([])
})

test('a run migrates and seeds, and a second one writes nothing', async () => {
  expect(await migrate()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the schema is migrated'),
  })
  const first = await contents()
  expect(first.AbpRoles).toBeTruthy()
  expect(await migrate()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the schema is up to date'),
  })
  expect(await contents()).toEqual(first)
  expect(await migrate([], { VALIDATE_MIGRATIONS_ONLY: 'true' })).toMatchObject({ code: 0 })
}, 20_000)

test('of five at once one migrates, and the others wait and find nothing to do', async () => {
  const runs = await Promise.all([1, 2, 3, 4, 5].map(() => migrate()))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  expect(runs.filter(({ stdout }) => stdout.includes('the schema is migrated'))).toHaveLength(1)
}, 30_000)

test('release tooling reads the state with its token, and the process stays up until it is stopped', async () => {
  const token = randomBytes(25).toString('hex')
  const { child, done, status } = startWithStatus({ PIPELINE_AUTH_TOKEN: token })
  await expect
    .poll(() => status(`?token=${token}`), patience)
    .toEqual([200, { state: 'Completed', exception: null }])
  expect(await status('?token=another')).toEqual([401, expect.anything()])
  expect(await status('')).toEqual([401, expect.anything()])
  child.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 0, stdout: expect.not.stringContaining(token) })
}, 20_000)

test('without a configured token the state is told to nobody', async () => {
  const { child, done, status } = startWithStatus({})
  await expect.poll(() => status('?token='), patience).toEqual([503, expect.anything()])
  child.kill('SIGTERM')
  await done
}, 20_000)

test('a failure is recorded with its cause and stack, and the process stays up', async () => {
  const unreachable = { ConnectionStrings__Default: 'postgres://nobody:secret@127.0.0.1:1/none' }
  const { child, done, status } = startWithStatus({ ...unreachable, PIPELINE_AUTH_TOKEN: 't' })
  const exception = expect.stringMatching(
    /^The Default database does not answer.*caused by: connect ECONNREFUSED .*\n\s+at /s,
  )
  await expect.poll(() => status('?token=t'), patience).toEqual([200, { state: 'Failed', exception }])
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 8 })
}, 20_000)

const patience = { timeout: 15_000 }

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Run {
  readonly child: ChildProcess
  /** What it printed so far. */
  readonly output: { stdout: string; stderr: string }
  readonly done: Promise<Outcome>
}

function migrate(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Outcome> {
  return start(args, env).done
}

function start(args: readonly string[], env: Record<string, string>): Run {
  const variables = { ...process.env, ConnectionStrings__Default: server.urlOf(database), ...env }
  const child = spawn(process.execPath, [program, ...args], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += String(text)))
  child.stderr.on('data', (text) => (output.stderr += String(text)))
  const done = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, ...output }))
  return { child, output, done }
}

/** A run with `--enable-api`; `status` answers HTTP status and body, undefined while it does not listen yet. */
function startWithStatus(env: Record<string, string>) {
  const run = start(['--enable-api'], { PORT: '0', ...env })
  const status = async (query: string): Promise<[number, unknown] | undefined> => {
    const url = /"url":"([^"]+)"/.exec(run.output.stdout)?.[1]
    if (!url) return undefined
    const response = await fetch(`${url}/migration/status${query}`)
    return [response.status, await response.json()]
  }
  return { ...run, status }
}

async function tables(): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** A digest of the rows of every table. */
/** Digests of all tables but the version rows, which also count statements that found nothing to change. */
async function contents(): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {}
  for (const table of (await tables()).filter((name) => name !== 'KeelTableVersions')) {
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
