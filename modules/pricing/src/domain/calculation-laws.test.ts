import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ChargeCondition,
  ChargeGroup,
  LanePointType,
  MarginType,
  RateBasis,
  RateCardType,
} from '../contracts/index.js'
import {
  calculatePrices,
  type Lane,
  type Line,
  type Margin,
  type PricedCharge,
  type PricedOption,
  type PriceRequest,
  type RateData,
  type Surcharge,
} from './calculation.js'
import { airChargeableKg, type CargoLine, quantitiesOf, revenueTons, roadChargeableKg } from './cargo.js'
import { Conversions } from './conversion.js'
import { type Exact, exact, sum } from './exact.js'

/** What holds for every request and all rates (domain model, section 7), looked for in generated ones. */
const runs = { numRuns: process.env.KEEL_TEST_LONG ? 5000 : 60 }
const settings = { pivotCurrency: 'EUR', allowNegativeFuel: false, validityDays: 14 }
const minorUnits: Readonly<Record<string, number>> = { EUR: 2, USD: 2, JPY: 0, KWD: 3 }
const rates = [
  { from: 'EUR', to: 'USD', rate: '1.0800', date: '2026-11-02' },
  { from: 'EUR', to: 'JPY', rate: '162.5', date: '2026-11-02' },
  { from: 'KWD', to: 'EUR', rate: '2.9985', date: '2026-11-02' },
]
const codes = [
  ['OFR', ChargeGroup.Freight],
  ['BAF', ChargeGroup.Surcharge],
  ['PSS', ChargeGroup.Surcharge],
  ['OTHC', ChargeGroup.OriginLocal],
  ['DTHC', ChargeGroup.DestinationLocal],
] as const

const decimalUpTo = (most: number) =>
  fc.integer({ min: 0, max: most * 10_000 }).map((parts) => (parts / 10_000).toFixed(4))
const amount = decimalUpTo(500)
const currency = fc.constantFrom(...Object.keys(minorUnits))
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 2 })
const orderedPair = fc
  .tuple(amount, amount)
  .map((pair) => pair.sort((one, other) => Number(one) - Number(other)) as [string, string])
const bounds = fc
  .tuple(orderedPair, fc.boolean(), fc.boolean())
  .map(([[min, max], hasMin, hasMax]) => ({ minAmount: hasMin ? min : null, maxAmount: hasMax ? max : null }))
const breaks = fc.uniqueArray(fc.integer({ min: 1, max: 2000 }), { maxLength: 4 }).chain((from) =>
  fc.tuple(
    ...[0, ...from]
      .sort((one, other) => one - other)
      .map((start) =>
        fc.record({
          fromQuantity: fc.constant(String(start)),
          amount,
          isFlat: fc.boolean(),
        }),
      ),
  ),
)
const { PerContainer, PerTeu, PercentOfGroup } = RateBasis
const charge = fc.constantFrom(...codes).map(([chargeCode, chargeGroup]) => ({
  ...{ chargeCode, chargeGroup, chargeCodeId: `id-${chargeCode}`, chargeName: chargeCode },
}))
const rate = {
  basis: fc.integer({ min: 0, max: 10 }) as fc.Arbitrary<RateBasis>,
  currencyCode: currency,
  appliesWhen: fc.integer({ min: 0, max: 3 }) as fc.Arbitrary<ChargeCondition>,
}
const line: fc.Arbitrary<Line> = fc
  .record({
    ...rate,
    id: fc.uuid(),
    type: fc.constantFrom(null, '45G1', '22G1'),
    amount,
    breaks: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, breaks),
  })
  .chain(({ type, ...values }) =>
    fc.tuple(charge, bounds).map(([of, bound]) => ({
      ...{ ...values, ...of, ...bound, allowHigherBreak: true },
      containerTypeCode: [PerContainer, PerTeu].includes(values.basis) ? type : null,
    })),
  )
