import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  contentsOf,
  copyProgram,
  makeDatabase,
  migrate,
  patientMs,
  stepsOf,
  type TestDatabase,
  tablesOf,
} from './migrator-program.js'

let empty: TestDatabase
let migrated: TestDatabase
const copies: { remove(): void }[] = []

beforeAll(async () => {
  empty = await makeDatabase('empty')
  migrated = await makeDatabase('migrated')
})
afterAll(async () => {
  for (const copy of copies) copy.remove()
  await empty?.drop()
  await migrated?.drop()
})

const validateOnly = { VALIDATE_MIGRATIONS_ONLY: 'true' }
/** Nobody listens there. */
const nowhere = { ConnectionStrings__Default: 'postgres://nobody:s3cr3t-of-nobody@127.0.0.1:1/none' }

function copy(changes: Parameters<typeof copyProgram>[0]): string {
  const program = copyProgram(changes)
  copies.push(program)
  return program.path
}

test(
  'where there are no migrations, a run writes an initial one and stops early, and validation fails',
  async () => {
    const program = copy({ migrations: 'none' })
    expect(await migrate([], { ...nowhere, ...validateOnly }, program)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^There are no migrations: an initial migration has to be generated/),
    })
    expect(readdirSync(join(program, 'src/migrations'))).toEqual(['snapshot.json'])
    expect(await migrate([], empty.env, program)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^scaffold there were no migrations: wrote \d{8}-initial/),
    })
    const [source = ''] = readdirSync(join(program, 'src/migrations')).filter((name) =>
      name.endsWith('-initial.ts'),
    )
    expect(readFileSync(join(program, 'src/migrations', source), 'utf8')).toContain('create table "AbpUsers"')
    expect(await tablesOf(empty)).toEqual([])
  },
  patientMs,
)

test(
  'pending model changes fail a run and a validation with table, column, old and new, before the database is asked',
  async () => {
    const program = copy({
      snapshot: (text) =>
        text.replace('"Surname", "type": "varchar(64)"', '"Surname", "type": "varchar(32)"'),
    })
    const outcome = {
      code: 4,
      stderr: expect.stringMatching(
        /^Pending model changes found.*\n {2}AbpUsers\.Surname: varchar\(32\) → varchar\(64\)\n$/,
      ),
    }
    expect(await migrate([], nowhere, program)).toMatchObject(outcome)
    expect(await migrate([], { ...nowhere, ...validateOnly }, program)).toMatchObject(outcome)
  },
  patientMs,
)

test(
  'validation of an empty database fails with the names of the migrations and writes nothing',
  async () => {
    const { code, stderr } = await migrate([], { ...empty.env, ...validateOnly })
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        /^Migrations are not applied: \d{8}-initial, \d{8}-table-versions, .*\d{8}-openid/,
      ),
    })
    expect(await tablesOf(empty)).toEqual([])
  },
  patientMs,
)

test(
  'a run and a validation of what is up to date write nothing, and tell each step in a JSON line',
  async () => {
    const before = await contentsOf(migrated)
    const run = await migrate(['--json', '--disable-redis'], migrated.env)
    expect(run.code).toBe(0)
    expect(
      stepsOf(run).map(({ step, state, name }) => [step, state, name].filter(Boolean).join(' ')),
    ).toEqual([
      'check done',
      'lock done',
      'schema done',
      'seed done RoleSeeder',
      'seed done OrganizationUnitSeeder',
      'seed done UserSeeder',
      'seed done RoleGrantSeeder',
      'seed done ClientSeeder',
      'end done',
    ])
    const validation = await migrate(['--json'], { ...migrated.env, ...validateOnly })
    expect(stepsOf(validation).at(-1)).toMatchObject({ step: 'end', state: 'done', exitCode: 0 })
    expect(await contentsOf(migrated)).toEqual(before)
  },
  patientMs,
)

test(
  'a migration that fails leaves nothing of itself, keeps what came before it, and says where it failed',
  async () => {
    const database = await makeDatabase('migrated')
    const program = copy({
      migrations: [
        { name: '20270101-first', up: 'create table "First" ("Id" int);' },
        { name: '20270102-second', up: 'create table "Second" ("Id" int);\nselect * from "Nowhere";' },
      ],
    })
    const run = await migrate(['--json'], database.env, program)
    expect(run).toMatchObject({
      code: 11,
      stderr: expect.stringMatching(
        /^20270102-second failed, and nothing of it is left\n {2}caused by: 20270102-second:2: relation "Nowhere" does not exist/,
      ),
    })
    expect(stepsOf(run).filter(({ step }) => step === 'migrate' || step === 'end')).toMatchObject([
      { state: 'done', message: '20270101-first' },
      { state: 'failed', message: '20270102-second' },
      { state: 'failed', exitCode: 11 },
    ])
    expect((await tablesOf(database)).filter((name) => /First|Second/.test(name))).toEqual(['First'])
    expect(
      await database.query(
        `select "MigrationId" as name from "__EFMigrationsHistory" where "MigrationId" > '2027'`,
      ),
    ).toEqual([{ name: '20270101-first' }])
    await database.drop()
  },
  patientMs,
)

