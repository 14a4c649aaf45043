import { AutoApiController } from '@keel/framework'
import type { FilteredPagedInput } from '@keel/framework/contracts'
import { RequiresPermission } from '@keel/framework/security'
import {
  TenantAppService,
  type TenantDto,
  TenantManagementPermissions,
  type TenantUpdateDto,
} from '../contracts/index.js'
import { TenantList } from '../persistence/tenant-list.js'
import { TenantChanges } from './tenant-changes.js'

@AutoApiController(TenantAppService)
@RequiresPermission(TenantManagementPermissions.Tenants)
export class TenantService implements TenantAppService {
  constructor(
    private readonly list: TenantList,
    private readonly changes: TenantChanges,
  ) {}

  async getList(input: FilteredPagedInput): Promise<{ totalCount: number; items: TenantDto[] }> {
    return this.list.plainPage(input)
  }

  async get(id: string): Promise<TenantDto> {
    return this.list.onePlain(id)
  }

  /** Tells everybody who sees tenants why there can be no more of them. */
  async create(): Promise<TenantDto> {
    return this.changes.refuseToCreate()
  }

  @RequiresPermission(TenantManagementPermissions.Update)
  async update(id: string, input: TenantUpdateDto): Promise<TenantDto> {
    await this.changes.update(id, input)
    return this.get(id)
  }

  @RequiresPermission(TenantManagementPermissions.Delete)
  async delete(id: string): Promise<void> {
    await this.changes.delete(id)
  }
}
