import { and, barred, literally, raw, Sorting, type Sql, sql } from '@keel/framework/data'
import type { GetIdentityUsersInput } from '../contracts/index.js'
import { extraPropertiesJson, instantJson } from './json-reads.js'

/** The users that are not deleted, as the table `u`. */
export const users = raw('"AbpUsers" u')

export const isAlive = raw('u."IsDeleted" = false')

const isLockedOut = (now: Date): Sql => sql`(u."LockoutEnabled" and coalesce(u."LockoutEnd" > ${now}, false))`

/** The members of `IdentityUserDto` of the table `u`. */
export const userColumns = (
  now: Date,
): Sql => sql`u."Id" as id, u."TenantId" as "tenantId", u."UserName" as "userName", u."Name" as name, u."Surname" as surname,
  u."Email" as email, u."EmailConfirmed" as "emailConfirmed", u."PhoneNumber" as "phoneNumber",
  u."PhoneNumberConfirmed" as "phoneNumberConfirmed", true as "supportTwoFactor", u."TwoFactorEnabled" as "twoFactorEnabled",
  u."IsActive" as "isActive", u."LockoutEnabled" as "lockoutEnabled", ${isLockedOut(now)} as "isLockedOut",
  ${instantJson('u."LockoutEnd"')} as "lockoutEnd", u."AccessFailedCount" as "accessFailedCount",
  u."ShouldChangePasswordOnNextLogin" as "shouldChangePasswordOnNextLogin", u."IsExternal" as "isExternal",
  array(select r."Name" from "AbpUserRoles" ur join "AbpRoles" r on r."Id" = ur."RoleId" where ur."UserId" = u."Id" order by r."Name")
    as "roleNames",
  u."EntityVersion" as "entityVersion", ${instantJson('u."LastPasswordChangeTime"')} as "lastPasswordChangeTime",
  ${instantJson('u."LastSignInTime"')} as "lastSignInTime", u."ConcurrencyStamp" as "concurrencyStamp",
  ${extraPropertiesJson('u')} as "extraProperties", ${instantJson('u."CreationTime"')} as "creationTime", u."CreatorId" as "creatorId",
  ${instantJson('u."LastModificationTime"')} as "lastModificationTime", u."LastModifierId" as "lastModifierId",
  u."IsDeleted" as "isDeleted", u."DeleterId" as "deleterId", ${instantJson('u."DeletionTime"')} as "deletionTime"`

/** A user as an exported list shows them. */
export interface ExportedUser extends Record<string, unknown> {
  readonly normalizedUserName: string
  readonly userName: string
  readonly email: string
  readonly roleNames: string
  readonly phoneNumber: string | null
  readonly name: string | null
  readonly surname: string | null
  readonly isActive: boolean
  readonly lockoutEnabled: boolean
  readonly emailConfirmed: boolean
  readonly twoFactorEnabled: boolean
  readonly accessFailedCount: number
  readonly creationTime: Date
  readonly lastModificationTime: Date | null
}

/** The members of {@link ExportedUser} of the table `u`. */
export const exportedColumns = sql`u."NormalizedUserName" as "normalizedUserName", u."UserName" as "userName", u."Email" as email,
  (select coalesce(string_agg(r."Name", ', ' order by r."Name"), '') from "AbpUserRoles" ur join "AbpRoles" r on r."Id" = ur."RoleId"
    where ur."UserId" = u."Id") as "roleNames",
  u."PhoneNumber" as "phoneNumber", u."Name" as name, u."Surname" as surname, u."IsActive" as "isActive",
  u."LockoutEnabled" as "lockoutEnabled", u."EmailConfirmed" as "emailConfirmed", u."TwoFactorEnabled" as "twoFactorEnabled",
  u."AccessFailedCount" as "accessFailedCount", u."CreationTime" at time zone 'utc' as "creationTime",
  u."LastModificationTime" at time zone 'utc' as "lastModificationTime"`

