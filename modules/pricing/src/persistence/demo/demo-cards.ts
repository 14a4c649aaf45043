import { namedGuid } from '@keel/framework/data'
import { LanePointType, RateBasis, RateCardStatus, RateCardType } from '../../contracts/index.js'
import { chargeCodeId } from '../reference/charge-codes.js'
import { airCarriers, airTrades, type DemoTrade, seaCarriers, seaTrades, some } from './demo-trades.js'

/** A rate card of the demo data with its lanes. Days are counted from today. */
export interface DemoCard {
  readonly reference: string
  readonly name: string
  readonly version: number
  readonly cardType: RateCardType
  readonly status: RateCardStatus
  readonly transportModeCode: 'Sea' | 'Air'
  readonly containerModeCode: 'FCL' | 'LCL' | 'LSE'
  readonly carrierCode: string | null
  readonly currencyCode: string
  readonly firstDay: number
  readonly lastDay: number
  readonly lanes: readonly DemoLane[]
}

interface DemoLane {
  readonly from: string
  readonly to: string
  readonly transitDays: number
  readonly lines: readonly DemoLine[]
}

interface DemoLine {
  readonly code: string
  readonly basis: RateBasis
  readonly currencyCode: string
  readonly amount: number | null
  readonly containerTypeCode?: string
  readonly minAmount?: number
  readonly breaks?: readonly (readonly [from: number, amount: number])[]
}

type Validity = Pick<DemoCard, 'version' | 'status' | 'firstDay' | 'lastDay'>
/** The days of a card, of 90. */
const current: Validity = { version: 1, status: RateCardStatus.Active, firstDay: -30, lastDay: 59 }
/** Every fifth contract was renewed. */
const renewed: readonly Validity[] = [
  { version: 1, status: RateCardStatus.Expired, firstDay: -120, lastDay: -31 },
  { ...current, version: 2 },
]
const carriersOfTrade = 3

/** 55 cards: contracts with shipping lines and airlines, buying rates for loose cargo, and a tariff for everybody. */
export function demoCards(): DemoCard[] {
  return [
    ...seaTrades.flatMap((trade, at) =>
      some(seaCarriers, at * carriersOfTrade, carriersOfTrade).flatMap((carrier, of) =>
        validitiesOf(at * carriersOfTrade + of).map((validity) => fullContainers(trade, carrier, validity)),
      ),
    ),
    ...seaTrades.map((trade) => looseCargo(trade, RateCardType.Buy)),
    ...seaTrades.slice(0, 2).map((trade) => looseCargo(trade, RateCardType.Sell)),
    ...airTrades.flatMap((trade, at) =>
      some(airCarriers, at, carriersOfTrade).flatMap((carrier, of) =>
        validitiesOf(at * carriersOfTrade + of).map((validity) => byAir(trade, carrier, validity)),
      ),
    ),
  ]
}

function validitiesOf(place: number): readonly Validity[] {
  return place % 5 === 4 ? renewed : [current]
}

type Carrier = (typeof seaCarriers | typeof airCarriers)[number]

function fullContainers(trade: DemoTrade, carrier: Carrier, validity: Validity): DemoCard {
  return {
    ...validity,
    reference: `FCL-${trade.code}-${carrier.code}`,
    name: `${trade.name}, full containers, ${carrier.code}`,
    ...{ cardType: RateCardType.Buy, transportModeCode: 'Sea', containerModeCode: 'FCL' },
    ...{ carrierCode: carrier.code, currencyCode: 'USD' },
    lanes: lanesOf(trade, carrier.moreDays, (share) => {
      const freight = (factor: number) => round(trade.price * carrier.factor * share * factor, 5)
      return [
        ...[
          ['22G1', 1],
          ['42G1', 1.8],
          ['45G1', 1.9],
        ].map(([containerTypeCode, factor]) => ({
          ...line('OFR', RateBasis.PerContainer, 'USD', freight(factor as number)),
          containerTypeCode: containerTypeCode as string,
        })),
        line('ISPS', RateBasis.PerContainer, 'USD', 14),
        line('OTHC', RateBasis.PerContainer, 'USD', 135),
        line('DTHC', RateBasis.PerContainer, 'EUR', 270),
        line('DDOC', RateBasis.PerBill, 'EUR', 60),
      ]
    }),
  }
}