/** Of a code, a type and a condition there is one line on a lane. */
const lines = fc.uniqueArray(line, {
  maxLength: 6,
  selector: ({ chargeCode, containerTypeCode, appliesWhen }) =>
    [chargeCode, containerTypeCode, appliesWhen].join(),
})
const lane = (cardType: RateCardType): fc.Arbitrary<Lane> =>
  fc
    .record({
      id: fc.uuid(),
      originType: fc.constantFrom(LanePointType.Port, LanePointType.Zone, LanePointType.Any),
      carrierCode: fc.constantFrom(null, 'MSK', 'CMA'),
      transitDays: orNull(fc.integer({ min: 1, max: 60 })),
      priority: fc.integer({ min: 1, max: 3 }),
      lines,
    })
    .map((values) => ({
      ...{ ...values, cardType, laneNumber: 1, destinationType: LanePointType.Port, viaUnLocode: null },
      ...{ cardId: 'card', cardReference: 'CARD', cardVersion: 1, organizationId: null },
      ...{ validFrom: '2026-10-01', validTo: '2026-12-31', volumetricDivisor: 6000, minimumRevenueTon: '1' },
    }))
const fuel = fc.record({
  code: fc.constant('VLSFO'),
  current: decimalUpTo(900),
  base: fc.constant('500'),
  step: fc.constant('25'),
  amountPerStep: decimalUpTo(20),
})
const surcharge: fc.Arbitrary<Surcharge> = fc
  .record({
    ...rate,
    id: fc.uuid(),
    amount,
    carrierCode: fc.constantFrom(null, 'MSK'),
    originZoneId: fc.constantFrom(null, 'zone'),
    containerModeCode: fc.constantFrom(null, 'LCL', 'FCL'),
    percentOfGroup: fc.constantFrom(ChargeGroup.Freight, ChargeGroup.Surcharge),
    fuel: orNull(fuel),
  })
  .chain(({ percentOfGroup, ...values }) =>
    fc.tuple(charge, bounds).map(([of, bound]) => ({
      ...{ ...values, ...of, ...bound, destinationZoneId: null, containerTypeCode: null },
      ...{ validFrom: '2026-01-01', percentOfGroup: values.basis === PercentOfGroup ? percentOfGroup : null },
    })),
  )
const margin: fc.Arbitrary<Margin> = fc
  .record({
    id: fc.uuid(),
    group: orNull(fc.constantFrom(ChargeGroup.Freight, ChargeGroup.Surcharge)),
    code: orNull(fc.constantFrom('id-OFR', 'id-BAF')),
    marginType: fc.integer({ min: 0, max: 3 }) as fc.Arbitrary<MarginType>,
    value: decimalUpTo(99),
    currencyCode: currency,
    priority: fc.integer({ min: 1, max: 3 }),
  })
  .chain(({ group, code, ...values }) =>
    bounds.map(({ minAmount, maxAmount }) => ({
      ...{
        ...values,
        name: values.id,
        organizationId: null,
        transportModeCode: null,
        containerModeCode: null,
      },
      ...{ chargeGroup: group, chargeCodeId: code, originZoneId: null, destinationZoneId: null },
      ...{ minMarginAmount: minAmount, maxMarginAmount: maxAmount },
    })),
  )
const cargoLine: fc.Arbitrary<CargoLine> = fc.record({
  containerTypeCode: fc.constantFrom(null, '45G1', '22G1'),
  quantity: fc.integer({ min: 1, max: 20 }),
  grossWeightKg: fc.integer({ min: 0, max: 50_000 }).map((tenths) => tenths / 10),
  volumeM3: fc.integer({ min: 0, max: 90_000 }).map((litres) => litres / 1000),
})
const cargo = fc.array(cargoLine, { minLength: 1, maxLength: 4 })
const request: fc.Arbitrary<PriceRequest> = fc
  .record({
    transportModeCode: fc.constantFrom('Sea', 'Air', 'Road', 'Courier'),
    containerModeCode: fc.constantFrom('LCL', 'FCL'),
    currencyCode: currency,
    isDangerousGoods: fc.boolean(),
    isTemperatureControlled: fc.boolean(),
    includeOptional: fc.boolean(),
    goodsValue: decimalUpTo(100_000),
    cargo,
  })
  .map((values) => ({ ...values, pricingDate: '2026-11-02', organizationId: null, carrierCodes: [] }))