/** The members of `UserData` of the table `u`. */
export const userDataColumns = sql`u."Id" as id, u."TenantId" as "tenantId", u."UserName" as "userName", u."Name" as name,
  u."Surname" as surname, u."IsActive" as "isActive", u."Email" as email, u."EmailConfirmed" as "emailConfirmed",
  u."PhoneNumber" as "phoneNumber", u."PhoneNumberConfirmed" as "phoneNumberConfirmed", ${extraPropertiesJson('u')} as "extraProperties"`

/** The fields that lists of users can be sorted by. */
export const userSorting = new Sorting(
  Object.fromEntries(
    [
      ['userName', 'UserName'],
      ['email', 'Email'],
      ['name', 'Name'],
      ['surname', 'Surname'],
      ['phoneNumber', 'PhoneNumber'],
      ['isActive', 'IsActive'],
      ['emailConfirmed', 'EmailConfirmed'],
      ['lockoutEnabled', 'LockoutEnabled'],
      ['lockoutEnd', 'LockoutEnd'],
      ['accessFailedCount', 'AccessFailedCount'],
      ['twoFactorEnabled', 'TwoFactorEnabled'],
      ['isExternal', 'IsExternal'],
      ['lastSignInTime', 'LastSignInTime'],
      ['lastPasswordChangeTime', 'LastPasswordChangeTime'],
      ['creationTime', 'CreationTime'],
      ['lastModificationTime', 'LastModificationTime'],
    ].map(([field, column]) => [field, `u."${column}"`]),
  ),
  'u."Id"',
)

/** Users in whose names, address or number a text is. */
export function matching(filter: string | null | undefined): Sql | undefined {
  if (!filter) return undefined
  const pattern = literally(filter)
  return sql`(u."UserName" ~* ${pattern} or u."Email" ~* ${pattern} or u."Name" ~* ${pattern} or u."Surname" ~* ${pattern}
    or u."PhoneNumber" ~* ${pattern})`
}

/** The users that a list asks for. */
export function userCondition(input: GetIdentityUsersInput, now: Date): Sql {
  const contains = (column: string, text: string | null | undefined): Sql | undefined =>
    text ? sql`${raw(`u."${column}"`)} ~* ${literally(text)}` : undefined
  const is = (condition: Sql, wanted: boolean | null | undefined): Sql | undefined =>
    typeof wanted === 'boolean' ? sql`${condition} = ${wanted}` : undefined
  const when = (column: string, operator: '<=' | '>=', time: Date | null | undefined): Sql | undefined =>
    time ? sql`${raw(`u."${column}" ${operator}`)} ${time}::timestamptz at time zone 'utc'` : undefined
  return and([
    barred(
      [isAlive],
      [
        matching(input.filter),
        contains('UserName', input.userName),
        contains('Email', input.emailAddress),
        contains('PhoneNumber', input.phoneNumber),
        contains('Name', input.name),
        contains('Surname', input.surname),
      ],
    ),
    input.id ? sql`u."Id" = ${input.id}` : undefined,
    input.roleId
      ? sql`exists (select from "AbpUserRoles" ur where ur."UserId" = u."Id" and ur."RoleId" = ${input.roleId})`
      : undefined,
    input.organizationUnitId
      ? sql`exists (select from "AbpUserOrganizationUnits" m where m."UserId" = u."Id" and m."OrganizationUnitId" = ${input.organizationUnitId})`
      : undefined,
    is(isLockedOut(now), input.isLockedOut),
    is(raw('not u."IsActive"'), input.notActive),
    is(raw('u."EmailConfirmed"'), input.emailConfirmed),
    is(raw('u."IsExternal"'), input.isExternal),
    when('CreationTime', '>=', input.minCreationTime),
    when('CreationTime', '<=', input.maxCreationTime),
    when('LastModificationTime', '>=', input.minModifitionTime),
    when('LastModificationTime', '<=', input.maxModifitionTime),
  ])
}
