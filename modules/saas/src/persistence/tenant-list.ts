import { Injectable } from '@keel/framework'
import { pageOf } from '@keel/framework/contracts'
import { JsonView, PageReader, sql, visibleRows } from '@keel/framework/data'
import { type GetTenantsInput, SaasTenantDto, TenantDto } from '../contracts/index.js'
import { Edition } from '../domain/edition.js'
import { Tenant } from '../domain/tenant.js'

const viewOf = (withEditionNames: boolean) =>
  new JsonView(Tenant, SaasTenantDto, {
    members: (t) => ({
      editionName: withEditionNames
        ? sql`(select e."DisplayName" from "SaasEditions" e where e."Id" = ${t}."EditionId" and ${visibleRows(Edition, 'e')})`
        : sql`null::text`,
      hasDefaultConnectionString: sql`exists (
        select from "SaasTenantConnectionStrings" c where c."TenantId" = ${t}."Id" and c."Name" = 'Default')`,
    }),
    sortBy: ['name', 'editionName', 'editionEndDateUtc', 'activationState', 'activationEndDate'],
    searchIn: ['name'],
  })
const view = viewOf(true)
const viewWithoutEditionNames = viewOf(false)
const Page = pageOf(SaasTenantDto)

/** The view of the open-source tenant page. */
const plainView = new JsonView(Tenant, TenantDto, {
  sortBy: ['name', 'editionEndDateUtc', 'activationState', 'activationEndDate'],
  searchIn: ['name'],
})
const PlainPage = pageOf(TenantDto)

/** Which tenants, and which part of them. */
export type TenantPage = Partial<GetTenantsInput> & Pick<GetTenantsInput, 'skipCount' | 'maxResultCount'>

/** Reads tenants as they are shown. */
@Injectable()
export class TenantList {
  constructor(private readonly pages: PageReader) {}

  one(id: string): Promise<SaasTenantDto> {
    return this.pages.one(SaasTenantDto, view, id)
  }

  page(page: TenantPage): Promise<InstanceType<typeof Page>> {
    const { editionId, expirationDateMin, expirationDateMax, activationState } = page
    const { activationEndDateMin, activationEndDateMax, getEditionNames } = page
    const request = {
      ...page,
      defaultSorting: 'name',
      equal: { editionId, activationState },
      conditions: [
        expirationDateMin ? sql`${endOfEdition} >= ${expirationDateMin}` : undefined,
        expirationDateMax ? sql`${endOfEdition} <= ${expirationDateMax}` : undefined,
        activationEndDateMin ? sql`${endOfActivation} >= ${activationEndDateMin}` : undefined,
        activationEndDateMax ? sql`${endOfActivation} <= ${activationEndDateMax}` : undefined,
      ],
    }
    return this.pages.page(Page, getEditionNames ? view : viewWithoutEditionNames, request)
  }

  onePlain(id: string): Promise<TenantDto> {
    return this.pages.one(TenantDto, plainView, id)
  }

  plainPage(page: TenantPage): Promise<InstanceType<typeof PlainPage>> {
    return this.pages.page(PlainPage, plainView, { ...page, defaultSorting: 'name' })
  }
}

// The columns have no zone: they are UTC.
const endOfEdition = sql`t."EditionEndDateUtc" at time zone 'utc'`
const endOfActivation = sql`t."ActivationEndDate" at time zone 'utc'`
