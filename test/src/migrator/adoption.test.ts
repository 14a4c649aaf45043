import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MigratedDatabase } from './migrator-process.js'

const abp = readFileSync(new URL('./abp-database.sql', import.meta.url), 'utf8')

let database: MigratedDatabase
beforeAll(async () => {
  database = await MigratedDatabase.create('keel_test_adoption')
}, 60_000)
beforeEach(async () => {
  await database.clear()
  await database.query(abp)
})
afterAll(() => database.drop())

test('a run makes a database of ABP ours: every row and column stays, what is missing is added, and it does not drift', async () => {
  const before = await columnsOfTables()
  const rows = await rowsOf(before)
  expect(await database.migrate()).toMatchObject({ code: 0, stderr: '' })
  const after = await rowsOf(before)
  for (const [table, known] of Object.entries(rows))
    expect({ table, rows: after[table] }).toEqual({ table, rows: expect.arrayContaining(known) })
  expect(Object.values(rows).flat().length).toBeGreaterThan(25)
  expect(
    await database.query(
      `select "ProductVersion" as version from "__EFMigrationsHistory" order by 1 limit 3`,
    ),
  ).toEqual([{ version: '10.0.0' }, { version: '9.0.0' }, { version: 'Keel' }])
  const { code, stdout } = await database.migrate(['drift'])
  expect(stdout).toContain('-- Tables that are not ours: ')
  expect(stdout).toContain('AppBooks')
  expect({ code, stdout }).toEqual({
    code: 20,
    stdout: expect.stringContaining('AbpUsers.Badge: integer → no column'),
  })
  const again = await database.migrateJson([])
  expect(again.filter(({ step }) => step === 'adopt')).toEqual([])
}, 120_000)

/** The columns of each table, as they were at first. */
async function columnsOfTables(): Promise<{ table: string; columns: string }[]> {
  return database.query(`
    select c.relname as table, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1`)
}

async function rowsOf(
  tables: readonly { table: string; columns: string }[],
): Promise<Record<string, string[]>> {
  const entries = await Promise.all(
    tables.map(async ({ table, columns }) => {
      const rows = await database.query<{ row: string }>(
        `select to_jsonb(t)::text as row from (select ${columns} from "${table}") t`,
      )
      return [table, rows.map(({ row }) => row)] as const
    }),
  )
  return Object.fromEntries(entries)
}

test('the plan shows what adopting would do, and does nothing', async () => {
  const [plan] = (await database.migrateJson(['plan', '--rehearse'])).filter(({ step }) => step === 'plan')
  const [adoption] = (
    plan as { migrations: { name: string; statements: { text: string; destroys?: string }[] }[] }
  ).migrations
  expect(adoption?.name).toBe('adoption of the database of ABP')
  expect(adoption?.statements.filter(({ destroys }) => destroys)).toEqual([])
  expect((plan as { seeds: { what: string }[] }).seeds.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['client Core_App', 'user admin']),
  )
  expect(adoption?.statements.map(({ text }) => text)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^create table "AppApiKeys"/)]),
  )
  expect(await database.query(`select to_regclass('"AppApiKeys"') as missing`)).toEqual([{ missing: null }])
}, 60_000)

test('what does not fit is listed as a whole, and nothing is done', async () => {
  await database.query(`
    alter table "AbpUsers" alter column "EmailConfirmed" drop default;
    alter table "AbpUsers" alter column "EmailConfirmed" type text using "EmailConfirmed"::text;
    alter table "AbpUsers" add column "Shoes" integer not null default 1;
    alter table "AbpUsers" alter column "Shoes" drop default;
    alter table "AbpRoles" alter column "IsDefault" drop not null;
    insert into "AbpRoles" ("Id", "Name", "NormalizedName", "IsStatic", "IsPublic", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime")
      values (gen_random_uuid(), 'Dispatcher', 'DISPATCHER', false, true, 0, '{}', 'x', now());
    alter table "AbpUserClaims" drop constraint "FK_AbpUserClaims_AbpUsers_UserId";
    update "AbpUserClaims" set "UserId" = gen_random_uuid()`)
  const tables = await columnsOfTables()
  const { code, stderr } = await database.migrate()
  expect({
    code,
    lines: stderr
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .sort(),
  }).toEqual({
    code: 21,
    lines: [
      'AbpRoles.IsDefault: 1 rows have no value',
      'AbpRoles: 1 times several rows have the same NormalizedName where "TenantId" IS NULL',
      'AbpUserClaims.UserId: 1 rows point at no row of AbpUsers',
      'AbpUsers.EmailConfirmed: is text, and has to be boolean',
      'AbpUsers.Shoes: is required and not known here: give it a default, or let it be null',
      'This database has tables of ABP that do not fit, and nothing was done to it:',
    ],
  })
  expect(await columnsOfTables()).toEqual(tables)
}, 60_000)
