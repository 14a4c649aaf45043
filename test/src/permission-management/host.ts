import { ApiHost } from '@keel/api-host'
import { Configuration, createApplication, KeelModule, Module } from '@keel/framework'
import { OnlyFor, PermissionGroup } from '@keel/framework/contracts'
import { Databases, sql } from '@keel/framework/data'
import { manageAllKeysPolicy, managePolicies } from '@keel/permission-management/contracts'
import type { App } from '../support/app.js'
import { type Answer, type Sender, send } from '../support/wire.js'

/** A permission that only clients can be granted, with one below it. */
@PermissionGroup('Lookup')
export class LookupPermissions {
  @OnlyFor('C') static readonly Lookup = 'Test.Lookup'
  static readonly Deep = 'Test.Lookup.Deep'
}

/** The policies of holders whose modules this host has not got. */
@PermissionGroup('Policies')
class MissingPolicies {}
const { permissions: known } = createApplication(ApiHost, new Configuration())
const missing = [...Object.values(managePolicies), manageAllKeysPolicy].filter((name) => !known.has(name))
Object.assign(MissingPolicies, Object.fromEntries(missing.map((name) => [name.replaceAll('.', ''), name])))

/** The API host, with every permission that permission management asks for. */
@Module({ dependsOn: [ApiHost], permissions: [MissingPolicies, LookupPermissions] })
export class PermissionsHost extends KeelModule {}

/** What it takes to manage the grants of everybody. */
export const manager = [...Object.values(managePolicies), manageAllKeysPolicy]

const root = '/api/permission-management'

/** The address of an operation below `/api/permission-management` with a query. */
export function addressOf(path: string, query: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return `${root}/${path}?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`
}

/** A holder's address in a query. */
export const holder = (providerName: string, providerKey: string) => ({ providerName, providerKey })

/** The permission dialog of a holder. */
export const read = (who: Sender, providerName: string, providerKey: string): Promise<Answer> =>
  send(who, 'GET', addressOf('permissions', holder(providerName, providerKey)))

/** What permissions are to be, by their names. */
export type Wanted = Record<
  string,
  Partial<{ isGranted: boolean; isProhibited: boolean }> | boolean | undefined
>

/** The body of an update. */
export const wantedBody = (wanted: Wanted) => ({
  permissions: Object.entries(wanted).map(([name, value]) => ({
    name,
    ...(typeof value === 'object' ? { isGranted: false, ...value } : { isGranted: value ?? false }),
  })),
})

/** Changes what a holder is granted. */
export const put = (
  who: Sender,
  providerName: string,
  providerKey: string,
  wanted: Wanted,
): Promise<Answer> =>
  send(who, 'PUT', addressOf('permissions', holder(providerName, providerKey)), wantedBody(wanted))

/** A permission of a dialog. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
export function permissionOf({ body }: Answer, name: string): any {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return body.groups.flatMap(({ permissions }: any) => permissions).find((one: any) => one.name === name)
}

/** Registers clients, so that they can be granted something. */
export async function addClients(
  { host }: Pick<App, 'host'>,
  ...clientIds: readonly string[]
): Promise<void> {
  await host
    .get(Databases)
    .named('Default')
    .execute(sql`
    insert into "OpenIddictApplications" ("Id", "ClientId", "ClientType", "ConsentType", "ExtraProperties", "ConcurrencyStamp", "CreationTime", "IsDeleted")
    select gen_random_uuid(), id, 'public', 'implicit', '{}', 'stamp', now() at time zone 'utc', false from unnest(${clientIds}::text[]) as id`)
}
