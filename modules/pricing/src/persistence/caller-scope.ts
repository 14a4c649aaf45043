import { ambient, Provides } from '@keel/framework'
import { hasPermission } from '@keel/framework/security'
import { OrganizationsOfCaller, type VisibleOrganizations } from '@keel/hub/organizations'
import { RateCardPermissions } from '../contracts/index.js'
import { PricingContext, type PricingScope } from '../domain/pricing-context.js'

/** The caller's organizations, which Hub knows, and whether buying cards are shown. */
@Provides(PricingContext)
export class CallerPricingScope extends PricingContext {
  constructor(private readonly organizations: OrganizationsOfCaller) {
    super()
  }

  current(): PricingScope | Promise<PricingScope> {
    const visible = this.organizations.current()
    return visible instanceof Promise ? visible.then(pricingScope) : pricingScope(visible)
  }
}

function pricingScope({ all, organizationIds }: VisibleOrganizations): PricingScope {
  const { userId } = ambient().principal
  return { all, organizationIds, userId, seesBuying: all && hasPermission(RateCardPermissions.ViewBuy) }
}
