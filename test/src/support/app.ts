import { randomUUID } from 'node:crypto'
import { ApiHost } from '@keel/api-host'
import type { Constructor, KeelModule } from '@keel/framework'
import type { PermissionDefinition, Role } from '@keel/framework/contracts'
import { type DatabaseServer, Databases, sequentialGuid, sql } from '@keel/framework/data'
import { type ManualClock, startTestHost, type TestCaller, type TestHost } from '@keel/framework/testing'
import { Reauthentication } from '@keel/identity/contracts'
import { PermissionGrants } from '@keel/permission-management'
import { behindProxy, hasCopies, sameBuild } from './copies.js'
import { comparedWithDocument } from './documented-traffic.js'
import { ApiWithoutPricing, besidePricing, isPricingAlone } from './own-pricing.js'
import { behindRelays, isRemote } from './relays.js'
import { spareDatabases } from './spare-databases.js'
import { templates, testServer } from './test-databases.js'

/** Who calls: permissions granted to the user alone, roles, and the codes of organizations they are a member of. */
export interface Caller {
  readonly permissions?: readonly string[]
  readonly roles?: readonly Role[]
  readonly organizations?: readonly string[]
}

/** A caller with the user it is. */
export interface AppCaller extends TestCaller {
  readonly userId: string
}

/** A running API host and ways to call it. */
export interface App {
  readonly host: TestHost
  readonly permissions: ReadonlyMap<string, PermissionDefinition>
  /** A new user with these rights. */
  as(caller: Caller): Promise<AppCaller>
  /** The seeded administrator. */
  admin(): Promise<AppCaller>
  close(): Promise<void>
}

/**
 * Starts the API host on databases of its own, by the system's clock or one that the test sets. With `directServer` it listens for changes also where
 * its other connections go through a pooler. {@link ApiWithoutPricing} gets Pricing's host beside it.
 */
export async function startApp(
  root: Constructor<KeelModule> = ApiHost,
  settings: Record<string, string> = {},
  clock?: ManualClock,
  directServer?: DatabaseServer,
): Promise<App> {
  const own = hasCopies ? { ...sameBuild, ...settings } : settings
  const listed = isPricingAlone && root === ApiHost ? ApiWithoutPricing : root
  const first = comparedWithDocument(
    await startTestHost(listed, {
      server: testServer,
      databases: spareDatabases,
      ...(directServer && { directServer }),
      templates,
      settings: own,
      ...(clock && { clock }),
    }),
    { root: listed, settings: own },
  )
  const host =
    listed === ApiWithoutPricing
      ? await besidePricing(first, own, clock)
      : hasCopies
        ? await behindProxy(first, root, own, clock)
        : isRemote && root === ApiHost
          ? await behindRelays(first, own, clock)
          : first
  const databases = host.get(Databases)
  const identity = databases.named('Default')
  return { host, permissions: host.application.permissions, as: newUser, admin, close: () => host.close() }

  async function newUser({ permissions = [], roles = [], organizations = [] }: Caller): Promise<AppCaller> {
    const userId = sequentialGuid()
    const userName = `user-${randomUUID().slice(0, 8)}`
    await identity.execute(sql`
      insert into "AbpUsers" ("Id", "UserName", "NormalizedUserName", "Email", "NormalizedEmail", "SecurityStamp", "IsActive",
        "ShouldChangePasswordOnNextLogin", "EntityVersion", "ExtraProperties", "ConcurrencyStamp", "CreationTime")
      values (${userId}, ${userName}, ${userName.toUpperCase()}, ${`${userName}@example.com`}, ${`${userName}@EXAMPLE.COM`.toUpperCase()}, 'stamp', true,
        false, 0, '{}', 'stamp', now() at time zone 'utc')`)
    for (const { name } of roles) {
      await identity.execute(
        sql`insert into "AbpUserRoles" ("UserId", "RoleId") select ${userId}, "Id" from "AbpRoles" where "Name" = ${name}`,
      )
    }
    if (permissions.length) {
      const grants = permissions.map(
        (permission) => ({ providerName: 'U', providerKey: userId, permission }) as const,
      )
      await host.get(PermissionGrants).grant(grants)
    }
    for (const [index, code] of organizations.entries()) {
      await databases.named('Hub').execute(sql`
        insert into "HubOrganizationMembers" ("Id", "OrganizationId", "UserId", "UserName", "AccessScope", "IsDefault", "CreationTime")
        select ${sequentialGuid()}, "Id", ${userId}, ${userName}, 1, ${index === 0}, now() from "HubOrganizations" where "Code" = ${code}`)
    }
    if (organizations.length) databases.named('Hub').feed.changed('HubOrganizationMembers')
    return callerOf(userId)
  }

  async function admin(): Promise<AppCaller> {
    const [found] = await identity.query<{ id: string }>(
      sql`select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
    )
    return callerOf(found?.id ?? '')
  }

  async function callerOf(userId: string): Promise<AppCaller> {
    await provePerson(host, userId)
    return { ...(await host.as({ subject: userId })), userId }
  }
}

/** As if a user had just signed in: for some minutes they may change what they sign in with. */
export async function provePerson(host: TestHost, userId: string): Promise<void> {
  await host.application.find(Reauthentication)?.note(userId, [''])
}
