import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { testOfDirectConnections } from '../support/direct-connections.js'
import { noPooler, startPooler } from '../support/pgbouncer.js'
import {
  contentsOf,
  copyProgram,
  type MigratorProcess,
  makeDatabase,
  migrate,
  patientMs,
  startMigrator,
  type TestDatabase,
  type TestMigration,
  tablesOf,
} from './migrator-program.js'

const patience = { timeout: 60_000, interval: 100 }
const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0).reverse()) await end()
})

async function databaseOf(kind: 'empty' | 'migrated'): Promise<TestDatabase> {
  const database = await makeDatabase(kind)
  leftovers.push(() => database.drop())
  return database
}

function programWith(...migrations: TestMigration[]): string {
  const program = copyProgram({ migrations })
  leftovers.push(() => program.remove())
  return program.path
}

function start(env: Record<string, string>, program?: string): MigratorProcess {
  const run = startMigrator([], env, program)
  leftovers.push(() => run.child.kill('SIGKILL'))
  return run
}

const sleepers = async (database: TestDatabase): Promise<number> =>
  (
    await database.query(
      `select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%select pg_sleep(600)%'
        and pid <> pg_backend_pid()`,
    )
  ).length

test(
  'of five at once one migrates, and the others wait for it, say for whom, and find nothing to do',
  async () => {
    const { env } = await databaseOf('empty')
    const runs = await Promise.all([1, 2, 3, 4, 5].map(() => migrate([], env)))
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    const workers = runs.filter(({ stdout }) => stdout.includes('the schema is migrated'))
    const waiters = runs.filter(({ stdout }) => stdout.includes('the schema is up to date'))
    expect([workers.length, waiters.length]).toEqual([1, 4])
    for (const { stdout } of waiters)
      expect(stdout).toMatch(/waiting for another migrator: PostgreSQL process \d+ \(keel migrator, since 2/)
  },
  patientMs,
)

test(
  'a lock ends with the migrator that held it, and so does the statement it was at',
  async () => {
    const database = await databaseOf('migrated')
    const program = programWith({ name: '20270101-long', up: 'select pg_sleep(600);' })
    const first = start(database.env, program)
    await expect.poll(() => sleepers(database), patience).toBe(1)
    const second = start(database.env, program)
    await expect.poll(() => second.said(), patience).toContain('waiting for another migrator')
    first.child.kill('SIGKILL')
    await expect.poll(() => second.said(), patience).toContain('no other migrator is at work')
    await expect.poll(() => sleepers(database), patience).toBe(1)
    second.child.kill('SIGKILL')
    await expect.poll(() => sleepers(database), patience).toBe(0)
  },
  patientMs,
)

// A pooler may log in as one role for all.
testOfDirectConnections(
  'who waits for another migrator for too long gives up and says who it is, as far as its role may see',
  async () => {
    const database = await databaseOf('migrated')
    const other = await database.connect()
    await other.query(`set application_name to 'another migrator'`)
    await other.query(`select pg_advisory_lock(hashtextextended('keel:migrator', 0))`)
    const role = `keel_test_${randomUUID().slice(0, 8)}`
    await other.query(`create role ${role} login password 'known to the test'`)
    leftovers.push(() => database.query(`drop role ${role}`))
    const limited = new URL(database.url)
    limited.username = role
    limited.password = 'known to the test'
    const wait = { Migrator__WaitTimeoutMs: '300' }
    const runs = await Promise.all([
      migrate([], { ...database.env, ...wait }),
      migrate([], { ConnectionStrings__Default: limited.href, ...wait }),
    ])
    const holder = String.raw`PostgreSQL process \d+ \(another migrator`
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [9, expect.stringMatching(new RegExp(`^Another migrator is at work .*${holder}, since 2`))],
      [9, expect.stringMatching(new RegExp(`^Another migrator is at work .*${holder}\\)`))],
    ])
  },
  patientMs,
)

test(
  'a run whose lock is lost ends at once, and what it was at is not kept',
  async () => {
    const database = await databaseOf('migrated')
    const run = start(database.env, programWith({ name: '20270101-long', up: 'select pg_sleep(600);' }))
    await expect.poll(() => sleepers(database), patience).toBe(1)
    await database.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended('keel:migrator', 0)
      and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(await run.done).toMatchObject({
      code: 14,
      stderr: expect.stringMatching(/^The connection that held the lock of this run was lost/),
    })
    await expect.poll(() => sleepers(database), patience).toBe(0)
  },
  patientMs,
)

test(
  'a migration waits for a lock a few times for a moment, names who has it, and leaves all as it was',
  async () => {
    const database = await databaseOf('migrated')
    const program = programWith({ name: '20270101-note', up: 'alter table "AbpRoles" add "Note" text;' })
    const other = await database.connect()
    await other.query(`set application_name to 'a long report'`)
    await other.query('begin')
    await other.query('select from "AbpRoles"')
    const limits = { Migrator__LockTimeoutMs: '1500', Migrator__LockAttempts: '2' }
    const before = await contentsOf(database)
    const { code, stdout, stderr } = await migrate([], { ...database.env, ...limits }, program)
    expect({ code, stderr }).toEqual({
      code: 10,
      stderr: expect.stringMatching(
        /^20270101-note got no lock in 1500 ms .*PostgreSQL process \d+ \(a long report, since .*is in the way/,
      ),
    })
    expect(stdout).toContain('attempt 1 of 2')
    expect(await contentsOf(database)).toEqual(before)
  },
  patientMs,
)

test(
  'a statement that takes too long is ended, and nothing of its migration is left',
  async () => {
    const database = await databaseOf('migrated')
    const program = programWith({
      name: '20270101-slow',
      up: 'create table "Slow" ("Id" int);\nselect pg_sleep(600);',
    })
    const env = { ...database.env, Migrator__StatementTimeoutMs: '300' }
    expect(await migrate([], env, program)).toMatchObject({
      code: 10,
      stderr: expect.stringMatching(/^A statement of 20270101-slow took longer than 300 ms/),
    })
    expect(await tablesOf(database)).not.toContain('Slow')
  },
  patientMs,
)

describe.skipIf(noPooler)('through a PgBouncer in transaction mode', () => {
  test(
    'two migrators at once keep apart, and the one that waits finds nothing to do',
    async () => {
      const database = await databaseOf('migrated')
      const pooler = await startPooler(database.url)
      leftovers.push(() => pooler.stop())
      const env = { ConnectionStrings__Default: pooler.through(database.url) }
      const program = programWith({ name: '20270101-one', up: 'create table "One" ("Id" int);' })
      const runs = await Promise.all([migrate([], env, program), migrate([], env, program)])
      expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ])
      expect(runs.filter(({ stdout }) => stdout.includes('the schema is migrated'))).toHaveLength(1)
    },
    patientMs,
  )
})
