import { AbpTenantAppService, type FindTenantResultDto } from '../../contracts/index.js'
import { AutoApiController } from '../../modularity/injectable.js'
import { AllowAnonymous } from '../../security/guards.js'

const none: InstanceType<typeof FindTenantResultDto> = {
  success: false,
  tenantId: null,
  name: null,
  normalizedName: null,
  isActive: false,
}

/** Finds no tenant, as ABP does while multi-tenancy is off. */
@AutoApiController(AbpTenantAppService)
@AllowAnonymous()
export class TenantService implements AbpTenantAppService {
  async findTenantByName(): Promise<typeof none> {
    return none
  }

  async findTenantById(): Promise<typeof none> {
    return none
  }
}
