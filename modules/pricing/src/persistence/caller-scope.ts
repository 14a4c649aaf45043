import { ambient, Provides } from '@keel/framework'
import { hasPermission } from '@keel/framework/security'
import { OrganizationMemberAppService, OrganizationPermissions } from '@keel/hub/contracts'
import { AdministrationPermissions } from '@keel/identity/contracts'
import { RateCardPermissions } from '../contracts/index.js'
import { PricingContext, type PricingScope } from '../domain/pricing-context.js'

/** The caller's organizations, which Hub knows: all of them for staff, otherwise those of the caller's memberships. */
@Provides(PricingContext)
export class CallerPricingScope extends PricingContext {
  constructor(private readonly members: OrganizationMemberAppService) {
    super()
  }

  current(): PricingScope | Promise<PricingScope> {
    const { userId } = ambient().principal
    const seesAll =
      hasPermission(OrganizationPermissions.AccessAll) ||
      hasPermission(AdministrationPermissions.InternalAdmin)
    if (seesAll)
      return {
        all: true,
        organizationIds: [],
        userId,
        seesBuying: hasPermission(RateCardPermissions.ViewBuy),
      }
    const scope = { all: false, userId, seesBuying: false }
    if (!userId) return { ...scope, organizationIds: [] }
    return this.members.getMyAccess().then(({ organizationIds }) => ({ ...scope, organizationIds }))
  }
}