const { Buy, Sell } = RateCardType
const data: fc.Arbitrary<RateData> = fc.record({
  lanes: fc
    .tuple(
      fc.array(lane(Buy), { maxLength: 3 }),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(lane(Sell), { maxLength: 2 })),
    )
    .map((both) => both.flat()),
  surcharges: fc.array(surcharge, { maxLength: 4 }),
  margins: fc.array(margin, { maxLength: 4 }),
  rates: fc.constant(rates),
  minorUnits: fc.constant(minorUnits),
})

const priced = (asked: PriceRequest, given: RateData) => calculatePrices(asked, given, settings)
const byLane = (options: readonly PricedOption[]) => new Map(options.map((one) => [one.rateLaneId, one]))
const sumOf = (charges: readonly PricedCharge[], member: 'sellAmount' | 'costAmountQuote') =>
  sum(charges.map((one) => exact(one[member] ?? 0)))
const mandatory = ({ charges }: PricedOption) => charges.filter(({ isOptional }) => !isOptional)
const conversions = new Conversions(rates, settings.pivotCurrency)
/** An amount of a rate in the currency of the request, with its digits. */
function inQuote(value: string, from: string, to: string): Exact {
  const factor = conversions.find(from, to)?.rate ?? exact(0)
  return exact(value)
    .times(factor)
    .decimalPlaces(minorUnits[to] ?? 2)
}
const shuffled = <T>(values: readonly T[]) =>
  fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length })

