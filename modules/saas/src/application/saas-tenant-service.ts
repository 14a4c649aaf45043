import { AutoApiController } from '@keel/framework'
import { RequiresPermission } from '@keel/framework/security'
import {
  type EditionLookupDto,
  type GetTenantsInput,
  SaasPermissions,
  SaasTenantAppService,
  type SaasTenantDto,
  type SaasTenantUpdateDto,
} from '../contracts/index.js'
import { EditionList } from '../persistence/edition-list.js'
import { EditionStore } from '../persistence/stores.js'
import { TenantList } from '../persistence/tenant-list.js'
import { TenantChanges } from './tenant-changes.js'

@AutoApiController(SaasTenantAppService)
@RequiresPermission(SaasPermissions.Tenants)
export class SaasTenantService implements SaasTenantAppService {
  constructor(
    private readonly list: TenantList,
    private readonly changes: TenantChanges,
    private readonly editions: EditionStore,
    private readonly editionList: EditionList,
  ) {}

  async getList(input: GetTenantsInput): Promise<{ totalCount: number; items: SaasTenantDto[] }> {
    return this.list.page(input)
  }

  async get(id: string): Promise<SaasTenantDto> {
    return this.list.one(id)
  }

  /** Tells everybody who sees tenants why there can be no more of them. */
  async create(): Promise<SaasTenantDto> {
    return this.changes.refuseToCreate()
  }

  @RequiresPermission(SaasPermissions.UpdateTenants)
  async update(id: string, input: SaasTenantUpdateDto): Promise<SaasTenantDto> {
    const edition = input.editionId ? await this.editions.get(input.editionId) : undefined
    await this.changes.update(id, input, {
      editionId: edition?.id ?? null,
      editionEndDateUtc: input.editionEndDateUtc ?? null,
      activationState: input.activationState,
      activationEndDate: input.activationEndDate ?? null,
    })
    return this.list.one(id)
  }

  @RequiresPermission(SaasPermissions.DeleteTenants)
  async delete(id: string): Promise<void> {
    await this.changes.delete(id)
  }

  async getEditionLookup(): Promise<EditionLookupDto[]> {
    return this.editionList.lookup()
  }
}
