import { ChargeCodeAppService } from './charge-codes.js'
import { CurrencyAppService } from './currencies.js'
import { ExchangeRateAppService } from './exchange-rates.js'
import { ChargeCodePermissions, ExchangeRatePermissions } from './permissions.js'

export * from './charge-codes.js'
export * from './currencies.js'
export * from './exchange-rates.js'
export * from './permissions.js'
export * from './pricing.js'

/** Every contract of the module: what a host that runs it elsewhere lists under `remotes`. */
export const pricingServices = [CurrencyAppService, ExchangeRateAppService, ChargeCodeAppService] as const

/** Every class of permissions of the module. */
export const pricingPermissions = [ExchangeRatePermissions, ChargeCodePermissions] as const
