import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { DataModule } from '@keel/framework/data'
import { StoredSettingsModule } from '@keel/setting-management/stored'
import { ChargeCodeService } from './application/charge-code-service.js'
import { CurrencyService } from './application/currency-service.js'
import { pricingEntitySets } from './application/entity-sets.js'
import { ExchangeRateService } from './application/exchange-rate-service.js'
import { KnownOrganizations } from './application/known-organizations.js'
import { KnownPorts } from './application/known-ports.js'
import { PricingSettingsService } from './application/pricing-settings-service.js'
import { RateCardParts } from './application/rate-card-parts.js'
import { RateCardService } from './application/rate-card-service.js'
import { RateBreakService, RateLaneService, RateLineService } from './application/rate-lane-service.js'
import { RateZoneMemberService, RateZoneService } from './application/rate-zone-service.js'
import {
  FuelIndexService,
  FuelIndexValueService,
  MarginRuleService,
  SurchargeRuleService,
} from './application/surcharge-service.js'
import * as contracts from './contracts/index.js'
import { ChargeCode } from './domain/charge-code.js'
import { Currency } from './domain/currency.js'
import { ExchangeRate } from './domain/exchange-rate.js'
import { MarginRule } from './domain/margin-rule.js'
import { RateBreak, RateCard, RateLane, RateLine } from './domain/rate-card.js'
import { RateZone, RateZoneMember } from './domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from './domain/surcharge.js'
import { CallerPricingScope } from './persistence/caller-scope.js'
import { ReferenceDataSeeder } from './persistence/reference-data-seeder.js'
import {
  FuelIndexValueStore,
  RateBreakStore,
  RateCardStore,
  RateLaneStore,
  RateLineStore,
  RateZoneMemberStore,
  RateZoneStore,
} from './persistence/stores.js'

/** Rate cards, and what prices are made of: zones, currencies, exchange rates and charge codes. */
@Module({
  dependsOn: [DataModule, StoredSettingsModule],
  database: 'Pricing',
  entities: [
    Currency,
    ExchangeRate,
    ChargeCode,
    RateZone,
    RateZoneMember,
    RateCard,
    RateLane,
    RateLine,
    RateBreak,
    FuelIndex,
    FuelIndexValue,
    SurchargeRule,
    MarginRule,
  ],
  services: [
    CurrencyService,
    ExchangeRateService,
    ChargeCodeService,
    PricingSettingsService,
    CallerPricingScope,
    KnownPorts,
    KnownOrganizations,
    RateZoneService,
    RateZoneStore,
    RateZoneMemberService,
    RateZoneMemberStore,
    RateCardService,
    RateCardStore,
    RateCardParts,
    RateLaneService,
    RateLaneStore,
    RateLineService,
    RateLineStore,
    RateBreakService,
    RateBreakStore,
    FuelIndexService,
    FuelIndexValueService,
    FuelIndexValueStore,
    SurchargeRuleService,
    MarginRuleService,
  ],
  permissions: permissionsIn(contracts),
  settings: Object.values(contracts.PricingSettings),
  odata: pricingEntitySets,
  seeds: [ReferenceDataSeeder],
  schema: new URL('../schema/', import.meta.url),
  localization: new URL('../localization/', import.meta.url),
})
export class PricingModule extends KeelModule {}
