import { execFile, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MigratedDatabase } from './migrator-process.js'

let database: MigratedDatabase
let script: string
beforeAll(async () => {
  database = await MigratedDatabase.create('keel_test_script')
  const { code, stdout } = await database.migrate(['script'])
  expect(code).toBe(0)
  script = stdout
}, 60_000)
beforeEach(() => database.clear())
afterAll(() => database.drop())

const history = async (): Promise<unknown[]> =>
  database.query(
    'select "MigrationId" as id, "ProductVersion" as version from "__EFMigrationsHistory" order by 1',
  )

test('a driver that sends the script as one text gets the schema and history of a run, and the second time nothing changes', async () => {
  await database.query(script)
  const applied = await history()
  expect(applied.length).toBeGreaterThan(10)
  expect(await database.migrate(['drift'])).toMatchObject({ code: 0 })
  await database.query(script)
  expect(await history()).toEqual(applied)
  const [plan] = (await database.migrateJson(['plan'])).filter(({ step }) => step === 'plan')
  expect(plan).toMatchObject({ migrations: [] })
}, 60_000)

const psql = spawnSync('psql', ['--version']).status === 0
test.skipIf(!psql && !process.env.CI)(
  'psql runs it twice without a complaint (needs psql)',
  async () => {
    for (const said of ['applied', 'is applied already']) {
      const { stderr } = await runPsql(script)
      expect(stderr).toContain(
        `NOTICE:  ${said === 'applied' ? 'applied 20261121-initial' : '20261121-initial is applied already'}`,
      )
      expect(stderr).not.toContain('ERROR')
    }
    expect(await database.migrate(['drift'])).toMatchObject({ code: 0 })
  },
  60_000,
)

test.skipIf(!psql && !process.env.CI)(
  'where one migration fails, no later one is applied, and the rest of it can be run when it is mended (needs psql)',
  async () => {
    await database.query('create table "AbpClaimTypes" ("Id" integer)')
    expect((await runPsql(script)).stderr).toContain('relation "AbpClaimTypes" already exists')
    const names = (await history()) as { id: string }[]
    expect(names.map(({ id }) => id)).toEqual(['20261121-initial', '20261121-table-versions'])
    await database.query('drop table "AbpClaimTypes"')
    await runPsql(script)
    expect(await database.migrate(['drift'])).toMatchObject({ code: 0 })
  },
  60_000,
)

test('a database of ABP is not touched by the script', async () => {
  await database.query('create table "AbpUsers" ("Id" uuid)')
  await expect(database.query(script)).rejects.toThrow('a run of the migrator adopts it')
  expect(
    await database.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
  ).toEqual([{ relname: 'AbpUsers' }])
}, 60_000)

function runPsql(sql: string): Promise<{ stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile('psql', ['--no-psqlrc', '--quiet', database.url], (_, __, stderr) =>
      resolve({ stderr }),
    )
    child.stdin?.end(sql)
  })
}
