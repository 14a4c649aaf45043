import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import {
  type MigratorProcess,
  makeDatabase,
  patientMs,
  startMigrator,
  type TestDatabase,
} from './migrator-program.js'

const token = randomBytes(25).toString('hex')
const patience = { timeout: 60_000, interval: 100 }
const databases: TestDatabase[] = []
const running: MigratorProcess[] = []

afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  for (const database of databases.splice(0)) await database.drop()
})

async function migratedDatabase(): Promise<TestDatabase> {
  const database = await makeDatabase('migrated')
  databases.push(database)
  return database
}

function start(env: Record<string, string>): MigratorProcess {
  const run = startMigrator(['--enable-api'], env)
  running.push(run)
  return run
}

test(
  'release tooling reads InProgress while a run works and Completed after it, and the process stays up until it is stopped',
  async () => {
    const database = await migratedDatabase()
    const other = await database.connect()
    await other.query(`select pg_advisory_lock(hashtextextended('keel:migrator', 0))`)
    const run = start({ ...database.env, PIPELINE_AUTH_TOKEN: token })
    await expect.poll(() => run.said(), patience).toContain('waiting for another migrator')
    expect(await run.status(`?token=${token}`)).toEqual([200, { state: 'InProgress', exception: null }])
    await other.end()
    const completed = [200, { state: 'Completed', exception: null }]
    await expect.poll(() => run.status(`?token=${token}`), patience).toEqual(completed)
    expect(await run.status('', { 'x-pipeline-auth-token': token })).toEqual(completed)
    expect(await run.status('', { authorization: `Bearer ${token}` })).toEqual(completed)
    const refused = [
      401,
      { error: expect.objectContaining({ message: 'The token is not the configured one' }) },
    ]
    expect(await run.status('?token=another')).toEqual(refused)
    expect(await run.status(`?token=${token}x`)).toEqual(refused)
    expect(await run.status()).toEqual(refused)
    expect(await run.status(`?token=${token}`, { 'x-pipeline-auth-token': 'another' })).toEqual(refused)
    const [, url] = /"url":"([^"]+)"/.exec(run.said()) ?? []
    expect((await fetch(`${url}//`)).status).toBe(404)
    expect(run.child.exitCode).toBeNull()
    run.child.kill('SIGTERM')
    expect(await run.done).toMatchObject({ code: 0 })
    expect(run.said()).not.toContain(token)
  },
  patientMs,
)

test(
  'without a configured token the state is told to nobody',
  async () => {
    const run = start({ ...(await migratedDatabase()).env })
    await expect.poll(() => run.status('?token='), patience).toEqual([503, expect.anything()])
    expect(await run.status(`?token=${token}`)).toEqual([503, expect.anything()])
  },
  patientMs,
)

test(
  'a database that does not answer is recorded with its cause and stack but no secret, and the process stays up',
  async () => {
    const env = { ConnectionStrings__Default: 'postgres://nobody:s3cr3t@127.0.0.1:1/none' }
    const run = start({ ...env, PIPELINE_AUTH_TOKEN: token })
    const exception = expect.stringMatching(
      /^The Default database does not answer.*\n {2}caused by: connect ECONNREFUSED 127\.0\.0\.1:1\n\s+at /s,
    )
    await expect
      .poll(() => run.status(`?token=${token}`), patience)
      .toEqual([200, { state: 'Failed', exception }])
    expect(JSON.stringify(await run.status(`?token=${token}`)) + run.said()).not.toContain('s3cr3t')
    expect(run.child.exitCode).toBeNull()
    run.child.kill('SIGTERM')
    expect(await run.done).toMatchObject({ code: 8 })
  },
  patientMs,
)

test(
  'a seeder that fails is recorded with the chain of its messages, without the secret that it is about',
  async () => {
    const { env } = await migratedDatabase()
    const run = start({
      ...env,
      PIPELINE_AUTH_TOKEN: token,
      OpenIddict__Applications__Core_App__ClientSecret: 's3cr3t of a public client',
    })
    const exception = expect.stringMatching(
      /^ClientSeeder of OpenId failed, and nothing of it is left: The client Core_App is public, .*\n {2}caused by: OpenId:PublicClientWithSecret .*Core_App.*\n\s+at /s,
    )
    await expect
      .poll(() => run.status(`?token=${token}`), patience)
      .toEqual([200, { state: 'Failed', exception }])
    expect(JSON.stringify(await run.status(`?token=${token}`)) + run.said()).not.toContain('s3cr3t')
  },
  patientMs,
)
