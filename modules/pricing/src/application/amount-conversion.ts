import { Clock, Injectable, Settings } from '@keel/framework'
import { BusinessError } from '@keel/framework/contracts'
import { type Database, Databases, ReferenceSets } from '@keel/framework/data'
import { type ExchangeRateType, PricingErrors, PricingSettings } from '../contracts/index.js'
import { Currency } from '../domain/currency.js'
import { ExchangeRate } from '../domain/exchange-rate.js'
import { type ConvertedAmount, convertAmount } from '../persistence/exchange-rate-queries.js'

/** An amount to convert, a decimal. */
export interface Conversion {
  readonly amount: string
  readonly fromCurrencyCode: string
  readonly toCurrencyCode: string
  /** ISO date; later rates do not count. */
  readonly date: string
  readonly rateType: ExchangeRateType
}

/** Converts amounts by the exchange rates of the database and the settings for them (domain model, section 7.3). */
@Injectable()
export class AmountConversion {
  private readonly database: Database

  constructor(
    databases: Databases,
    private readonly references: ReferenceSets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.database = databases.of(ExchangeRate)
  }

  /** ISO date. */
  get today(): string {
    return this.clock.now.toISOString().slice(0, 10)
  }

  async maxAgeDays(): Promise<number> {
    return Number(await this.settings.valueOf(PricingSettings.MaxRateAgeDays.name))
  }

  async pivotCurrency(): Promise<string> {
    return (await this.settings.valueOf(PricingSettings.PivotCurrency.name)) ?? ''
  }

  /** Refuses codes of no currency, and pairs without a rate. */
  async convert({ amount, date, rateType, ...pair }: Conversion): Promise<ConvertedAmount> {
    const { fromCurrencyCode, toCurrencyCode } = pair
    const [, minorUnits = 0] = await this.minorUnitsOf([fromCurrencyCode, toCurrencyCode])
    const converted = await convertAmount(this.database, {
      ...{ amount, from: fromCurrencyCode, to: toCurrencyCode, minorUnits, date, rateType },
      ...{ pivot: await this.pivotCurrency(), maxAgeDays: await this.maxAgeDays() },
    })
    if (!converted)
      throw new BusinessError(PricingErrors.ExchangeRateNotFound, { fromCurrencyCode, toCurrencyCode, date })
    return converted
  }

  /** The digits behind the point that currencies have. Refuses codes of no currency. */
  async minorUnitsOf(codes: readonly string[]): Promise<number[]> {
    const currencies = await this.references.matching(Currency, 'code', codes)
    return codes.map((code) => {
      const [id] = currencies.idsBy('code', code)
      if (id === undefined) throw new BusinessError(PricingErrors.CurrencyUnknown, { code })
      return Number(currencies.value(id, 'minorUnits'))
    })
  }
}
