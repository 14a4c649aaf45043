import { administrators, demoUsers } from '@keel/identity'
import { afterEach, expect, test } from 'vitest'
import {
  contentsOf,
  copyProgram,
  makeDatabase,
  migrate,
  patientMs,
  type TestDatabase,
} from './migrator-program.js'

const databases: TestDatabase[] = []

afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

async function databaseOf(kind: 'empty' | 'migrated'): Promise<TestDatabase> {
  const database = await makeDatabase(kind)
  databases.push(database)
  return database
}

const usersIn = (database: TestDatabase) =>
  database.query(`
    select u."UserName" as name, u."Email" as email, u."PasswordHash" is not null as "hasPassword", u."IsActive" as active,
      (select string_agg(r."Name", ',') from "AbpUserRoles" x join "AbpRoles" r on r."Id" = x."RoleId" where x."UserId" = u."Id") as roles
    from "AbpUsers" u where not u."IsDeleted" order by 1`)

const environmentOf = (database: TestDatabase, environment: string): Record<string, string> => ({
  ...database.env,
  KEEL_ENVIRONMENT: environment,
  OpenIddict__Applications__web__ClientSecret: 'of the web site',
})

test(
  'without an environment it is production: nobody gets the published password, and published secrets are no clients’',
  async () => {
    const database = await databaseOf('empty')
    const unnamed = { ...database.env, KEEL_ENVIRONMENT: '' }
    expect(await migrate([], unnamed)).toMatchObject({
      code: 12,
      stderr: expect.stringMatching(
        /^ClientSeeder of OpenId failed, and nothing of it is left: The client web is confidential, so it must have a secret\. .*\n.*ConfidentialClientWithoutSecret/,
      ),
    })
    expect(await migrate([], environmentOf(database, ''))).toMatchObject({ code: 0 })
    expect(await usersIn(database)).toEqual([expect.objectContaining({ name: 'admin', hasPassword: false })])
  },
  patientMs,
)

test(
  'in production the administrators get no password, there are no demo users, and a second run writes nothing',
  async () => {
    const database = await databaseOf('empty')
    const env = {
      ...environmentOf(database, 'Prod'),
      Identity__Administrators__0__UserName: 'ada',
      Identity__Administrators__0__Email: 'ada@customer.example',
      Identity__Administrators__0__Name: 'Ada',
    }
    expect(await migrate([], env)).toMatchObject({ code: 0 })
    expect(await usersIn(database)).toEqual([
      { name: 'ada', email: 'ada@customer.example', hasPassword: false, active: true, roles: 'admin' },
      { name: 'admin', email: 'admin@keel.local', hasPassword: false, active: true, roles: 'admin' },
    ])
    const first = await contentsOf(database)
    expect(await migrate([], env)).toMatchObject({ code: 0 })
    expect(await contentsOf(database)).toEqual(first)
  },
  patientMs,
)

test(
  'no environment but Development gives the published password to anybody, which the log says',
  async () => {
    const database = await databaseOf('migrated')
    for (const environment of ['Staging', 'Production', 'qa', 'Development2']) {
      await database.query('delete from "AbpUserRoles"; delete from "AbpUsers"')
      const { code, stdout } = await migrate([], environmentOf(database, environment))
      expect({ environment, code, users: await usersIn(database) }).toEqual({
        environment,
        code: 0,
        users: [
          { name: 'admin', email: 'admin@keel.local', hasPassword: false, active: true, roles: 'admin' },
        ],
      })
      expect(stdout).toContain('user added without a password user=admin')
    }
  },
  patientMs,
)

test(
  'a database that Development filled is warned of outside Development: users who still have the published password are named',
  async () => {
    const database = await databaseOf('migrated')
    await database.query(`update "AbpUsers" set "PasswordHash" = 'changed' where "UserName" = 'operator'`)
    const { code, stdout } = await migrate([], environmentOf(database, 'Staging'))
    const warned = [
      ...stdout.matchAll(
        /"user":"(\w+)","environment":"Staging","msg":"the user has the published password of Development/g,
      ),
    ]
    expect({ code, warned: warned.map(([, user]) => user) }).toEqual({
      code: 0,
      warned: ['admin', 'customer', 'customeradmin', 'manager', 'pricing', 'pricingmanager', 'superuser'],
    })
  },
  patientMs,
)

test(
  'a client secret of Development is refused elsewhere, and nothing is written',
  async () => {
    const database = await databaseOf('migrated')
    const env = {
      ...environmentOf(database, 'Staging'),
      OpenIddict__Applications__web__ClientSecret: 'development-only-web-secret',
    }
    const before = await contentsOf(database)
    const { code, stdout, stderr } = await migrate([], env)
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain('The client web has a secret that is published for Development')
    expect(await contentsOf(database)).toEqual(before)
  },
  patientMs,
)

