import { afterEach, expect, test } from 'vitest'
import {
  contentsOf,
  copyProgram,
  makeDatabase,
  migrate,
  patientMs,
  schemaOf,
  type TestDatabase,
  type TestMigration,
  tablesOf,
} from './migrator-program.js'

const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0).reverse()) await end()
})

async function migratedDatabase(): Promise<TestDatabase> {
  const database = await makeDatabase('migrated')
  leftovers.push(() => database.drop())
  return database
}

function programWith(...migrations: TestMigration[]): string {
  const program = copyProgram({ migrations })
  leftovers.push(() => program.remove())
  return program.path
}

test(
  'what loses rows or columns needs --allow-destructive, and is named before anything is done',
  async () => {
    const database = await migratedDatabase()
    const program = programWith(
      { name: '20270101-harmless', up: 'create table "New" ("Id" int);\ndrop index "IX_AbpUsers_Email";' },
      {
        name: '20270102-harmful',
        up: `
delete from "New";
alter table "AbpSecurityLogs"
  drop column "BrowserInfo", alter column "CreationTime" type date;
-- destructive: old names are overwritten
update "AbpOrganizationUnits" set "DisplayName" = 'Main';
do $$ begin execute 'drop table ' || quote_ident('AbpLinkUsers'); end $$;
-- loses nothing: it only asks PostgreSQL how it does
do $$ begin perform pg_stat_clear_snapshot(); end $$;
do $$ begin perform count(*) from "AbpUsers"; delete from "New"; end $$;
do $$ begin if exists (select from "AbpUsers") then delete from "AbpUserTokens"; end if; end $$;
-- loses nothing: it is the same everywhere
delete from "AbpClaimTypes";`,
      },
    )
    const before = await contentsOf(database)
    const refused = await migrate([], database.env, program)
    expect(refused.code).toBe(7)
    expect(refused.stderr.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      expect.stringMatching(
        /^ {2}20270102-harmful:3: .*AbpSecurityLogs\.BrowserInfo.*AbpSecurityLogs\.CreationTime/,
      ),
      expect.stringMatching(/^ {2}20270102-harmful:6: old names are overwritten/),
      expect.stringMatching(/^ {2}20270102-harmful:7: nobody can see what this code does/),
      expect.stringMatching(/^ {2}20270102-harmful:11: rows of AbpUserTokens|all rows of AbpUserTokens/),
    ])
    expect(await contentsOf(database)).toEqual(before)
    expect(await migrate(['--allow-destructive'], database.env, program)).toMatchObject({ code: 0 })
    expect(await tablesOf(database)).toContain('New')
    expect(await tablesOf(database)).not.toContain('AbpLinkUsers')
  },
  patientMs,
)

test(
  'a narrowed column is flagged in the plan, and a run that finds a longer value changes nothing',
  async () => {
    const database = await migratedDatabase()
    await database.query(`
    alter table "AbpClaimTypes" alter column "RegexDescription" type varchar(200);
    insert into "AbpClaimTypes" ("Id", "Name", "Required", "IsStatic", "ValueType", "RegexDescription", "CreationTime", "ExtraProperties", "ConcurrencyStamp")
      values (gen_random_uuid(), 'Berth', false, false, 0, repeat('x', 129), now(), '{}', 'x')`)
    const narrowing = 'alter table "AbpClaimTypes" alter column "RegexDescription" type varchar(128);'
    const flag = 'itself when a value of AbpClaimTypes.RegexDescription does not fit varchar(128)'
    const program = programWith({ name: '20270101-narrow', up: narrowing })
    const { stdout } = await migrate(['plan'], database.env, program)
    expect(stdout).toContain(`${narrowing}\n`)
    expect(stdout).toContain(`--! breaks ${flag}`)
    const before = await contentsOf(database)
    const run = await migrate([], database.env, program)
    expect(run.code).not.toBe(0)
    expect(run.stderr).toContain('value too long for type character varying(128)')
    expect(await contentsOf(database)).toEqual(before)
  },
  patientMs,
)

test(
  'down takes back what came after a migration, with consent, and a run brings all of it again',
  async () => {
    const database = await migratedDatabase()
    const before = await schemaOf(database)
    const [first = { name: '' }] = await database.query<{ name: string }>(
      `select "MigrationId" as name from "__EFMigrationsHistory" where "MigrationId" like '%-initial'`,
    )
    expect(await migrate(['down', first.name], database.env)).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/the table AbpAuditLogs with all its rows/),
    })
    expect(await schemaOf(database)).toEqual(before)
    const down = await migrate(['down', first.name, '--allow-destructive'], database.env)
    expect(down).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`the schema is that of ${first.name}`),
    })
    expect(await tablesOf(database)).not.toContain('AbpAuditLogs')
    expect(await database.query('select "MigrationId" as name from "__EFMigrationsHistory"')).toEqual([first])
    // On its way it deletes grants that are there twice.
    expect(await migrate(['--allow-destructive'], database.env)).toMatchObject({ code: 0 })
    expect(await schemaOf(database)).toEqual(before)
  },
  patientMs,
)

test(
  'down refuses migrations that there are not, that are not applied, and from which there is no way',
  async () => {
    const database = await migratedDatabase()
    const added = [
      { name: '20270101-one-way', up: 'create table "New" ("Id" int);' },
      { name: '20270102-later', up: 'create table "Later" ("Id" int);', down: 'drop table "Later";' },
    ]
    const program = programWith(...added)
    const [last = { name: '' }] = await database.query<{ name: string }>(
      `select max("MigrationId") as name from "__EFMigrationsHistory"`,
    )
    expect(await migrate(['down', '20270101-one-way'], database.env, program)).toMatchObject({
      code: 13,
      stderr: '20270101-one-way is not applied to this database\n',
    })
    expect(await migrate([], database.env, program)).toMatchObject({ code: 0 })
    expect(await migrate(['down', last.name, '--allow-destructive'], database.env, program)).toMatchObject({
      code: 13,
      stderr: 'There is no way down from 20270101-one-way\n',
    })
    expect(await migrate(['down', last.name, '--allow-destructive'], database.env)).toMatchObject({
      code: 13,
      stderr:
        'The database has migrations of another release, which has to take them back: 20270101-one-way, 20270102-later\n',
    })
    expect(await migrate(['down', 'nowhere'], database.env)).toMatchObject({
      code: 13,
      stderr: 'There is no migration nowhere\n',
    })
  },
  patientMs,
)
