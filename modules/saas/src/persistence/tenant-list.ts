import { Injectable } from '@keel/framework'
import { EntityNotFoundError } from '@keel/framework/contracts'
import {
  barred,
  type Database,
  Databases,
  literally,
  raw,
  readPage,
  Sorting,
  type Sql,
  sql,
} from '@keel/framework/data'
import { type GetTenantsInput, SaasTenantDto } from '../contracts/index.js'
import { Tenant } from '../domain/tenant.js'

const sorting = new Sorting(
  {
    name: '"name"',
    editionName: '"editionName"',
    editionEndDateUtc: '"editionEndDateUtc"',
    activationState: '"activationState"',
    activationEndDate: '"activationEndDate"',
  },
  '"id"',
)

/** Which tenants, and which part of them. */
export type TenantPage = Partial<GetTenantsInput> & Pick<GetTenantsInput, 'skipCount' | 'maxResultCount'>

const isAlive = raw('t."IsDeleted" = false')

/** Reads tenants as they are shown. */
@Injectable()
export class TenantList {
  private readonly database: Database

  constructor(databases: Databases) {
    this.database = databases.of(Tenant)
  }

  async one(id: string): Promise<SaasTenantDto> {
    const page = { skipCount: 0, maxResultCount: 1, getEditionNames: true }
    const [tenant] = (await this.read(sql`${isAlive} and t."Id" = ${id}`, page)).items
    if (!tenant) throw new EntityNotFoundError('Tenant', id)
    return tenant
  }

  async page(page: TenantPage): Promise<{ totalCount: number; items: SaasTenantDto[] }> {
    const { filter, editionId, expirationDateMin, expirationDateMax, activationState } = page
    const { activationEndDateMin, activationEndDateMax } = page
    const given = <T>(value: T | null | undefined, condition: (value: T) => Sql): Sql | undefined =>
      value === null || value === undefined || value === '' ? undefined : condition(value)
    const conditions = [
      given(filter, (text) => sql`t."Name" ~* ${literally(text)}`),
      given(editionId, (id) => sql`t."EditionId" = ${id}`),
      given(expirationDateMin, (date) => sql`${endOfEdition} >= ${date}`),
      given(expirationDateMax, (date) => sql`${endOfEdition} <= ${date}`),
      given(activationState, (state) => sql`t."ActivationState" = ${state}`),
      given(activationEndDateMin, (date) => sql`${endOfActivation} >= ${date}`),
      given(activationEndDateMax, (date) => sql`${endOfActivation} <= ${date}`),
    ]
    return this.read(barred([isAlive], conditions), page)
  }

  private read(
    where: Sql,
    { sorting: order, skipCount, maxResultCount, getEditionNames = false }: TenantPage,
  ): Promise<{ totalCount: number; items: SaasTenantDto[] }> {
    return readPage(this.database, SaasTenantDto, {
      rows: sql`
        select t."Id" as id, t."Name" as name, t."EditionId" as "editionId", ${endOfEdition} as "editionEndDateUtc",
          case when ${getEditionNames}::boolean then e."DisplayName" end as "editionName",
          exists (select from "SaasTenantConnectionStrings" c where c."TenantId" = t."Id" and c."Name" = 'Default')
            as "hasDefaultConnectionString",
          t."ActivationState" as "activationState", ${endOfActivation} as "activationEndDate",
          t."ConcurrencyStamp" as "concurrencyStamp", t."ExtraProperties"::json as "extraProperties"
        from "SaasTenants" t left join "SaasEditions" e on e."Id" = t."EditionId"
        where ${where}`,
      order: sorting.orderBy(order || 'name'),
      skipCount,
      maxResultCount,
    })
  }
}

// The columns have no zone: they are UTC.
const endOfEdition = sql`t."EditionEndDateUtc" at time zone 'utc'`
const endOfActivation = sql`t."ActivationEndDate" at time zone 'utc'`
