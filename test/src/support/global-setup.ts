import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, ensurePostgres } from '@keel/embedded-postgres'
import { programIn } from '@keel/framework'
import { createDatabase, dropDatabase } from '@keel/framework/data'
import pg from 'pg'
import { noPooler, type Pooler, startPooler } from './pgbouncer.js'
import {
  databasePrefix,
  isPooled,
  poolerVariable,
  runVariable,
  serverVariable,
  templates,
} from './test-databases.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * Starts PostgreSQL and makes the migrated databases that every test file gets copies of, with the real programs. Both projects with
 * end-to-end tests call it, and share what the first one made.
 */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[runVariable] === String(process.pid)) return undefined
  // Once, before any test: several may want it at a time.
  spawnSync(process.execPath, ['.ci/install.mjs', '.ci/lint'], { cwd: root, stdio: 'inherit' })
  const server = await ensurePostgres({ directory: `${root}.keel/test`, port: 54339, durable: false })
  process.env[serverVariable] = server.urlOf('')
  process.env[runVariable] = String(process.pid)
  await dropLeftovers(server)
  const connections: Record<string, string> = {}
  for (const [connection, name] of Object.entries(templates)) {
    await createDatabase(server, name)
    connections[`ConnectionStrings__${connection}`] = server.urlOf(name)
  }
  await Promise.all([run('hosts/schema', connections), run('migrator', connections)])
  const pooler = isPooled ? await startPoolerBefore(server) : undefined
  return async () => {
    pooler?.stop()
    await tearDown(server)
  }
}

/** A PgBouncer between the hosts and the server, for a run that was asked for with `KEEL_TEST_PGBOUNCER=1`. */
async function startPoolerBefore(server: EmbeddedPostgres): Promise<Pooler> {
  if (noPooler) throw new Error(`KEEL_TEST_PGBOUNCER=1, but ${noPooler}`)
  // As many as one host may open: docs/what-is-kept.md says why. They are shared all the same, since the one given back last is lent first.
  const pooler = await startPooler(server.urlOf('postgres'), { poolSize: 13 })
  process.env[poolerVariable] = pooler.through(server.urlOf(''))
  return pooler
}

/** Drops what runs left behind that are not any more, and what this one has. */
async function dropLeftovers(server: EmbeddedPostgres): Promise<void> {
  const client = new pg.Client({ connectionString: server.urlOf('postgres') })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [databasePrefix],
  )
  await client.end()
  const left = rows.map(({ name }) => name).filter((name) => !isRunning(Number(name.split('_')[3])))
  await dropDatabase(server, ...left)
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function tearDown(server: EmbeddedPostgres): Promise<void> {
  await dropLeftovers(server)
  await server.stop('at-once')
}

function run(folder: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [programIn(root + folder)], {
      env: { ...process.env, ...env, KEEL_ENVIRONMENT: 'Development' },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${folder} ended with ${code}:\n${said}`)),
    )
  })
}
