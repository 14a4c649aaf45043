import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { DataModule } from '@keel/framework/data'
import { EventsModule } from '@keel/framework/events'
import { ImportsModule } from '@keel/framework/imports'
import { ShipmentChargesChangedEto, ShipmentRequestedEto } from '@keel/hub/contracts'
import { HubOrganizationsModule } from '@keel/hub/organizations'
import { StoredSettingsModule } from '@keel/setting-management/stored'
import { AmountConversion } from './application/amount-conversion.js'
import { ChargeCodeService } from './application/charge-code-service.js'
import { CurrencyService } from './application/currency-service.js'
import { pricingEntitySets } from './application/entity-sets.js'
import { ExchangeRateService } from './application/exchange-rate-service.js'
import { Expiry } from './application/expiry.js'
import { FollowedOrganizations } from './application/followed-organizations.js'
import { FollowedPorts } from './application/followed-ports.js'
import { KnownOrganizations } from './application/known-organizations.js'
import { KnownPorts } from './application/known-ports.js'
import { OpenCharges } from './application/open-charges.js'
import { PriceCalculation } from './application/price-calculation.js'
import { PricingSettingsService } from './application/pricing-settings-service.js'
import { QuoteChanges } from './application/quote-changes.js'
import { QuoteConversion } from './application/quote-conversion.js'
import { QuoteOptions } from './application/quote-options.js'
import { QuotePdf } from './application/quote-pdf.js'
import { QuoteReRating } from './application/quote-re-rating.js'
import { QuoteService } from './application/quote-service.js'
import { RateCardParts } from './application/rate-card-parts.js'
import { RateCardService } from './application/rate-card-service.js'
import { RateBreakService, RateLaneService, RateLineService } from './application/rate-lane-service.js'
import { RateSearchService } from './application/rate-search-service.js'
import { RateSheets } from './application/rate-sheets.js'
import { RateZoneMemberService, RateZoneService } from './application/rate-zone-service.js'
import { ShipmentChargeService } from './application/shipment-charge-service.js'
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
import { FollowedOrganization } from './domain/followed-organization.js'
import { FollowedPort } from './domain/followed-port.js'
import { MarginRule } from './domain/margin-rule.js'
import { pricingPersonalData } from './domain/personal-data.js'
import { Quote, QuoteCargoLine, QuoteCharge, QuoteOption, ShipmentCharge } from './domain/quote.js'
import { RateBreak, RateCard, RateLane, RateLine } from './domain/rate-card.js'
import { RateZone, RateZoneMember } from './domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from './domain/surcharge.js'
import { CallerPricingScope } from './persistence/caller-scope.js'
import { DemoQuotes } from './persistence/demo/demo-quotes.js'
import { PricingDemoSeeder } from './persistence/demo/pricing-demo-seeder.js'
import { FollowedOrganizationStore, OrganizationsOfRows } from './persistence/followed-organizations.js'
import { FollowedPortStore, PortsOfRows } from './persistence/followed-ports.js'
import { ReferenceDataSeeder } from './persistence/reference-data-seeder.js'
import {
  FuelIndexValueStore,
  QuoteCargoLineStore,
  QuoteChargeStore,
  QuoteOptionStore,
  QuoteStore,
  RateBreakStore,
  RateCardStore,
  RateLaneStore,
  RateLineStore,
  RateZoneMemberStore,
  RateZoneStore,
  ShipmentChargeStore,
} from './persistence/stores.js'

/**
 * Quotes, rate cards, and what prices are made of. It needs Hub's contracts: in the same host HubModule, or the contracts among the host's `remotes`.
 */
@Module({
  dependsOn: [DataModule, EventsModule, ImportsModule, StoredSettingsModule, HubOrganizationsModule],
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
    Quote,
    QuoteCargoLine,
    QuoteOption,
    QuoteCharge,
    ShipmentCharge,
    FollowedOrganization,
    FollowedPort,
  ],
  personalData: pricingPersonalData,
  services: [
    DemoQuotes,
    AmountConversion,
    CurrencyService,
    ExchangeRateService,
    ChargeCodeService,
    PricingSettingsService,
    CallerPricingScope,
    KnownPorts,
    KnownOrganizations,
    FollowedOrganizations,
    FollowedOrganizationStore,
    OrganizationsOfRows,
    FollowedPorts,
    FollowedPortStore,
    PortsOfRows,
    RateZoneService,
    RateZoneStore,
    RateZoneMemberService,
    RateZoneMemberStore,
    RateCardService,
    RateCardStore,
    RateCardParts,
    RateSheets,
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
    PriceCalculation,
    RateSearchService,
    QuoteService,
    QuoteStore,
    QuoteCargoLineStore,
    QuoteOptionStore,
    QuoteChargeStore,
    QuoteChanges,
    QuoteConversion,
    QuoteOptions,
    QuotePdf,
    QuoteReRating,
    ShipmentChargeService,
    ShipmentChargeStore,
    OpenCharges,
    Expiry,
  ],
  permissions: permissionsIn(contracts),
  settings: Object.values(contracts.PricingSettings),
  features: Object.values(contracts.PricingFeatures),
  // Hub handles these of shipments: their classes stand in Hub's contracts, and the outbox is Pricing's.
  events: [
    ...contracts.quoteEvents,
    contracts.RateCardExpiredEto,
    ShipmentRequestedEto,
    ShipmentChargesChangedEto,
  ],
  odata: pricingEntitySets,
  seeds: [ReferenceDataSeeder, PricingDemoSeeder],
  schema: new URL('../schema/', import.meta.url),
  localization: new URL('../localization/', import.meta.url),
})
export class PricingModule extends KeelModule {}
