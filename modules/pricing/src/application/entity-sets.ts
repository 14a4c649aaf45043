import { entitySet } from '@keel/framework/data'
import {
  ChargeCodeDto,
  ChargeCodePermissions,
  CurrencyDto,
  ExchangeRateDto,
  ExchangeRatePermissions,
} from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'

/** The entity sets that Pricing publishes to OData. */
export const pricingEntitySets = [
  entitySet('Currencies', Currency, ExchangeRatePermissions.View, {
    dto: CurrencyDto,
    also: ['isActive'],
    searchable: ['code', 'name'],
  }),
  entitySet('ExchangeRates', ExchangeRate, ExchangeRatePermissions.View, {
    dto: ExchangeRateDto,
    searchable: ['fromCurrencyCode', 'toCurrencyCode', 'source'],
  }),
  entitySet('ChargeCodes', ChargeCode, ChargeCodePermissions.View, {
    dto: ChargeCodeDto,
    also: ['isActive'],
    searchable: ['code', 'name'],
  }),
]
