import { createProxy, type ProxyOf, type ProxyOptions } from '@keel/framework/client'
import {
  ChargeCodeAppService,
  ChargeCodeDto,
  CurrencyAppService,
  CurrencyDto,
  ExchangeRateAppService,
  ExchangeRateDto,
  FuelIndexAppService,
  FuelIndexDto,
  FuelIndexValueAppService,
  FuelIndexValueDto,
  MarginRuleAppService,
  MarginRuleDto,
  Pricing,
  QuoteAppService,
  QuoteCargoLineDto,
  QuoteChargeDto,
  QuoteDto,
  QuoteOptionDto,
  RateBreakAppService,
  RateBreakDto,
  RateCardAppService,
  RateCardDto,
  RateLaneAppService,
  RateLaneDto,
  RateLineAppService,
  RateLineDto,
  RateSearchAppService,
  RateZoneAppService,
  RateZoneDto,
  RateZoneMemberAppService,
  RateZoneMemberDto,
  ShipmentChargeAppService,
  ShipmentChargeDto,
  SurchargeRuleAppService,
  SurchargeRuleDto,
} from '@keel/pricing/contracts'

export * from '@keel/framework/client'
export { ImportDto, ImportErrors, ImportFaultDto, ImportStatus } from '@keel/framework/contracts'
export * from '@keel/pricing/contracts'

/** The members of Pricing's proxy: services, and the entity sets of the same names to query (`/odata`). */
export const pricingMembers = {
  currencies: { service: CurrencyAppService, rows: CurrencyDto },
  exchangeRates: { service: ExchangeRateAppService, rows: ExchangeRateDto },
  chargeCodes: { service: ChargeCodeAppService, rows: ChargeCodeDto },
  rateZones: { service: RateZoneAppService, rows: RateZoneDto },
  rateZoneMembers: { service: RateZoneMemberAppService, rows: RateZoneMemberDto },
  rateCards: { service: RateCardAppService, rows: RateCardDto },
  rateLanes: { service: RateLaneAppService, rows: RateLaneDto },
  rateLines: { service: RateLineAppService, rows: RateLineDto },
  rateBreaks: { service: RateBreakAppService, rows: RateBreakDto },
  surchargeRules: { service: SurchargeRuleAppService, rows: SurchargeRuleDto },
  fuelIndices: { service: FuelIndexAppService, rows: FuelIndexDto },
  fuelIndexValues: { service: FuelIndexValueAppService, rows: FuelIndexValueDto },
  quotes: { service: QuoteAppService, rows: QuoteDto },
  quoteCargoLines: { rows: QuoteCargoLineDto },
  quoteOptions: { rows: QuoteOptionDto },
  quoteCharges: { rows: QuoteChargeDto },
  shipmentCharges: { service: ShipmentChargeAppService, rows: ShipmentChargeDto },
  rateSearch: { service: RateSearchAppService },
  marginRules: { service: MarginRuleAppService, rows: MarginRuleDto },
} as const

/** The services of Pricing as clients, which query their entity sets too. */
export type PricingProxy = ProxyOf<typeof pricingMembers>

/**
 * Clients of Pricing, the remote service `Pricing`. Throws when `options` give no address.
 * @example
 * const pricing = createPricingProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const euros = await pricing.currencies.getList({ filter: 'EUR' })
 */
export function createPricingProxy(options: ProxyOptions): PricingProxy {
  return createProxy(Pricing, pricingMembers, options)
}
