import { AutoApiController } from '@keel/framework'
import {
  BusinessError,
  type FilteredPagedInput,
  faultOf,
  pageOf,
  ValidationError,
} from '@keel/framework/contracts'
import { type Database, Databases, expectStamp, PageReader, sql, UnitOfWork } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  ClaimTypeDto,
  type CreateClaimTypeDto,
  IdentityClaimTypeAppService,
  IdentityClaimTypePermissions,
  IdentityErrors,
  type UpdateClaimTypeDto,
} from '../contracts/index.js'
import { ClaimType } from '../domain/claim-type.js'
import { claimTypeView } from '../persistence/claims.js'
import { ClaimTypeStore } from '../persistence/stores.js'

const Page = pageOf(ClaimTypeDto)

@AutoApiController(IdentityClaimTypeAppService)
@RequiresPermission(IdentityClaimTypePermissions.Default)
export class ClaimTypeService implements IdentityClaimTypeAppService {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly store: ClaimTypeStore,
    private readonly pages: PageReader,
  ) {
    this.database = databases.of(ClaimType)
  }

  async getList(input: FilteredPagedInput) {
    return this.pages.page(Page, claimTypeView, { ...input, defaultSorting: 'name' })
  }

  get(id: string): Promise<ClaimTypeDto> {
    return this.pages.one(ClaimTypeDto, claimTypeView, id)
  }

  @RequiresPermission(IdentityClaimTypePermissions.Create)
  async create(input: CreateClaimTypeDto): Promise<ClaimTypeDto> {
    await this.refuseRegex(input.regex)
    const { extraProperties, ...values } = input
    const row = { ...values, isStatic: false, extraProperties: JSON.stringify(extraProperties ?? {}) }
    const { id } = await this.store.insert(cleared(row))
    return this.get(id)
  }

  @RequiresPermission(IdentityClaimTypePermissions.Update)
  async update(id: string, input: UpdateClaimTypeDto): Promise<ClaimTypeDto> {
    const row = await this.changeable(id)
    expectStamp(row, input)
    await this.refuseRegex(input.regex)
    const { extraProperties, concurrencyStamp: _, ...values } = input
    if (values.name !== row.name) await this.renameClaims(row.name, values.name)
    await this.store.update(row, {
      ...cleared(values),
      ...(extraProperties && { extraProperties: JSON.stringify(extraProperties) }),
    })
    return this.get(id)
  }

  @RequiresPermission(IdentityClaimTypePermissions.Delete)
  async delete(id: string): Promise<void> {
    if (!(await this.store.find(id))) return
    await this.store.remove(await this.changeable(id))
  }

  private async changeable(id: string): Promise<ClaimType> {
    const row = await this.store.get(id)
    if (row.isStatic) throw new BusinessError(IdentityErrors.StaticClaimType)
    return row
  }

  private async renameClaims(from: string, to: string): Promise<void> {
    await this.database.execute(
      sql`update "AbpUserClaims" set "ClaimType" = ${to} where "ClaimType" = ${from}`,
    )
    await this.database.execute(
      sql`update "AbpRoleClaims" set "ClaimType" = ${to} where "ClaimType" = ${from}`,
    )
  }

  /** PostgreSQL is who compares with it. Beside the unit of work, which a statement that fails would end. */
  private async refuseRegex(regex: string | null | undefined): Promise<void> {
    if (!regex) return
    try {
      await UnitOfWork.apart(() => this.database.query(sql`select '' ~ ('^(?:' || ${regex}::text || ')$')`))
    } catch (error) {
      if ((error as { code?: string }).code !== '2201B') throw error
      throw new ValidationError([faultOf('regex', 'AbpIdentity:Validation:Regex')], { cause: error })
    }
  }
}

/** Texts that are empty are none. */
function cleared<T extends object>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === '' ? null : value]),
  ) as T
}