/** A ton or a cubic metre of loose cargo costs about an eighteenth of a small container. */
function looseCargo(trade: DemoTrade, cardType: RateCardType): DemoCard {
  const isTariff = cardType === RateCardType.Sell
  const factor = isTariff ? 1.3 / 18 : 1 / 18
  return {
    ...current,
    reference: `${isTariff ? 'TARIFF' : 'LCL'}-${trade.code}`,
    name: `${trade.name}, loose cargo${isTariff ? ', tariff' : ''}`,
    ...{ cardType, transportModeCode: 'Sea', containerModeCode: 'LCL' },
    ...{ carrierCode: null, currencyCode: 'USD' },
    lanes: lanesOf(trade, 5, (share) => {
      const ton = (of: number) => round(trade.price * factor * share * of, 0.5)
      return [
        {
          ...line('OFR', RateBasis.PerRevenueTon, 'USD', null),
          minAmount: ton(1.5),
          breaks: [
            [0, ton(1)],
            [5, ton(0.92)],
            [10, ton(0.85)],
          ],
        },
        line('OCFS', RateBasis.PerRevenueTon, 'USD', isTariff ? 24 : 18),
        line('DCFS', RateBasis.PerRevenueTon, 'EUR', isTariff ? 29 : 22),
        line('DDOC', RateBasis.PerBill, 'EUR', isTariff ? 55 : 40),
      ]
    }),
  }
}

const airBreaks = [
  [0, 1.9],
  [45, 1.6],
  [100, 1.35],
  [300, 1.12],
  [500, 1],
  [1000, 0.93],
] as const

function byAir(trade: DemoTrade, carrier: Carrier, validity: Validity): DemoCard {
  return {
    ...validity,
    reference: `AIR-${trade.code}-${carrier.code}`,
    name: `${trade.name}, ${carrier.code}`,
    ...{ cardType: RateCardType.Buy, transportModeCode: 'Air', containerModeCode: 'LSE' },
    ...{ carrierCode: carrier.code, currencyCode: 'EUR' },
    lanes: lanesOf(trade, carrier.moreDays, (share) => [
      {
        ...line('AFR', RateBasis.PerChargeableKg, 'EUR', null),
        minAmount: 95,
        breaks: airBreaks.map(
          ([from, factor]) => [from, round(trade.price * carrier.factor * share * factor, 0.05)] as const,
        ),
      },
      line('FSC', RateBasis.PerChargeableKg, 'EUR', 0.85),
      line('SSC', RateBasis.PerChargeableKg, 'EUR', 0.15),
      line('AWB', RateBasis.PerBill, 'EUR', 35),
    ]),
  }
}

/** Each port with each, some a little dearer than others. */
function lanesOf(
  { from, to, transitDays }: DemoTrade,
  moreDays: number,
  linesOf: (share: number) => readonly DemoLine[],
): DemoLane[] {
  return from.flatMap((origin, at) =>
    to.map((destination, of) => ({
      ...{ from: origin, to: destination, transitDays: Math.max(1, transitDays + moreDays + at - of) },
      lines: linesOf(1 + 0.03 * at + 0.02 * of),
    })),
  )
}

function line(code: string, basis: RateBasis, currencyCode: string, amount: number | null): DemoLine {
  return { code, basis, currencyCode, amount }
}

function round(value: number, step: number): number {
  return Math.round(value / step) * step
}

const cardId = (reference: string, version: number) => namedGuid(`Demo:RateCard:${reference}:${version}`)

/** The rows of the cards, with the same ids on every machine. */
export function cardRows(cards: readonly DemoCard[], dayOf: (offset: number) => string) {
  const lanes = cards.flatMap((card) =>
    card.lanes.map((lane, at) => {
      const rateCardId = cardId(card.reference, card.version)
      return { ...lane, rateCardId, id: namedGuid(`Demo:RateLane:${rateCardId}:${at}`), laneNumber: at + 1 }
    }),
  )
  const lines = lanes.flatMap((lane) =>
    lane.lines.map((one, at) => ({
      ...one,
      rateLaneId: lane.id,
      id: namedGuid(`Demo:RateLine:${lane.id}:${at}`),
    })),
  )
  return {
    cards: cards.map(({ lanes: _, firstDay, lastDay, ...card }) => ({
      ...card,
      id: cardId(card.reference, card.version),
      previousVersionId: card.version > 1 ? cardId(card.reference, card.version - 1) : null,
      ...{ validFrom: dayOf(firstDay), validTo: dayOf(lastDay) },
    })),
    lanes: lanes.map(({ id, rateCardId, laneNumber, transitDays, from, to }) => ({
      ...{ id, rateCardId, laneNumber, transitDays },
      ...{ originType: LanePointType.Port, originUnLocode: from },
      ...{ destinationType: LanePointType.Port, destinationUnLocode: to },
    })),
    lines: lines.map(
      ({ id, rateLaneId, code, basis, currencyCode, amount, minAmount, containerTypeCode }) => ({
        ...{ id, rateLaneId, basis, currencyCode, chargeCodeId: chargeCodeId(code) },
        containerTypeCode: containerTypeCode ?? null,
        amount: amount?.toFixed(2) ?? null,
        minAmount: minAmount?.toFixed(2) ?? null,
      }),
    ),
    breaks: lines.flatMap(({ id, breaks = [] }) =>
      breaks.map(([from, amount]) => ({
        ...{ id: namedGuid(`Demo:RateBreak:${id}:${from}`), rateLineId: id },
        ...{ fromQuantity: String(from), amount: amount.toFixed(2) },
      })),
    ),
  }
}