test(
  'layers of configuration add to each other: files by their order and environment, variables, the command line',
  async () => {
    const addressOf = (name: string) => ({ RedirectUris: [`https://${name}.example`] })
    const program = copy({
      files: {
        'appsettings.secrets.json': {
          OpenIddict: {
            Applications: [
              { ClientId: 'web', ClientSecret: 'of the web site' },
              { ClientId: 'secrets', ...addressOf('secrets') },
            ],
          },
        },
        'appsettings.aspire.json': {
          OpenIddict: {
            Applications: [
              { ClientId: 'secrets', ...addressOf('aspire') },
              { ClientId: 'realtime', ...addressOf('aspire') },
            ],
          },
        },
        'appsettings.Staging.json': {
          OpenIddict: {
            Applications: {
              secrets: addressOf('staging'),
              6: { ClientId: 'bruno', ...addressOf('staging') },
            },
            Scopes: [{ Name: 'reports', Resources: ['Core'] }],
          },
        },
      },
    })
    const database = await makeDatabase('migrated')
    const env = {
      ...database.env,
      KEEL_ENVIRONMENT: 'Staging',
      OpenIddict__Applications__6__RedirectUris__0: 'https://variable.example',
    }
    const clients = () =>
      database.query(
        `select "ClientId" as id, "RedirectUris"::json->>0 as uri from "OpenIddictApplications"
        where "ClientId" in ('secrets', 'realtime', 'bruno') order by 1`,
      )
    const kept = async () => [
      await database.query(
        `select "ClientId" as id, "ClientType" as type from "OpenIddictApplications"
        where "ClientId" in ('Core_App', 'admin', 'api', 'web') order by "ClientId" collate "C"`,
      ),
      await database.query('select "Name" as name from "OpenIddictScopes" order by "Name" collate "C"'),
    ]
    expect(await migrate([], env, program)).toMatchObject({ code: 0 })
    expect(await kept()).toEqual([
      [
        { id: 'Core_App', type: 'public' },
        { id: 'admin', type: 'public' },
        { id: 'api', type: 'public' },
        { id: 'web', type: 'confidential' },
      ],
      [{ name: 'Core' }, { name: 'reports' }],
    ])
    expect(await clients()).toEqual([
      { id: 'bruno', uri: 'https://variable.example' },
      { id: 'secrets', uri: 'https://staging.example' },
    ])
    const argument = '--OpenIddict:Applications:6:RedirectUris:0=https://argument.example'
    expect(await migrate([argument], { ...env, USE_ASPIRE_CONFIG: 'true' }, program)).toMatchObject({
      code: 0,
    })
    expect(await clients()).toEqual([
      { id: 'bruno', uri: 'https://argument.example' },
      { id: 'realtime', uri: 'https://aspire.example' },
      { id: 'secrets', uri: 'https://staging.example' },
    ])
    await database.drop()
  },
  patientMs,
)

test(
  'wrong calls and settings have exit codes of their own, and no secret is told',
  async () => {
    const broken = copy({ files: { 'appsettings.secrets.json': '{ "Password": "s3cr3t", }' } })
    const runs = await Promise.all([
      migrate(['undo'], empty.env),
      migrate(['--enable-apis'], empty.env),
      migrate(['add', 'names', '--rename'], empty.env),
      migrate(['--json=yes'], empty.env),
      migrate([], empty.env, broken),
      migrate([], { ConnectionStrings__Default: '' }),
      migrate(['--json'], nowhere),
    ])
    expect(runs.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
      [2, 'There is no command undo'],
      [2, 'There is no option --enable-apis. Did you mean --enable-api?'],
      [2, '--rename needs a value.'],
      [2, '--json takes no value.'],
      [3, expect.stringMatching(/appsettings\.secrets\.json is not valid JSON/)],
      [3, expect.stringMatching(/^ConnectionStrings:Default is not set/)],
      [
        8,
        'The Default database does not answer, or does not let us in: ConnectionStrings:Default leads to 127.0.0.1:1/none',
      ],
    ])
    expect(JSON.stringify(runs)).not.toContain('s3cr3t')
  },
  patientMs,
)

test(
  '--disable-redis leaves Redis alone where the settings ask for it, and without Redis a run goes well too',
  async () => {
    let connections = 0
    const redis = createServer((socket) => {
      connections += 1
      socket.on('error', () => undefined)
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(redis, 'listening')
    const { port } = redis.address() as AddressInfo
    const env = { ...migrated.env, Redis__IsEnabled: 'true', Redis__Configuration: `127.0.0.1:${port}` }
    expect(await migrate(['--disable-redis'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(connections).toBe(0)
    expect(await migrate([], env)).toMatchObject({ code: 0 })
    redis.close()
  },
  patientMs,
)
