import { Injectable } from '@keel/framework'
import { BusinessError, faultOf, ValidationError } from '@keel/framework/contracts'
import {
  type Database,
  Databases,
  JsonView,
  PageReader,
  raw,
  type Sql,
  sequentialGuid,
  sql,
  UnitOfWork,
} from '@keel/framework/data'
import { ClaimTypeDto, IdentityErrors } from '../contracts/index.js'
import { ClaimType } from '../domain/claim-type.js'

/** A claim of a user or role. */
export interface Claim {
  readonly claimType: string
  readonly claimValue: string | null
}

/** The owners of claims: the table of their claims, and the column with the owner's id. */
const owners = {
  user: { table: 'AbpUserClaims', column: 'UserId', member: 'userId' },
  role: { table: 'AbpRoleClaims', column: 'RoleId', member: 'roleId' },
} as const

/** Claim types as they are shown. */
export const claimTypeView = new JsonView(ClaimType, ClaimTypeDto, {
  members: (t) => ({
    valueTypeAsString: sql`(array['String', 'Int', 'Boolean', 'DateTime'])[${t}."ValueType" + 1]`,
  }),
  sortBy: ['name', 'required', 'isStatic', 'valueType', 'creationTime'],
  searchIn: ['name'],
})

/** The claims of users and roles. */
@Injectable()
export class Claims {
  readonly database: Database

  constructor(
    databases: Databases,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(ClaimType)
  }

  /** Every claim type, by name. */
  types(): Promise<ClaimTypeDto[]> {
    return this.pages.array(ClaimTypeDto, claimTypeView, { defaultSorting: 'name' })
  }

  /** The claims of a user or role as rows with `userId` or `roleId`, `claimType` and `claimValue`. */
  of(kind: keyof typeof owners, ownerId: string): Promise<(Claim & Record<string, unknown>)[]> {
    const { table, column, member } = owners[kind]
    return this.database.query<Claim & Record<string, unknown>>(sql`
      select ${raw(`"${column}" as "${member}"`)}, "ClaimType" as "claimType", "ClaimValue" as "claimValue"
      from ${raw(`"${table}"`)} where ${raw(`"${column}"`)} = ${ownerId} order by "ClaimType", "Id"`)
  }

  /** Replaces the claims of a user or role. Refuses unknown types and values that do not fit their type. */
  async set(kind: keyof typeof owners, ownerId: string, claims: readonly Claim[]): Promise<void> {
    const { table, column } = owners[kind]
    await this.check(claims)
    await this.database.execute(
      sql`delete from ${raw(`"${table}"`)} where ${raw(`"${column}"`)} = ${ownerId}`,
    )
    await this.database.execute(sql`
      insert into ${raw(`"${table}" ("Id", "${column}", "ClaimType", "ClaimValue")`)}
      select id, ${ownerId}::uuid, type, value
      from unnest(${claims.map(() => sequentialGuid())}::uuid[], ${typesOf(claims)}::text[], ${valuesOf(claims)}::text[]) as given(id, type, value)`)
    UnitOfWork.current?.changed(this.database, table)
  }

  /** Gives the claims of a type that was renamed the new name. */
  async renameType(from: string, to: string): Promise<void> {
    for (const { table } of Object.values(owners))
      await this.database.execute(
        sql`update ${raw(`"${table}"`)} set "ClaimType" = ${to} where "ClaimType" = ${from}`,
      )
  }

  /**
   * Refuses a regular expression that PostgreSQL, which compares with it, does not take, and one with back references. Asked beside the unit of
   * work, which a failed statement would end.
   */
  async refuseRegex(regex: string | null | undefined): Promise<void> {
    const fault = await this.faultIn(regex ?? '')
    if (fault) throw new ValidationError([faultOf('regex', fault)])
  }

  /** The claim types whose expressions no value is compared with, by name: they are of an older database, or of .NET alone. */
  async unusableTypes(): Promise<string[]> {
    return this.unusableAmong(sql`"Regex" <> ''`)
  }

  /** The key of the text that tells why PostgreSQL is not to compare with an expression. */
  private async faultIn(regex: string): Promise<string | undefined> {
    if (hasBackReference(regex)) return 'AbpIdentity:Validation:RegexBackReference'
    try {
      await UnitOfWork.apart(() => this.database.query(sql`select '' ~ ('^(?:' || ${regex}::text || ')$')`))
      return undefined
    } catch (error) {
      if ((error as { code?: string }).code !== '2201B') throw error
      return 'AbpIdentity:Validation:Regex'
    }
  }

  private async unusableAmong(condition: Sql): Promise<string[]> {
    const types = await this.database.query<{ name: string; regex: string }>(sql`
      select "Name" as name, "Regex" as regex from "AbpClaimTypes" where ${condition} order by "Name"`)
    const unusable: string[] = []
    for (const { name, regex } of types) if (await this.faultIn(regex)) unusable.push(name)
    return unusable
  }

  /**
   * PostgreSQL runs the regular expressions: its engine backtracks for back references alone. Databases from before those were
   * refused have them still, and those of ABP have expressions that .NET alone understands.
   */
  private async check(claims: readonly Claim[]): Promise<void> {
    const valued = claims.filter(({ claimValue }) => claimValue)
    const unusable = await this.unusableAmong(sql`"Regex" <> '' and "Name" = any(${typesOf(valued)}::text[])`)
    if (unusable.length) {
      const faults = unusable.map((name) =>
        faultOf('claimValue', 'AbpIdentity:Validation:ClaimTypeRegex', { name }),
      )
      throw new ValidationError(faults)
    }
    const rows = await this.database.query<{ name: string; isKnown: boolean; fits: boolean }>(sql`
      select type as name, c."Id" is not null as "isKnown", coalesce(${fits}, false) as fits
      from unnest(${typesOf(claims)}::text[], ${valuesOf(claims)}::text[]) as given(type, value)
      left join "AbpClaimTypes" c on c."Name" = type`)
    const unknown = rows.filter(({ isKnown }) => !isKnown)
    if (unknown.length) {
      throw new ValidationError(
        unknown.map(({ name }) => faultOf('claimType', 'AbpIdentity:Validation:NoSuchClaimType', { name })),
      )
    }
    const unfit = rows.find((row) => !row.fits)
    if (unfit) throw new BusinessError(IdentityErrors.ClaimValueInvalid, { name: unfit.name })
  }
}

const fits: Sql = raw(`case
  when coalesce(value, '') = '' then not c."Required"
  when c."Regex" is not null and value !~ ('^(?:' || c."Regex" || ')$') then false
  when c."ValueType" = 1 then value ~ '^[+-]?[0-9]{1,18}$'
  when c."ValueType" = 2 then lower(value) in ('true', 'false')
  when c."ValueType" = 3 then value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9:]+)?)?$'
  else true end`)

const typesOf = (claims: readonly Claim[]): string[] => claims.map(({ claimType }) => claimType)
const valuesOf = (claims: readonly Claim[]): (string | null)[] => claims.map(({ claimValue }) => claimValue)

/** True for an expression with `\1` to `\9`. A backslash behind a backslash is a character of the text. */
function hasBackReference(regex: string): boolean {
  return [...regex.matchAll(/\\(.)/gs)].some(([, escaped = '']) => escaped >= '1' && escaped <= '9')
}
