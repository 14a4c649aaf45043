import { Injectable } from '@keel/framework'
import { EntityNotFoundError, pageLimits } from '@keel/framework/contracts'
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
  UnitOfWork,
} from '@keel/framework/data'
import { EditionDto, EditionLookupDto } from '../contracts/index.js'
import { Edition } from '../domain/edition.js'

const sorting = new Sorting({ displayName: '"displayName"', tenantCount: '"tenantCount"' }, '"id"')

const isAlive = raw('e."IsDeleted" = false')

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

  constructor(databases: Databases) {
    this.database = databases.of(Edition)
  }

  async one(id: string): Promise<EditionDto> {
    const { items } = await this.read(sql`${isAlive} and e."Id" = ${id}`, { skipCount: 0, maxResultCount: 1 })
    const [edition] = items
    if (!edition) throw new EntityNotFoundError('Edition', id)
    return edition
  }

  async page(page: EditionPage): Promise<{ totalCount: number; items: EditionDto[] }> {
    const found = page.filter ? sql`e."DisplayName" ~* ${literally(page.filter)}` : undefined
    return this.read(barred([isAlive], [found]), page)
  }

  /** As many as a list may have. */
  async lookup(): Promise<EditionLookupDto[]> {
    const { items } = await readPage(this.database, EditionLookupDto, {
      rows: sql`select e."Id" as id, e."DisplayName" as "displayName" from "SaasEditions" e where e."IsDeleted" = false`,
      order: sorting.orderBy('displayName'),
      skipCount: 0,
      maxResultCount: pageLimits.most,
    })
    return items
  }

  /** Gives the tenants of an edition another one, or none. */
  async moveTenants(from: string, to: string | null): Promise<void> {
    await UnitOfWork.run(() =>
      this.database.execute(sql`
        update "SaasTenants" set "EditionId" = ${to}::uuid where "EditionId" = ${from} and "IsDeleted" = false`),
    )
  }

  private read(
    where: Sql,
    { sorting: order, skipCount, maxResultCount }: EditionPage,
  ): Promise<{ totalCount: number; items: EditionDto[] }> {
    return readPage(this.database, EditionDto, {
      rows: sql`
        select e."Id" as id, e."DisplayName" as "displayName", e."PlanId" as "planId", null as "planName",
          e."ConcurrencyStamp" as "concurrencyStamp", e."ExtraProperties"::json as "extraProperties",
          (select count(*)::int from "SaasTenants" t where t."EditionId" = e."Id" and t."IsDeleted" = false) as "tenantCount"
        from "SaasEditions" e
        where ${where}`,
      order: sorting.orderBy(order || 'displayName'),
      skipCount,
      maxResultCount,
    })
  }
}
