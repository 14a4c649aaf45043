import { remoteService } from '@keel/framework/contracts'

/** The Pricing module's remote service: routes under `/api/pricing`. */
export const Pricing = remoteService('Pricing', 'pricing')

/** The codes of Pricing's domain errors. */
export const PricingErrors = {
  CurrencyAlreadyExists: 'Pricing:Currency:AlreadyExists',
  CurrencyUnknown: 'Pricing:Currency:Unknown',
  CurrencyInUse: 'Pricing:Currency:InUse',
  ExchangeRateNotFound: 'Pricing:ExchangeRate:NotFound',
  ExchangeRateDuplicate: 'Pricing:ExchangeRate:Duplicate',
  ChargeCodeAlreadyExists: 'Pricing:ChargeCode:AlreadyExists',
} as const
