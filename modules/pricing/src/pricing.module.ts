import { KeelModule, Module } from '@keel/framework'
import { permissionsIn } from '@keel/framework/contracts'
import { DataModule } from '@keel/framework/data'
import { StoredSettingsModule } from '@keel/setting-management/stored'
import { ChargeCodeService } from './application/charge-code-service.js'
import { CurrencyService } from './application/currency-service.js'
import { pricingEntitySets } from './application/entity-sets.js'
import { ExchangeRateService } from './application/exchange-rate-service.js'
import { PricingSettingsService } from './application/pricing-settings-service.js'
import * as contracts from './contracts/index.js'
import { ChargeCode } from './domain/charge-code.js'
import { Currency } from './domain/currency.js'
import { ExchangeRate } from './domain/exchange-rate.js'
import { ReferenceDataSeeder } from './persistence/reference-data-seeder.js'

/** Currencies, exchange rates and charge codes. */
@Module({
  dependsOn: [DataModule, StoredSettingsModule],
  database: 'Pricing',
  entities: [Currency, ExchangeRate, ChargeCode],
  services: [CurrencyService, ExchangeRateService, ChargeCodeService, PricingSettingsService],
  permissions: permissionsIn(contracts),
  settings: Object.values(contracts.PricingSettings),
  odata: pricingEntitySets,
  seeds: [ReferenceDataSeeder],
  schema: new URL('../schema/', import.meta.url),
  localization: new URL('../localization/', import.meta.url),
})
export class PricingModule extends KeelModule {}
