import {
  createEntitySets,
  createProxy,
  type EntitySetClient,
  joinClients,
  type ProxyOptions,
} from '@keel/framework/client'
import {
  ChargeCodeAppService,
  ChargeCodeDto,
  CurrencyAppService,
  CurrencyDto,
  ExchangeRateAppService,
  ExchangeRateDto,
  Pricing,
} from '@keel/pricing/contracts'

export * from '@keel/framework/client'
export * from '@keel/pricing/contracts'

/** The services of Pricing as clients, which query their entity sets too (`/odata`). */
export interface PricingProxy {
  readonly currencies: CurrencyAppService & EntitySetClient<typeof CurrencyDto>
  readonly exchangeRates: ExchangeRateAppService & EntitySetClient<typeof ExchangeRateDto>
  readonly chargeCodes: ChargeCodeAppService & EntitySetClient<typeof ChargeCodeDto>
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
  const sets = {
    currencies: ['Currencies', CurrencyDto],
    exchangeRates: ['ExchangeRates', ExchangeRateDto],
    chargeCodes: ['ChargeCodes', ChargeCodeDto],
  } as const
  return joinClients(createProxy(Pricing, contracts, options), createEntitySets(Pricing, sets, options))
}
