import { StoredFeatures } from '@keel/feature-management/contracts'
import { AutoApiController } from '@keel/framework'
import type { FilteredPagedInput } from '@keel/framework/contracts'
import { expectStamp } from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  EditionAppService,
  type EditionCreateDto,
  type EditionDto,
  type EditionUpdateDto,
  type GetEditionUsageStatisticsResultDto,
  SaasPermissions,
} from '../contracts/index.js'
import { EditionList } from '../persistence/edition-list.js'
import { EditionStore } from '../persistence/stores.js'

@AutoApiController(EditionAppService)
@RequiresPermission(SaasPermissions.Editions)
export class EditionService implements EditionAppService {
  constructor(
    private readonly editions: EditionStore,
    private readonly list: EditionList,
    private readonly features: StoredFeatures,
  ) {}

  async getList(input: FilteredPagedInput): Promise<{ totalCount: number; items: EditionDto[] }> {
    return this.list.page(input)
  }

  async getAllList(): Promise<EditionDto[]> {
    return this.list.all()
  }

  async get(id: string): Promise<EditionDto> {
    return this.list.one(id)
  }

  @RequiresPermission(SaasPermissions.CreateEditions)
  async create({ displayName, extraProperties }: EditionCreateDto): Promise<EditionDto> {
    const { id } = await this.editions.insert({
      displayName,
      extraProperties: JSON.stringify(extraProperties ?? {}),
      entityVersion: 0,
      isDeleted: false,
    })
    return this.list.one(id)
  }

  @RequiresPermission(SaasPermissions.UpdateEditions)
  async update(id: string, input: EditionUpdateDto): Promise<EditionDto> {
    const edition = await this.editions.get(id)
    expectStamp(edition, input)
    await this.editions.update(edition, {
      displayName: input.displayName,
      ...(input.extraProperties && { extraProperties: JSON.stringify(input.extraProperties) }),
      entityVersion: edition.entityVersion + 1,
    })
    return this.list.one(id)
  }

  @RequiresPermission(SaasPermissions.DeleteEditions)
  async delete(id: string): Promise<void> {
    const edition = await this.editions.get(id)
    await this.list.moveTenants(id, null)
    await this.features.clear({ providerName: 'E', providerKey: id })
    await this.editions.remove(edition)
  }

  @RequiresPermission(SaasPermissions.UpdateEditions)
  async moveAllTenants(id: string, editionId?: string | null): Promise<void> {
    await this.editions.get(id)
    const target = editionId ? await this.editions.get(editionId) : undefined
    await this.list.moveTenants(id, target?.id ?? null)
  }

  async getUsageStatistics(): Promise<GetEditionUsageStatisticsResultDto> {
    const editions = await this.list.all()
    return {
      data: Object.fromEntries(editions.map(({ displayName, tenantCount }) => [displayName, tenantCount])),
    }
  }
}
