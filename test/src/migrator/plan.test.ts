import { afterAll, beforeAll, expect, test } from 'vitest'
import { MigratedDatabase } from './migrator-process.js'

interface PlanLine {
  readonly message: string
  readonly migrations: {
    readonly name: string
    readonly statements: { readonly text: string; readonly locks: object[]; readonly isDangerous: boolean }[]
  }[]
  readonly seeds:
    | { readonly table: string; readonly change: string; readonly what: string; columns?: object }[]
    | null
}

let database: MigratedDatabase
beforeAll(async () => {
  database = await MigratedDatabase.create('keel_test_plan')
}, 60_000)
afterAll(() => database.drop())

const plan = async (...args: string[]): Promise<PlanLine> => {
  const lines = await database.migrateJson(['plan', ...args])
  return lines.find(({ step }) => step === 'plan') as unknown as PlanLine
}

test('the plan for an empty database shows every migration and every row that would be seeded, and leaves no trace', async () => {
  const { migrations, seeds } = await plan()
  expect(migrations.length).toBeGreaterThan(10)
  expect(migrations.flatMap(({ statements }) => statements).filter(({ isDangerous }) => isDangerous)).toEqual(
    [],
  )
  expect(seeds?.map(({ change, what }) => `${change} ${what}`)).toEqual(
    expect.arrayContaining([
      'added client Core_App',
      'added scope Core',
      'added role DefaultCustomer',
      'added user admin',
      'added grant R DefaultCustomer Shipment.View',
    ]),
  )
  expect(
    await database.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
  ).toEqual([])
}, 60_000)

test('what was planned is what a run writes, and a second plan shows none', async () => {
  const planned = (await plan()).seeds?.map(({ what }) => what) ?? []
  expect(await database.migrate()).toMatchObject({ code: 0 })
  const clients = await database.query<{ what: string }>(
    `select 'client ' || "ClientId" as what from "OpenIddictApplications"`,
  )
  const grants = await database.query<{ what: string }>(
    `select concat_ws(' ', 'grant', "ProviderName", "ProviderKey", "Name") as what from "AbpPermissionGrants"`,
  )
  const written = [...clients, ...grants].map(({ what }) => what)
  expect(planned.filter((what) => /^(client|grant) /.test(what)).sort()).toEqual(written.sort())
  expect(await plan()).toMatchObject({ migrations: [], seeds: [] })
  expect((await database.migrate(['plan'])).stdout).toBe(
    '0 pending migrations, 0 dangerous statements, 0 seed changes\n',
  )
}, 60_000)

test('seed changes are shown as a difference, without what is secret', async () => {
  await database.query(`
    update "OpenIddictApplications" set "RedirectUris" = '["http://old"]' where "ClientId" = 'admin';
    delete from "AbpPermissionGrants" where "ProviderKey" = 'DefaultCustomer' and "Name" = 'Shipment.View';
    update "AbpUsers" set "IsDeleted" = true where "UserName" = 'admin'`)
  const before = await database.query('select xmin, * from "OpenIddictApplications"')
  const { seeds } = await plan()
  expect(seeds).toEqual(
    expect.arrayContaining([
      {
        table: 'OpenIddictApplications',
        change: 'updated',
        what: 'client admin',
        columns: {
          RedirectUris: {
            from: '["http://old"]',
            to: '["http://localhost:4002/authentication/login-callback"]',
          },
        },
      },
      { table: 'AbpPermissionGrants', change: 'added', what: 'grant R DefaultCustomer Shipment.View' },
      {
        table: 'AbpUsers',
        change: 'updated',
        what: 'user admin',
        columns: expect.objectContaining({ IsDeleted: { from: true, to: false } }),
      },
    ]),
  )
  expect(await database.query('select xmin, * from "OpenIddictApplications"')).toEqual(before)
}, 60_000)

test('a pending migration on tables in use is shown with its locks, and tried only where that is asked for', async () => {
  expect(await database.migrate()).toMatchObject({ code: 0 })
  const [last] = await database.query<{ name: string }>(
    `delete from "__EFMigrationsHistory" where "MigrationId" = '20261121-sessions-tell-their-end' returning "MigrationId" as name`,
  )
  const { migrations, seeds } = await plan()
  expect(migrations).toMatchObject([
    {
      name: last?.name,
      statements: [
        {
          text: 'drop trigger "TR_AbpSessions_NotifyChange" on "AbpSessions"',
          line: 2,
          locks: [
            {
              table: 'AbpSessions',
              mode: 'AccessExclusiveLock',
              blocks: 'reads and writes',
              estimatedRows: 0,
            },
          ],
        },
        {
          locks: [
            { table: 'AbpSessions', mode: 'ShareRowExclusiveLock', blocks: 'writes', estimatedRows: 0 },
          ],
        },
      ],
    },
  ])
  expect(seeds).toBeNull()
  expect((await plan('--rehearse')).seeds).toEqual([])
  expect((await database.migrate(['plan'])).stdout).toContain(
    '--  locks AbpSessions (about 0 rows): AccessExclusiveLock, blocks reads and writes',
  )
}, 60_000)
