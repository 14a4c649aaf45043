import { AppService, Dto, defineFeature, defineSetting, op, z } from '@keel/framework/contracts'
import { Pricing } from './pricing.js'

const currencyCode = /^[A-Z]{3}$/
const [mostNameCharacters, mostAddressCharacters] = [200, 1000]

/** The settings of Pricing. @see domain model, section 7.3 */
export const PricingSettings = {
  /** Days for which an exchange rate serves for conversion after its own day. */
  MaxRateAgeDays: defineSetting('Pricing.MaxRateAgeDays', {
    default: 7,
    range: [0, 3650],
    displayName: 'Days for which exchange rates serve',
  }),
  /** The currency over which amounts are converted where there is no rate between two currencies. */
  PivotCurrency: defineSetting('Pricing.PivotCurrency', {
    default: 'EUR',
    accepts: (value) => currencyCode.test(value),
    displayName: 'Currency between two others',
  }),
  /** A quote with less margin, in per cent of the price, needs an approval. */
  MinMarginPercent: defineSetting('Pricing.MinMarginPercent', {
    default: 5,
    range: [-100, 100],
    displayName: 'Least margin of quotes in per cent',
  }),
  /** Days for which a calculated price can be accepted, as far as its rate card counts so long. */
  QuoteValidityDays: defineSetting('Pricing.QuoteValidityDays', {
    default: 14,
    range: [0, 366],
    displayName: 'Days for which quotes can be accepted',
  }),
  /** True when a fuel index below the base of a surcharge lowers the price. */
  AllowNegativeFuel: defineSetting('Pricing.AllowNegativeFuel', {
    default: false,
    displayName: 'Fuel below its base lowers prices',
  }),
  /** The company that quotes are of, in their PDF; empty for the name of the white label. */
  SellerName: defineSetting('Pricing.SellerName', {
    accepts: (value) => value.length <= mostNameCharacters,
    displayName: 'Name of the seller on quotes',
  }),
  /** Lines below its name: address, telephone, registration. */
  SellerAddress: defineSetting('Pricing.SellerAddress', {
    accepts: (value) => value.length <= mostAddressCharacters,
    displayName: 'Address of the seller on quotes',
  }),
} as const

/** The features of Pricing. */
export const PricingFeatures = {
  /** Quotes to customers; rates are searched without them. */
  Quotes: defineFeature('Pricing.Quotes', { default: true, displayName: 'Quotes' }),
} as const

/** How Pricing converts amounts and calculates quotes, and what quotes say of their seller. */
export class PricingSettingsDto extends Dto({
  /** Days for which an exchange rate serves for conversion after its own day. */
  maxRateAgeDays: z.int().min(0).max(3650),

  /**
   * The currency over which amounts are converted where there is no rate between two currencies.
   * @example EUR
   */
  pivotCurrency: z.string().regex(currencyCode, 'Validation:CurrencyCode'),

  /** A quote with less margin, in per cent of the price, needs an approval. In a change, an absent one stays. */
  minMarginPercent: z.int().min(-100).max(100).optional(),

  /** Days for which a calculated price can be accepted. In a change, an absent one stays. */
  quoteValidityDays: z.int().min(0).max(366).optional(),

  /** True when a fuel index below the base of a surcharge lowers the price. In a change, an absent one stays. */
  allowNegativeFuel: z.boolean().optional(),

  /** The company that quotes are of; null for the name of the white label. In a change, an absent one stays. */
  sellerName: z.string().trim().max(mostNameCharacters).nullish(),

  /** Lines below its name. In a change, an absent one stays. */
  sellerAddress: z.string().trim().max(mostAddressCharacters).nullish(),
}) {}

/** The settings of Pricing, for everybody. */
export abstract class PricingSettingsAppService extends AppService(Pricing, 'PricingSettingsAppService', {
  /** Gets the settings of Pricing. */
  get: op().returns(PricingSettingsDto).at('GET', '/api/pricing/settings'),
  /** Sets the settings of Pricing. */
  update: op(PricingSettingsDto).at('PUT', '/api/pricing/settings'),
}) {}