test(
  'roles of the hierarchy, their annotated grants, the default organization unit, clients and scope are seeded; tenants are not',
  async () => {
    const database = await databaseOf('migrated')
    const roles = await database.query(
      `select "Name" as name, "IsDefault" as "isDefault", "IsStatic" as "isStatic" from "AbpRoles" order by "IsDefault" desc, "Name" collate "C"`,
    )
    expect(roles).toEqual([
      { name: 'DefaultCustomer', isDefault: true, isStatic: true },
      ...[
        'CustomerAdmin',
        'InternalAdmin',
        'OperationsManager',
        'Operator',
        'PricingAnalyst',
        'PricingManager',
        'SuperUser',
        'admin',
      ].map((name) => ({ name, isDefault: false, isStatic: true })),
    ])
    const grants = await database.query<{ role: string; name: string }>(
      `select "ProviderKey" as role, "Name" as name from "AbpPermissionGrants" where "ProviderName" = 'R'`,
    )
    // One of each: core, Hub, Pricing, a platform module.
    expect(grants).toEqual(
      expect.arrayContaining([
        { role: 'InternalAdmin', name: 'InternalAdmin' },
        { role: 'SuperUser', name: 'ApiKeys.ManageAll' },
        { role: 'DefaultCustomer', name: 'Shipment.View' },
        { role: 'PricingAnalyst', name: 'ChargeCode.Create' },
        { role: 'InternalAdmin', name: 'AbpIdentity.Users.Create' },
      ]),
    )
    expect(
      await database.query(`select "Code" as code, "DisplayName" as name from "AbpOrganizationUnits"`),
    ).toEqual([{ code: '00001', name: 'Default' }])
    expect(
      await database.query(`select "Name" as name, "Resources" as resources from "OpenIddictScopes"`),
    ).toEqual([{ name: 'Core', resources: '["Core"]' }])
    expect(
      await database.query(
        `select "ClientId" as id, "ClientType" as type, "ConsentType" as consent, "Permissions"::jsonb ? 'gt:Impersonation' as impersonates
        from "OpenIddictApplications" order by "ClientId" collate "C"`,
      ),
    ).toEqual([
      { id: 'Core_App', type: 'public', consent: 'implicit', impersonates: true },
      { id: 'admin', type: 'public', consent: 'implicit', impersonates: false },
      { id: 'api', type: 'public', consent: 'implicit', impersonates: false },
      { id: 'tooling', type: 'confidential', consent: 'implicit', impersonates: false },
      { id: 'web', type: 'confidential', consent: 'implicit', impersonates: false },
    ])
    expect(await database.query('select from "SaasTenants"')).toEqual([])
  },
  patientMs,
)

test(
  'a deleted user is enabled again rather than added anew, and what administrators changed stays',
  async () => {
    const database = await databaseOf('migrated')
    const before = await usersIn(database)
    expect(before.map(({ name }) => name)).toEqual(
      [...administrators, ...demoUsers].map(({ userName }) => userName).sort(),
    )
    await database.query(`
    update "AbpUsers" set "IsDeleted" = true, "DeletionTime" = now(), "IsActive" = false where "UserName" in ('admin', 'operator');
    update "AbpUsers" set "Name" = 'Changed' where "UserName" = 'customer';
    update "AbpRoles" set "IsPublic" = false where "Name" = 'Operator';
    delete from "AbpPermissionGrants" where "ProviderKey" = 'Operator' and "Name" = 'Shipment.Create';
    insert into "AbpPermissionGrants" ("Id", "Name", "ProviderName", "ProviderKey")
      values (gen_random_uuid(), 'InternalAdmin', 'R', 'Operator');
    update "AbpOrganizationUnits" set "DisplayName" = 'Headquarters'`)
    const [{ count = 0 } = {}] = await database.query<{ count: number }>(
      'select count(*)::int as count from "AbpUsers"',
    )
    const { code, stdout } = await migrate([], database.env)
    expect(code).toBe(0)
    expect(stdout).toContain('deleted user enabled again user=admin')
    expect(stdout).toContain('role grants added')
    expect(await usersIn(database)).toEqual(before)
    expect(
      await database.query(`
    select (select count(*)::int from "AbpUsers") as users,
      (select "Name" from "AbpUsers" where "UserName" = 'customer') as name,
      (select "IsPublic" from "AbpRoles" where "Name" = 'Operator') as public,
      (select "DisplayName" from "AbpOrganizationUnits") as unit,
      (select string_agg("Name", ',' order by 1) from "AbpPermissionGrants" where "ProviderKey" = 'Operator' and "Name" in ('Shipment.Create', 'InternalAdmin')) as grants`),
    ).toEqual([
      {
        users: count,
        name: 'Changed',
        public: false,
        unit: 'Headquarters',
        grants: 'InternalAdmin,Shipment.Create',
      },
    ])
  },
  patientMs,
)

test(
  'a client is changed only where its addresses or permissions differ, and its secret stays',
  async () => {
    const database = await databaseOf('migrated')
    const clients = () =>
      database.query<{ id: string; row: string; uri: string; secret: string | null }>(
        `select "ClientId" as id, xmin::text as row, "RedirectUris"::json->>0 as uri, "ClientSecret" as secret
        from "OpenIddictApplications" order by 1`,
      )
    const before = await clients()
    await database.query(
      `update "OpenIddictApplications" set "DisplayName" = 'By hand' where "ClientId" = 'Core_App'`,
    )
    const touched = await clients()
    const program = copyProgram({
      files: {
        'appsettings.secrets.json': {
          OpenIddict: {
            Applications: [
              { ClientId: 'web', ClientSecret: 'another', RedirectUris: ['https://web.example'] },
              { ClientId: 'Core_App', DisplayName: 'Other' },
            ],
          },
        },
      },
    })
    expect(await migrate([], database.env, program.path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('client changed clientId=web'),
    })
    program.remove()
    const after = await clients()
    expect(after.filter(({ row }, index) => row !== touched[index]?.row)).toEqual([
      { ...before.find(({ id }) => id === 'web'), uri: 'https://web.example', row: expect.any(String) },
    ])
  },
  patientMs,
)
