import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ensurePostgres } from '@keel/embedded-postgres'
import type { Constructor, KeelModule } from '@keel/framework'
import type { Role } from '@keel/framework/contracts'
import {
  createDatabase,
  type DatabaseServer,
  Databases,
  dropDatabase,
  type EntityClass,
  findDrift,
  modelSnapshot,
  sequentialGuid,
  sql,
} from '@keel/framework/data'
import { type ManualClock, startTestHost, type TestCaller, type TestHost } from '@keel/framework/testing'
import { PermissionGrants } from '@keel/permission-management'
import { connectionVariables } from './connections.js'
import { databaseName, readSolution } from './solution.js'

/** Carries from the global set-up to the tests: the server and the migrated databases. */
const variable = 'KEEL_TEST_DATABASES'

interface TestDatabases {
  /** The address of the server, up to the name of a database. */
  readonly server: string
  /** From connection name to the migrated database that test hosts copy. */
  readonly templates: Readonly<Record<string, string>>
}

/**
 * The global set-up of vitest for the tests of a solution: starts the embedded PostgreSQL below `.keel/test` and lets the solution's compiled
 * migrator fill databases, which every test host gets copies of. Answers the tear-down. Throws with the migrator's output when it fails.
 * @param root the folder of the solution
 * @example
 * // vitest.config.ts: globalSetup: ['test/src/support/databases.ts']
 * export default () => setUpDatabases(process.cwd())
 */
export async function setUpDatabases(root: string): Promise<() => Promise<void>> {
  const solution = readSolution(root)
  const server = await ensurePostgres({ directory: join(root, '.keel', 'test'), port: 54_349 })
  const names = Object.fromEntries(
    solution.databases.map((name) => [name, `${databaseName(solution, name)}_test_${process.pid}`]),
  )
  const tearDown = async (): Promise<void> => {
    for (const name of Object.values(names)) await dropDatabase(server, name)
    await server.stop('at-once')
  }
  try {
    for (const name of Object.values(names)) await createDatabase(server, name)
    const connections = Object.fromEntries(
      Object.entries(names).map(([name, database]) => [name, server.urlOf(database)]),
    )
    await runMigrator(root, connectionVariables(connections))
  } catch (error) {
    await tearDown()
    throw error
  }
  process.env[variable] = JSON.stringify({
    server: server.urlOf(''),
    templates: names,
  } satisfies TestDatabases)
  return tearDown
}

function runMigrator(root: string, env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'migrator/dist/main.js')], {
      env: { ...process.env, ...env, KEEL_ENVIRONMENT: 'Development' },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The migrator ended with ${code}:\n${said}`)),
    )
  })
}

/** The rights of a caller: permissions granted to the user alone, and roles. */
export interface CallerRights {
  readonly permissions?: readonly string[]
  readonly roles?: readonly Role[]
}

/** A caller with the user it is. */
export interface AppCaller extends TestCaller {
  readonly userId: string
}

/** A running API host and ways to call it. */
export interface App {
  readonly host: TestHost
  /** A new user with these rights. */
  as(rights: CallerRights): Promise<AppCaller>
  /** The seeded administrator. */
  admin(): Promise<AppCaller>
  /** A sentence for each difference between the tables that schema scripts made and the entity classes; none when no script is missing. */
  missingInSchema(): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Starts an API host on databases of its own, with a real HTTP server.
 * @param root its root module
 * @param settings over those of every test host, by `A:B:C` keys
 * @param clock the clock of the host; the system's when not given
 */
export async function startApp(
  root: Constructor<KeelModule>,
  settings: Readonly<Record<string, string>> = {},
  clock?: ManualClock,
): Promise<App> {
  const { server: address, templates } = databases()
  const server: DatabaseServer = { urlOf: (database) => `${address.replace(/\/$/, '')}/${database}` }
  const host = await startTestHost(root, { server, templates, settings, ...(clock && { clock }) })
  const identity = host.get(Databases).named('Default')
  return { host, as: newUser, admin, missingInSchema, close: () => host.close() }

  async function newUser({ permissions = [], roles = [] }: CallerRights): Promise<AppCaller> {
    const userId = sequentialGuid()
    const userName = `user-${randomUUID().slice(0, 8)}`
    await identity.execute(sql`
      insert into "AbpUsers" ("Id", "UserName", "NormalizedUserName", "Email", "NormalizedEmail", "SecurityStamp", "IsActive",
        "ShouldChangePasswordOnNextLogin", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime")
      values (${userId}, ${userName}, ${userName.toUpperCase()}, ${`${userName}@example.com`}, ${`${userName}@EXAMPLE.COM`.toUpperCase()}, 'stamp', true,
        false, 0, '{}', 'stamp', now() at time zone 'utc')`)
    for (const { name } of roles)
      await identity.execute(
        sql`insert into "AbpUserRoles" ("UserId", "RoleId") select ${userId}, "Id" from "AbpRoles" where "Name" = ${name}`,
      )
    const grants = permissions.map(
      (permission) => ({ providerName: 'U', providerKey: userId, permission }) as const,
    )
    if (grants.length) await host.get(PermissionGrants).grant(grants)
    return callerOf(userId)
  }

  async function admin(): Promise<AppCaller> {
    const [found] = await identity.query<{ id: string }>(
      sql`select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
    )
    if (!found) throw new Error('There is no user admin: its seeder runs in Development alone')
    return callerOf(found.id)
  }

  async function missingInSchema(): Promise<readonly string[]> {
    const told: string[] = []
    for (const { options } of host.application.modules) {
      if (!options.schema) continue
      const model = modelSnapshot((options.entities ?? []) as readonly EntityClass[])
      const database = host.get(Databases).named(options.database ?? 'Default')
      told.push(...(await database.withConnection((session) => findDrift(session, model))).told)
    }
    return told
  }

  async function callerOf(userId: string): Promise<AppCaller> {
    return { ...(await host.as({ subject: userId })), userId }
  }
}

function databases(): TestDatabases {
  const text = process.env[variable]
  if (!text)
    throw new Error('There are no test databases: vitest.config.ts needs setUpDatabases as globalSetup')
  return JSON.parse(text) as TestDatabases
}
