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
  RateBreakDto,
  RateCardDto,
  RateCardPermissions,
  RateLaneDto,
  RateLineDto,
  RateZoneDto,
  RateZoneMemberDto,
  RateZonePermissions,
  SurchargePermissions,
  SurchargeRuleDto,
} from '../contracts/index.js'
import { ChargeCode } from '../domain/charge-code.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'
import { MarginRule } from '../domain/margin-rule.js'
import { RateBreak, RateCard, RateLane, RateLine } from '../domain/rate-card.js'
import { RateZone, RateZoneMember } from '../domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from '../domain/surcharge.js'

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
]
