import { Clock, Injectable } from '@keel/framework'
import {
  Databases,
  missingRows,
  namedGuid,
  type SeedContext,
  Seeder,
  Stores,
  sql,
} from '@keel/framework/data'
import { ChargeGroup, MarginType, RateBasis } from '../../contracts/index.js'
import { ExchangeRate } from '../../domain/exchange-rate.js'
import { MarginRule } from '../../domain/margin-rule.js'
import { RateBreak, RateCard, RateLane, RateLine } from '../../domain/rate-card.js'
import { RateZone, RateZoneMember } from '../../domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from '../../domain/surcharge.js'
import { chargeCodeId } from '../reference/charge-codes.js'
import { cardRows, demoCards } from './demo-cards.js'
import { DemoQuotes } from './demo-quotes.js'

const dayMs = 86_400_000
/** Units of a currency for one euro, about as in autumn 2026. */
const euroRates = { USD: 1.08, CNY: 7.8, SGD: 1.45, GBP: 0.86, JPY: 162.5, CHF: 0.94, HKD: 8.42 }
const days = 30

const zones = [
  { code: 'NEUR', name: 'North Europe base ports', ports: ['DEHAM', 'NLRTM', 'BEANR', 'GBFXT'] },
  { code: 'CHINA', name: 'Main ports of China', ports: ['CNSHA', 'CNNGB', 'CNYTN', 'CNTAO'] },
]

/** Rates, cards, surcharges and margins to price with, and quotes, for an empty Pricing. Ids are the same on every machine but those of quotes. */
@Injectable()
export class PricingDemoSeeder extends Seeder {
  static override readonly demo = true

  constructor(
    private readonly databases: Databases,
    private readonly stores: Stores,
    private readonly quotes: DemoQuotes,
    private readonly clock: Clock,
  ) {
    super()
  }

  /** Option: `shipments`, by which there are more or fewer quotes. */
  async seed({ logger, options, progress }: SeedContext): Promise<void> {
    const [found] = await this.databases
      .of(RateCard)
      .query<{ filled: boolean }>(sql`select exists (select from "PricingRateCards") as filled`)
    if (found?.filled) return
    await this.seedExchangeRates()
    await this.seedRules()
    const cards = await this.seedCards()
    const quotes = await this.quotes.make(Number(options.shipments ?? 2000), progress)
    logger.info({ cards, quotes }, 'demo rates and quotes seeded')
  }

  private day(offset: number): string {
    return new Date(this.clock.nowMs + offset * dayMs).toISOString().slice(0, 10)
  }

  private async seedExchangeRates(): Promise<void> {
    const rows = Object.entries(euroRates).flatMap(([toCurrencyCode, rate]) =>
      Array.from({ length: days }, (_, ago) => ({
        ...{
          id: namedGuid(`Demo:ExchangeRate:${toCurrencyCode}:${ago}`),
          fromCurrencyCode: 'EUR',
          toCurrencyCode,
        },
        ...{ rateDate: this.day(-ago), source: 'Demo' },
        rate: (rate * (1 + 0.004 * Math.sin(ago))).toFixed(4),
      })),
    )
    await this.stores.of(ExchangeRate).insertMany(rows, missingRows)
  }

  private async seedRules(): Promise<void> {
    const validFrom = this.day(-60)
    await this.stores.of(RateZone).insertMany(
      zones.map(({ code, name }) => ({ id: zoneId(code), code, name })),
      missingRows,
    )
    await this.stores.of(RateZoneMember).insertMany(
      zones.flatMap(({ code, ports }) =>
        ports.map((unLocode) => ({
          ...{ id: namedGuid(`Demo:RateZoneMember:${code}:${unLocode}`), rateZoneId: zoneId(code), unLocode },
        })),
      ),
      missingRows,
    )
    const fuelIndexId = namedGuid('Demo:FuelIndex')
    const index = { id: fuelIndexId, code: 'VLSFO-DEMO', name: 'Very low sulphur fuel oil', unit: 'USD/t' }
    await this.stores.of(FuelIndex).insertMany([{ ...index, transportModeCode: 'Sea' }], missingRows)
    await this.stores.of(FuelIndexValue).insertMany(
      [585, 598, 612].map((value, at) => ({
        ...{ id: namedGuid(`Demo:FuelIndexValue:${at}`), fuelIndexId, value: String(value) },
        valueDate: this.day(-60 + at * 28),
      })),
      missingRows,
    )
    const sea = { transportModeCode: 'Sea', containerModeCode: 'FCL', validFrom, currencyCode: 'USD' }
    await this.stores.of(SurchargeRule).insertMany(
      [
        {
          ...{
            ...sea,
            id: namedGuid('Demo:Surcharge:BAF'),
            chargeCodeId: chargeCodeId('BAF'),
            basis: RateBasis.PerTeu,
          },
          ...{ fuelIndexId, fuelBaseValue: '500', fuelStep: '25', fuelAmountPerStep: '18' },
        },
        {
          ...{ ...sea, id: namedGuid('Demo:Surcharge:CAF'), chargeCodeId: chargeCodeId('CAF') },
          ...{ basis: RateBasis.PercentOfGroup, amount: '3', percentOfGroup: ChargeGroup.Freight },
        },
      ],
      missingRows,
    )
    const margin = { marginType: MarginType.MarkupPercent, currencyCode: 'EUR', validFrom }
    await this.stores.of(MarginRule).insertMany(
      [
        { ...margin, name: 'Freight', chargeGroup: ChargeGroup.Freight, value: '12', minMarginAmount: '40' },
        { ...margin, name: 'Origin', chargeGroup: ChargeGroup.OriginLocal, value: '10' },
        { ...margin, name: 'Destination', chargeGroup: ChargeGroup.DestinationLocal, value: '10' },
      ].map((row) => ({ ...row, id: namedGuid(`Demo:Margin:${row.name}`) })),
      missingRows,
    )
  }

  private async seedCards(): Promise<number> {
    const rows = cardRows(demoCards(), (offset) => this.day(offset))
    await this.stores.of(RateCard).insertMany(rows.cards, missingRows)
    await this.stores.of(RateLane).insertMany(rows.lanes, missingRows)
    await this.stores.of(RateLine).insertMany(rows.lines, missingRows)
    await this.stores.of(RateBreak).insertMany(rows.breaks, missingRows)
    return rows.cards.length
  }
}

const zoneId = (code: string) => namedGuid(`Demo:RateZone:${code}`)
