import { createProxy, type ProxyOf, type ProxyOptions } from '@keel/framework/client'
import {
  ChargeCodeAppService,
  CurrencyAppService,
  ExchangeRateAppService,
  Pricing,
} from '@keel/pricing/contracts'

export * from '@keel/framework/client'
export * from '@keel/pricing/contracts'

const contracts = {
  currencies: CurrencyAppService,
  exchangeRates: ExchangeRateAppService,
  chargeCodes: ChargeCodeAppService,
}

/** The services of Pricing as clients. */
export type PricingProxy = ProxyOf<typeof contracts>

/**
 * Clients of Pricing, the remote service `Pricing`.
 * @example
 * const pricing = createPricingProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const euros = await pricing.currencies.getList({ filter: 'EUR' })
 */
export function createPricingProxy(options: ProxyOptions): PricingProxy {
  return createProxy(Pricing, contracts, options)
}
