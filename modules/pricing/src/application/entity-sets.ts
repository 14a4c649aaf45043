import { entitySet } from '@keel/framework/data'
import {
  ChargeCodeDto,
  ChargeCodePermissions,
  CurrencyDto,
  ExchangeRateDto,
  ExchangeRatePermissions,
  FuelIndexDto,
  FuelIndexPermissions,
  FuelIndexValueDto,
  MarginRuleDto,
  MarginRulePermissions,
  QuoteCargoLineDto,
  QuoteChargeDto,
  QuoteDto,
  QuoteOptionDto,
  QuotePermissions,
  RateBreakDto,
  RateCardDto,
  RateCardPermissions,
  RateLaneDto,
  RateLineDto,
  RateZoneDto,
  RateZoneMemberDto,
  RateZonePermissions,
  ShipmentChargeDto,
  ShipmentChargePermissions,
  SurchargePermissions,
  SurchargeRuleDto,
} from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'
import { MarginRule } from '../domain/margin-rule.js'
import { Quote, QuoteCargoLine, QuoteCharge, QuoteOption, ShipmentCharge } from '../domain/quote.js'
import { RateBreak, RateCard, RateLane, RateLine } from '../domain/rate-card.js'
import { RateZone, RateZoneMember } from '../domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from '../domain/surcharge.js'

/** The entity sets that Pricing publishes to OData. */
export const pricingEntitySets = [
  entitySet('Currencies', Currency, ExchangeRatePermissions.View, {
    dto: CurrencyDto,
    searchable: ['code', 'name'],
  }),
  entitySet('ExchangeRates', ExchangeRate, ExchangeRatePermissions.View, {
    dto: ExchangeRateDto,
    searchable: ['fromCurrencyCode', 'toCurrencyCode', 'source'],
  }),
  entitySet('ChargeCodes', ChargeCode, ChargeCodePermissions.View, {
    dto: ChargeCodeDto,
    searchable: ['code', 'name'],
  }),
  entitySet('RateZones', RateZone, RateZonePermissions.View, {
    dto: RateZoneDto,
    searchable: ['code', 'name'],
    collections: { Members: { entity: () => RateZoneMember, by: 'rateZoneId' } },
  }),
  entitySet('RateZoneMembers', RateZoneMember, RateZonePermissions.View, { dto: RateZoneMemberDto }),
  entitySet('RateCards', RateCard, RateCardPermissions.View, {
    dto: RateCardDto,
    searchable: ['reference', 'name', 'contractNumber'],
    collections: { Lanes: { entity: () => RateLane, by: 'rateCardId' } },
  }),
  entitySet('RateLanes', RateLane, RateCardPermissions.View, {
    dto: RateLaneDto,
    searchable: ['originUnLocode', 'destinationUnLocode', 'carrierCode'],
    collections: { Lines: { entity: () => RateLine, by: 'rateLaneId' } },
  }),
  entitySet('RateLines', RateLine, RateCardPermissions.View, {
    dto: RateLineDto,
    collections: { Breaks: { entity: () => RateBreak, by: 'rateLineId' } },
  }),
  entitySet('RateBreaks', RateBreak, RateCardPermissions.View, { dto: RateBreakDto }),
  entitySet('SurchargeRules', SurchargeRule, SurchargePermissions.View, { dto: SurchargeRuleDto }),
  entitySet('FuelIndices', FuelIndex, FuelIndexPermissions.View, {
    dto: FuelIndexDto,
    searchable: ['code', 'name'],
    collections: { Values: { entity: () => FuelIndexValue, by: 'fuelIndexId' } },
  }),
  entitySet('FuelIndexValues', FuelIndexValue, FuelIndexPermissions.View, { dto: FuelIndexValueDto }),
  entitySet('MarginRules', MarginRule, MarginRulePermissions.View, {
    dto: MarginRuleDto,
    searchable: ['name', 'organizationCode'],
  }),
  entitySet('Quotes', Quote, QuotePermissions.View, {
    dto: QuoteDto,
    searchable: ['reference', 'organizationCode', 'organizationName'],
    collections: {
      CargoLines: { entity: () => QuoteCargoLine, by: 'quoteId' },
      Options: { entity: () => QuoteOption, by: 'quoteId' },
    },
  }),
  entitySet('QuoteCargoLines', QuoteCargoLine, QuotePermissions.View, { dto: QuoteCargoLineDto }),
  entitySet('QuoteOptions', QuoteOption, QuotePermissions.View, {
    dto: QuoteOptionDto,
    collections: { Charges: { entity: () => QuoteCharge, by: 'quoteOptionId' } },
  }),
  entitySet('QuoteCharges', QuoteCharge, QuotePermissions.View, { dto: QuoteChargeDto }),
  entitySet('ShipmentCharges', ShipmentCharge, ShipmentChargePermissions.View, {
    dto: ShipmentChargeDto,
    searchable: ['shipmentReference', 'description', 'invoiceNumber'],
  }),
]
