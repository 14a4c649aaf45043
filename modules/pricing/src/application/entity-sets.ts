import { entitySet } from '@keel/framework/data'
import { ChargeCodePermissions, ExchangeRatePermissions } from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'

/** What Pricing publishes to OData. */
export const pricingEntitySets = [
  entitySet('Currencies', Currency, ExchangeRatePermissions.View, { searchable: ['code', 'name'] }),
  entitySet('ExchangeRates', ExchangeRate, ExchangeRatePermissions.View, {
    searchable: ['fromCurrencyCode', 'toCurrencyCode', 'source'],
  }),
  entitySet('ChargeCodes', ChargeCode, ChargeCodePermissions.View, { searchable: ['code', 'name'] }),
]
