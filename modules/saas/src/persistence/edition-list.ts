import { Injectable } from '@keel/framework'
import { pageLimits, pageOf } from '@keel/framework/contracts'
import {
  type Database,
  Databases,
  JsonView,
  PageReader,
  sql,
  UnitOfWork,
  undeleted,
  visibleRows,
} from '@keel/framework/data'
import { EditionDto, EditionLookupDto } from '../contracts/index.js'
import { Edition } from '../domain/edition.js'
import { Tenant } from '../domain/tenant.js'

const Page = pageOf(EditionDto)
const view = new JsonView(Edition, EditionDto, {
  members: (t) => ({
    planName: sql`null::text`,
    tenantCount: sql`(select count(*) from "SaasTenants" c where c."EditionId" = ${t}."Id" and ${visibleRows(Tenant, 'c')})`,
  }),
  sortBy: ['displayName', 'tenantCount'],
  searchIn: ['displayName'],
})
const lookupView = new JsonView(Edition, EditionLookupDto)
const defaultSorting = 'displayName'

/** Which editions, and which part of them. */
export interface EditionPage {
  readonly filter?: string | null | undefined
  readonly sorting?: string | null | undefined
  readonly skipCount: number
  readonly maxResultCount: number
}

/** Reads editions as they are shown, with their tenants counted. */
@Injectable()
export class EditionList {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(Edition)
  }

  one(id: string): Promise<EditionDto> {
    return this.pages.one(EditionDto, view, id)
  }

  page(page: EditionPage): Promise<InstanceType<typeof Page>> {
    return this.pages.page(Page, view, { ...page, defaultSorting })
  }

  /** As many as a list may have. */
  all(): Promise<EditionDto[]> {
    return this.pages.array(EditionDto, view, { defaultSorting, maxResultCount: pageLimits.most })
  }

  /** As many as a list may have. */
  lookup(): Promise<EditionLookupDto[]> {
    return this.pages.array(EditionLookupDto, lookupView, { defaultSorting, maxResultCount: pageLimits.most })
  }

  /** Gives the tenants of an edition another one, or none. */
  async moveTenants(from: string, to: string | null): Promise<void> {
    await UnitOfWork.run(() =>
      this.database.execute(sql`
        update "SaasTenants" set "EditionId" = ${to}::uuid where "EditionId" = ${from} and ${undeleted(Tenant)}`),
    )
  }
}
