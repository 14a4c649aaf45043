import { AutoApiController } from '@keel/framework'
import { BusinessError, type FilteredPagedInput, pageOf } from '@keel/framework/contracts'
import { expectStamp, PageReader } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  ClaimTypeDto,
  type CreateClaimTypeDto,
  IdentityClaimTypeAppService,
  IdentityClaimTypePermissions,
  IdentityErrors,
  type UpdateClaimTypeDto,
} from '../contracts/index.js'
import type { ClaimType } from '../domain/claim-type.js'
import { Claims, claimTypeView } from '../persistence/claims.js'
import { ClaimTypeStore } from '../persistence/stores.js'

const Page = pageOf(ClaimTypeDto)

@AutoApiController(IdentityClaimTypeAppService)
@RequiresPermission(IdentityClaimTypePermissions.Default)
export class ClaimTypeService implements IdentityClaimTypeAppService {
  constructor(
    private readonly store: ClaimTypeStore,
    private readonly pages: PageReader,
    private readonly claims: Claims,
  ) {}

  async getList(input: FilteredPagedInput) {
    return this.pages.page(Page, claimTypeView, { ...input, defaultSorting: 'name' })
  }

  get(id: string): Promise<ClaimTypeDto> {
    return this.pages.one(ClaimTypeDto, claimTypeView, id)
  }

  @RequiresPermission(IdentityClaimTypePermissions.Create)
  async create(input: CreateClaimTypeDto): Promise<ClaimTypeDto> {
    await this.claims.refuseRegex(input.regex)
    const { extraProperties, ...values } = input
    const row = { ...values, isStatic: false, extraProperties: JSON.stringify(extraProperties ?? {}) }
    const { id } = await this.store.insert(cleared(row))
    return this.get(id)
  }

  @RequiresPermission(IdentityClaimTypePermissions.Update)
  async update(id: string, input: UpdateClaimTypeDto): Promise<ClaimTypeDto> {
    const row = await this.changeable(id)
    expectStamp(row, input)
    await this.claims.refuseRegex(input.regex)
    const { extraProperties, concurrencyStamp: _, ...values } = input
    if (values.name !== row.name) await this.claims.renameType(row.name, values.name)
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
}

/** Texts that are empty are none. */
function cleared<T extends object>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === '' ? null : value]),
  ) as T
}