describe('for every request and all rates', () => {
  test('the order of cargo, lanes, lines, breaks, surcharges, margins and exchange rates changes nothing', () => {
    const reordered = (asked: PriceRequest, given: RateData) =>
      fc.record({
        cargo: shuffled(asked.cargo),
        surcharges: shuffled(given.surcharges),
        margins: shuffled(given.margins),
        rates: shuffled(given.rates),
        lanes: fc
          .tuple(
            ...given.lanes.map((one) =>
              fc
                .tuple(...one.lines.map((of) => shuffled(of.breaks).map((some) => ({ ...of, breaks: some }))))
                .chain((some) => shuffled(some).map((moved) => ({ ...one, lines: moved }))),
            ),
          )
          .chain(shuffled),
      })
    const both = fc
      .tuple(request, data)
      .chain(([asked, given]) => fc.tuple(fc.constant(asked), fc.constant(given), reordered(asked, given)))
    fc.assert(
      fc.property(both, ([asked, given, { cargo: moved, ...rest }]) => {
        expect(priced({ ...asked, cargo: moved }, { ...given, ...rest })).toEqual(priced(asked, given))
      }),
      runs,
    )
  })

  test('totals are the sums of charges that are not optional, and the best option costs the least', () => {
    fc.assert(
      fc.property(request, data, (asked, given) => {
        const options = priced(asked, given)
        for (const option of options) {
          expect(sumOf(mandatory(option), 'sellAmount').eq(option.totalSell)).toBe(true)
          if (option.totalCost === null) continue
          expect(sumOf(mandatory(option), 'costAmountQuote').eq(option.totalCost)).toBe(true)
          expect(
            exact(option.totalSell)
              .minus(option.totalCost)
              .eq(option.marginAmount ?? 0),
          ).toBe(true)
        }
        const prices = options.map(({ totalSell }) => Number(totalSell))
        expect(prices).toEqual([...prices].sort((one, other) => one - other))
        expect(options.map(({ isRecommended }) => isRecommended)).toEqual(options.map((_, at) => at === 0))
      }),
      runs,
    )
  })

  test('optional charges change no total', () => {
    fc.assert(
      fc.property(request, data, (asked, given) => {
        const totals = (includeOptional: boolean) =>
          priced({ ...asked, includeOptional }, given).map(({ rateLaneId, totalCost, totalSell }) => ({
            ...{ rateLaneId, totalCost, totalSell },
          }))
        expect(totals(true)).toEqual(totals(false))
      }),
      runs,
    )
  })

  test('no cost is below the minimum of its rate, above its maximum, or finer than its currency', () => {
    fc.assert(
      fc.property(request, data, (asked, given) => {
        const known = new Map(
          [...given.surcharges, ...given.lanes.flatMap((one) => one.lines)].map((one) => [one.id, one]),
        )
        for (const { charges } of priced(asked, given))
          for (const { costAmount, explanation } of charges) {
            const of = known.get(explanation.rateId)
            if (!of || costAmount === null) continue
            const digits = minorUnits[of.currencyCode] ?? 2
            const cost = exact(costAmount)
            expect(cost.decimalPlaces() ?? 0).toBeLessThanOrEqual(digits)
            expect(cost.gte(exact(of.minAmount ?? 0).decimalPlaces(digits))).toBe(true)
            if (of.maxAmount !== null) expect(cost.lte(exact(of.maxAmount).decimalPlaces(digits))).toBe(true)
          }
      }),
      runs,
    )
  })

  test('more weight, volume or packages never lower a cost or a price, where higher breaks may be paid', () => {
    const more = fc.record({
      grossWeightKg: fc.integer({ min: 0, max: 5000 }),
      volumeM3: fc.integer({ min: 0, max: 20 }),
      quantity: fc.integer({ min: 0, max: 5 }),
    })
    fc.assert(
      fc.property(request, data, more, (asked, given, added) => {
        const [first, ...others] = asked.cargo
        if (!first) return
        const grown = {
          ...first,
          grossWeightKg: first.grossWeightKg + added.grossWeightKg,
          volumeM3: (first.volumeM3 ?? 0) + added.volumeM3,
          quantity: first.quantity + added.quantity,
        }
        const after = byLane(priced({ ...asked, cargo: [grown, ...others] }, given))
        for (const before of priced(asked, given)) {
          const same = after.get(before.rateLaneId)
          expect(exact(same?.totalSell ?? -1).gte(before.totalSell)).toBe(true)
          expect(exact(same?.totalCost ?? 0).gte(before.totalCost ?? 0)).toBe(true)
        }
      }),
      runs,
    )
  })

  test('without a selling card no charge is sold below its cost, nor with less than the least margin of its rule', () => {
    fc.assert(
      fc.property(request, data, (asked, given) => {
        const buying = { ...given, lanes: given.lanes.filter(({ cardType }) => cardType === Buy) }
        for (const { charges } of priced(asked, buying))
          for (const { costAmountQuote, sellAmount, marginRuleId } of charges) {
            const rule = given.margins.find(({ id }) => id === marginRuleId)
            const least = rule?.minMarginAmount ?? '0'
            const margin = exact(sellAmount).minus(costAmountQuote ?? 0)
            expect(
              margin.gte(inQuote(least, rule?.currencyCode ?? asked.currencyCode, asked.currencyCode)),
            ).toBe(true)
            if (!rule) expect(margin.isZero()).toBe(true)
          }
      }),
      runs,
    )
  })

  test('charges of a code that a selling card has are sold together for what the card alone asks for it', () => {
    fc.assert(
      fc.property(request, data, lane(Sell), (asked, given, selling) => {
        const buying = given.lanes.filter(({ cardType }) => cardType === Buy)
        const tariff = { ...selling, carrierCode: null }
        const [alone] = priced(asked, { ...given, lanes: [tariff] })
        for (const option of priced(asked, { ...given, lanes: [...buying, tariff] })) {
          if (option.rateLaneId === tariff.id) continue
          for (const [code] of codes) {
            const ofCode = ({ chargeCode }: PricedCharge) => chargeCode === code
            const [bought, sold] = [
              mandatory(option).filter(ofCode),
              alone ? mandatory(alone).filter(ofCode) : [],
            ]
            if (!bought.length || !sold.length) continue
            expect(sumOf(bought, 'sellAmount').toFixed()).toBe(sumOf(sold, 'sellAmount').toFixed())
          }
        }
      }),
      runs,
    )
  })

  test('cargo in two lines is priced as in one', () => {
    const parts = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 5000 }))
    const pair = fc.tuple(parts, parts, fc.constantFrom(null, '45G1', '22G1'))
    fc.assert(
      fc.property(request, data, pair, (asked, given, [[count, kg], [moreCount, moreKg], type]) => {
        const of = (quantity: number, grossWeightKg: number, litres: number): CargoLine => ({
          ...{ containerTypeCode: type, quantity, grossWeightKg, volumeM3: litres / 1000 },
        })
        const whole = [of(count + moreCount, kg + moreKg, 3 * (kg + moreKg))]
        const split = [of(count, kg, 3 * kg), of(moreCount, moreKg, 3 * moreKg)]
        expect(priced({ ...asked, cargo: split }, given)).toEqual(priced({ ...asked, cargo: whole }, given))
      }),
      runs,
    )
  })

  test('what is charged by the package, container, kilogram or cubic metre costs two loads what it costs each', () => {
    const { PerGrossKg, PerCubicMetre, PerPackage } = RateBasis
    const basis = fc.constantFrom(PerGrossKg, PerCubicMetre, PerPackage, PerContainer, PerTeu)
    fc.assert(
      fc.property(request, lane(Buy), line, basis, cargo, cargo, (asked, on, some, by, one, other) => {
        const plain: Line = {
          ...{ ...some, basis: by, containerTypeCode: null, currencyCode: asked.currencyCode, breaks: [] },
          ...{ minAmount: null, maxAmount: null, appliesWhen: ChargeCondition.Always },
        }
        const costOf = (load: readonly CargoLine[]) =>
          exact(
            priced(
              { ...asked, cargo: load },
              { ...{ lanes: [{ ...on, lines: [plain] }], surcharges: [], margins: [], rates, minorUnits } },
            )[0]?.totalCost ?? 0,
          )
        const apart = costOf(one).plus(costOf(other))
        // Each of the three costs is rounded once.
        const unit = exact(10).pow(-(minorUnits[asked.currencyCode] ?? 2))
        expect(
          costOf([...one, ...other])
            .minus(apart)
            .abs()
            .lte(unit),
        ).toBe(true)
      }),
      runs,
    )
  })
})

