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
import {
  ChargeGroup,
  LanePointType,
  MarginType,
  RateBasis,
  RateCardStatus,
  RateCardType,
} from '../../contracts/index.js'
import { ExchangeRate } from '../../domain/exchange-rate.js'
import { MarginRule } from '../../domain/margin-rule.js'
import { RateBreak, RateCard, RateLane, RateLine } from '../../domain/rate-card.js'
import { RateZone, RateZoneMember } from '../../domain/rate-zone.js'
import { FuelIndex, FuelIndexValue, SurchargeRule } from '../../domain/surcharge.js'
import { chargeCodes } from '../reference/charge-codes.js'

const dayMs = 86_400_000
/** Units of a currency for one euro, about as in autumn 2026. */
const euroRates = { USD: 1.08, CNY: 7.8, SGD: 1.45, GBP: 0.86, JPY: 162.5, CHF: 0.94, HKD: 8.42 }
const days = 30

const zones = [
  { code: 'NEUR', name: 'North Europe base ports', ports: ['DEHAM', 'NLRTM', 'BEANR', 'GBFXT'] },
  { code: 'CHINA', name: 'Main ports of China', ports: ['CNSGH', 'CNNGB', 'CNSZX', 'CNTAO'] },
]
const carriers = [
  { carrierCode: 'MAEU', factor: 1, transitDays: 31 },
  { carrierCode: 'CMDU', factor: 0.96, transitDays: 35 },
  { carrierCode: 'HLCU', factor: 1.04, transitDays: 29 },
]
const airBreaks = [
  [0, 4.1],
  [45, 3.55],
  [100, 2.95],
  [300, 2.35],
  [500, 2.1],
  [1000, 1.95],
] as const

/** Rates, cards, surcharges and margins to price with, for an empty Pricing. The same ids on every machine. */
@Injectable()
export class PricingDemoSeeder extends Seeder {
  static override readonly demo = true

  constructor(
    private readonly databases: Databases,
    private readonly stores: Stores,
    private readonly clock: Clock,
  ) {
    super()
  }

  async seed({ logger }: SeedContext): Promise<void> {
    const [found] = await this.databases
      .of(RateCard)
      .query<{ filled: boolean }>(sql`select exists (select from "PricingRateCards") as filled`)
    if (found?.filled) return
    await this.seedExchangeRates()
    await this.seedRules()
    const cards = await this.seedCards()
    logger.info({ cards }, 'demo rates seeded')
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
            chargeCodeId: chargeId('BAF'),
            basis: RateBasis.PerTeu,
          },
          ...{ fuelIndexId, fuelBaseValue: '500', fuelStep: '25', fuelAmountPerStep: '18' },
        },
        {
          ...{ ...sea, id: namedGuid('Demo:Surcharge:CAF'), chargeCodeId: chargeId('CAF') },
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
    const sea = carriers.map(({ carrierCode, factor, transitDays }) => ({
      ...{
        reference: `DEMO-FCL-${carrierCode}`,
        name: `China to North Europe, ${carrierCode}`,
        carrierCode,
        transitDays,
      },
      ...{ transportModeCode: 'Sea', containerModeCode: 'FCL', currencyCode: 'USD' },
      lines: [
        line('OFR', RateBasis.PerContainer, 'USD', 1450 * factor, '22G1'),
        line('OFR', RateBasis.PerContainer, 'USD', 2600 * factor, '42G1'),
        line('OFR', RateBasis.PerContainer, 'USD', 2750 * factor, '45G1'),
        line('ISPS', RateBasis.PerContainer, 'USD', 14),
        line('OTHC', RateBasis.PerContainer, 'CNY', 950),
        line('DTHC', RateBasis.PerContainer, 'EUR', 270),
        line('DDOC', RateBasis.PerBill, 'EUR', 60),
      ],
    }))
    const air = {
      ...{ reference: 'DEMO-AIR', name: 'Frankfurt to Chicago', carrierCode: 'LH', transitDays: 2 },
      ...{ transportModeCode: 'Air', containerModeCode: 'LSE', currencyCode: 'EUR' },
      lines: [
        { ...line('AFR', RateBasis.PerChargeableKg, 'EUR'), minAmount: '95', breaks: airBreaks },
        line('FSC', RateBasis.PerChargeableKg, 'EUR', 0.85),
        line('SSC', RateBasis.PerChargeableKg, 'EUR', 0.15),
        line('AWB', RateBasis.PerBill, 'EUR', 35),
      ],
    }
    const cards = [...sea, air]
    const validity = { validFrom: this.day(-30), validTo: this.day(90), status: RateCardStatus.Active }
    await this.stores.of(RateCard).insertMany(
      cards.map(({ lines: _, transitDays: __, ...card }) => ({
        ...{ ...card, ...validity, id: cardId(card.reference), cardType: RateCardType.Buy },
      })),
      missingRows,
    )
    await this.stores.of(RateLane).insertMany(
      cards.map(({ reference, transportModeCode, transitDays }) => ({
        ...{ id: laneId(reference), rateCardId: cardId(reference), laneNumber: 1, transitDays },
        ...(transportModeCode === 'Sea'
          ? {
              ...{ originType: LanePointType.Zone, originZoneId: zoneId('CHINA') },
              ...{ destinationType: LanePointType.Zone, destinationZoneId: zoneId('NEUR') },
            }
          : {
              ...{ originType: LanePointType.Port, originUnLocode: 'DEFRA' },
              ...{ destinationType: LanePointType.Port, destinationUnLocode: 'USORD' },
            }),
      })),
      missingRows,
    )
    const lines = cards.flatMap((card) =>
      card.lines.map((one, at) => ({
        ...one,
        id: lineId(card.reference, at),
        rateLaneId: laneId(card.reference),
      })),
    )
    await this.stores.of(RateLine).insertMany(
      lines.map(({ breaks: _, ...row }) => row),
      missingRows,
    )
    await this.stores.of(RateBreak).insertMany(
      lines.flatMap(({ id, breaks }) =>
        breaks.map(([from, amount]) => ({
          ...{ id: namedGuid(`Demo:RateBreak:${id}:${from}`), rateLineId: id },
          ...{ fromQuantity: String(from), amount: String(amount) },
        })),
      ),
      missingRows,
    )
    return cards.length
  }
}

const zoneId = (code: string) => namedGuid(`Demo:RateZone:${code}`)
const cardId = (reference: string) => namedGuid(`Demo:RateCard:${reference}`)
const laneId = (reference: string) => namedGuid(`Demo:RateLane:${reference}`)
const lineId = (reference: string, at: number) => namedGuid(`Demo:RateLine:${reference}:${at}`)
const chargeIds = new Map(chargeCodes.map(({ code, id }) => [code, id]))
const chargeId = (code: string) => chargeIds.get(code) ?? ''

function line(
  code: string,
  basis: RateBasis,
  currencyCode: string,
  amount?: number,
  containerTypeCode: string | null = null,
) {
  return {
    ...{ chargeCodeId: chargeId(code), basis, currencyCode, containerTypeCode },
    amount: amount === undefined ? null : amount.toFixed(2),
    breaks: [] as readonly (readonly [number, number])[],
  }
}
