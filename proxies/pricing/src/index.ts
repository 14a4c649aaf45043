import { createProxy, type ProxyOptions } from '@keel/framework/client'
import {
  ChargeCodeAppService,
  CurrencyAppService,
  ExchangeRateAppService,
  Pricing,
} from '@keel/pricing/contracts'

export * from '@keel/framework/client'
export * from '@keel/pricing/contracts'

/** The services of Pricing as clients. */
export interface PricingProxy {
  readonly currencies: CurrencyAppService
  readonly exchangeRates: ExchangeRateAppService
  readonly chargeCodes: ChargeCodeAppService
}

/**
 * Clients of Pricing, the remote service `Pricing`. Throws when `options` give no address.
 * @example
 * const pricing = createPricingProxy({ baseUrl: 'http://localhost:4000', accessToken: () => token })
 * const euros = await pricing.currencies.getList({ filter: 'EUR' })
 */
export function createPricingProxy(options: ProxyOptions): PricingProxy {
  const contracts = {
    currencies: CurrencyAppService,
    exchangeRates: ExchangeRateAppService,
    chargeCodes: ChargeCodeAppService,
  }
  return createProxy(Pricing, contracts, options)
}