test('quantities that are charged are at least those of the cargo, and grow by no more than their steps', () => {
  fc.assert(
    fc.property(cargo, fc.integer({ min: 1000, max: 10_000 }), decimalUpTo(20), (load, divisor, least) => {
      const quantities = quantitiesOf(load)
      const { grossKg, volumeM3 } = quantities
      const air = airChargeableKg(quantities, divisor)
      const volumetric = volumeM3.times(1_000_000).div(divisor)
      const greater = grossKg.gt(volumetric) ? grossKg : volumetric
      expect(air.gte(greater) && air.minus(greater).lt(0.5) && air.times(2).isInteger()).toBe(true)
      const tons = revenueTons(quantities, exact(least))
      const most = [grossKg.div(1000), volumeM3, exact(least)].reduce((a, b) => (a.gt(b) ? a : b))
      expect(tons.minus(most).abs().lte(0.0005)).toBe(true)
      expect(roadChargeableKg(quantities).gte(grossKg)).toBe(true)
    }),
    runs,
  )
})

test('a rate and its way back make an amount of what it was, and no rate is zero', () => {
  const found = fc.integer({ min: 1, max: 2_000_000_000 }).map((parts) => (parts / 1000).toFixed(8))
  fc.assert(
    fc.property(found, found, fc.boolean(), (one, other, isInverse) => {
      const pair = (from: string, to: string, rate: string) =>
        isInverse ? { from: to, to: from, rate, date: '2026-11-02' } : { from, to, rate, date: '2026-11-02' }
      const known = new Conversions([pair('EUR', 'USD', one), pair('EUR', 'JPY', other)], 'EUR')
      for (const [from, to] of [
        ['EUR', 'USD'],
        ['USD', 'JPY'],
        ['JPY', 'EUR'],
      ] as const) {
        const [there, back] = [known.find(from, to), known.find(to, from)]
        expect([there, back].some((each) => each?.rate.isZero())).toBe(false)
        if (!there || !back) continue
        // Both are rounded to 8 digits behind the point.
        const error = there.rate.plus(back.rate).plus(1).times('0.00000001')
        expect(there.rate.times(back.rate).minus(1).abs().lte(error)).toBe(true)
      }
    }),
    runs,
  )
})
