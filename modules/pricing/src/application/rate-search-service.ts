import { AutoApiController, ambient, Clock, computedResult } from '@keel/framework'
import { RequiresPermission, withoutRestricted } from '@keel/framework/security'
import {
  RateCardPermissions,
  RateOptionDto,
  RateSearchAppService,
  type RateSearchInput,
} from '../contracts/index.js'
import { PricingContext } from '../domain/pricing-context.js'
import { KnownOrganizations } from './known-organizations.js'
import { KnownPorts } from './known-ports.js'
import { PriceCalculation } from './price-calculation.js'

@AutoApiController(RateSearchAppService)
@RequiresPermission(RateCardPermissions.View)
export class RateSearchService implements RateSearchAppService {
  constructor(
    private readonly calculation: PriceCalculation,
    private readonly context: PricingContext,
    private readonly organizations: KnownOrganizations,
    private readonly ports: KnownPorts,
    private readonly clock: Clock,
  ) {}

  async search({ cargoLines: cargo, ...input }: RateSearchInput): Promise<RateOptionDto[]> {
    await this.ports.demand([input.originUnLocode, input.destinationUnLocode])
    if (input.organizationId) await this.organizations.demand(input.organizationId)
    const { all } = await this.context.current()
    const options = await this.calculation.optionsOf({
      ...input,
      cargo,
      buying: all,
      organizationId: input.organizationId ?? null,
      cargoReadyDate: input.cargoReadyDate ?? null,
      pricingDate: input.pricingDate ?? this.clock.now.toISOString().slice(0, 10),
      isDangerousGoods: input.isDangerousGoods ?? false,
      isTemperatureControlled: input.isTemperatureControlled ?? false,
      includeOptional: input.includeOptional ?? false,
      carrierCodes: input.carrierCodes ?? [],
      goodsValue: input.goodsValue ?? null,
    })
    const { principal } = ambient()
    return options.map((option) => {
      const charges = option.charges.map((charge) => ({ ...charge, description: charge.chargeName }))
      const value = { ...option, charges, currencyCode: input.currencyCode }
      return computedResult(RateOptionDto, withoutRestricted(RateOptionDto, value, principal))
    })
  }
}
