import { JsonView, literally, now, type RowsRequest, raw, type Sql, sql, textIn } from '@keel/framework/data'
import { type GetIdentityUsersInput, IdentityUserDto, UserData } from '../contracts/index.js'
import { normalizedName } from '../contracts/normalized-name.js'
import { User } from '../domain/user.js'
import { hasRole, isInUnit } from './membership-conditions.js'

const isLockedOut = (t: Sql): Sql =>
  sql`(${t}."LockoutEnabled" and coalesce(${t}."LockoutEnd" > ${now}::timestamptz, false))`

const roleNames = (t: Sql): Sql =>
  sql`select r."Name" from "AbpUserRoles" ur join "AbpRoles" r on r."Id" = ur."RoleId" where ur."UserId" = ${t}."Id" order by r."Name"`

const searchIn = ['userName', 'email', 'name', 'surname', 'phoneNumber']
const sortBy = [
  'userName',
  'email',
  'name',
  'surname',
  'phoneNumber',
  'isActive',
  'emailConfirmed',
  'lockoutEnabled',
  'lockoutEnd',
  'accessFailedCount',
  'twoFactorEnabled',
  'isExternal',
  'lastSignInTime',
  'lastPasswordChangeTime',
  'creationTime',
  'lastModificationTime',
]

/** Users as they are shown to those who manage them. */
export const userView = new JsonView(User, IdentityUserDto, {
  members: (t) => ({
    supportTwoFactor: sql`true`,
    isLockedOut: isLockedOut(t),
    roleNames: sql`array(${roleNames(t)})`,
  }),
  sortBy,
  searchIn,
})

/** Users as other services look them up. */
export const userDataView = new JsonView(User, UserData, { sortBy, searchIn })

/** Users as they are exported, by name. */
export const exportedUserView = new JsonView(User, undefined, { sortBy: ['normalizedUserName'], searchIn })

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
  readonly extraProperties: Readonly<Record<string, unknown>>
}

/** The members of {@link ExportedUser} of the table `t`. */
export const exportedColumns = sql`t."NormalizedUserName" as "normalizedUserName", t."UserName" as "userName", t."Email" as email,
  array_to_string(array(${roleNames(raw('t'))}), ', ') as "roleNames",
  t."PhoneNumber" as "phoneNumber", t."Name" as name, t."Surname" as surname, t."IsActive" as "isActive",
  t."LockoutEnabled" as "lockoutEnabled", t."EmailConfirmed" as "emailConfirmed", t."TwoFactorEnabled" as "twoFactorEnabled",
  t."AccessFailedCount" as "accessFailedCount", t."CreationTime" at time zone 'utc' as "creationTime",
  t."LastModificationTime" at time zone 'utc' as "lastModificationTime",
  coalesce(nullif(t."ExtraProperties", ''), '{}')::json as "extraProperties"`

/** Conditions that one user meets. */
export const isUser = {
  withId: (id: string): Sql => sql`t."Id" = ${id}`,
  named: (userName: string): Sql => sql`t."NormalizedUserName" = ${normalizedName(userName.trim())}`,
  withEmail: (email: string): Sql => sql`t."NormalizedEmail" = ${normalizedName(email.trim())}`,
}

/** Users behind a normalized name, in the order of names. */
export const isBehind = (normalizedUserName: string): Sql =>
  sql`t."NormalizedUserName" > ${normalizedUserName}`

/** The users that a list asks for. */
export function usersAskedFor(
  input: GetIdentityUsersInput,
): Omit<RowsRequest, 'sorting' | 'defaultSorting'> & Required<Pick<RowsRequest, 'conditions'>> {
  const contains = (column: string, text: string | null | undefined): Sql | undefined =>
    text ? textIn([raw(`t."${column}"`)], literally(text)) : undefined
  const is = (condition: Sql, wanted: boolean | null | undefined): Sql | undefined =>
    typeof wanted === 'boolean' ? sql`${condition} = ${wanted}` : undefined
  const when = (column: string, operator: '<=' | '>=', time: Date | null | undefined): Sql | undefined =>
    time ? sql`${raw(`t."${column}" ${operator}`)} ${time}::timestamptz at time zone 'utc'` : undefined
  return {
    filter: input.filter,
    equal: { id: input.id },
    searches: [
      contains('UserName', input.userName),
      contains('Email', input.emailAddress),
      contains('PhoneNumber', input.phoneNumber),
      contains('Name', input.name),
      contains('Surname', input.surname),
    ],
    conditions: [
      input.roleId ? hasRole(input.roleId) : undefined,
      input.organizationUnitId ? isInUnit(input.organizationUnitId) : undefined,
      is(isLockedOut(raw('t')), input.isLockedOut),
      is(raw('not t."IsActive"'), input.notActive),
      is(raw('t."EmailConfirmed"'), input.emailConfirmed),
      is(raw('t."IsExternal"'), input.isExternal),
      when('CreationTime', '>=', input.minCreationTime),
      when('CreationTime', '<=', input.maxCreationTime),
      when('LastModificationTime', '>=', input.minModifitionTime),
      when('LastModificationTime', '<=', input.maxModifitionTime),
    ],
  }
}
