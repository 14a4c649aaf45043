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
  PriceError,
  type PriceRequest,
  type RateData,
  type Surcharge,
} from './calculation.js'
import { airChargeableKg, quantitiesOf, revenueTons } from './cargo.js'
import { Conversions } from './conversion.js'
import { exact } from './exact.js'

/** The examples of the domain model, section 7.4. */
const rates = [
  { from: 'EUR', to: 'USD', rate: '1.0800', date: '2026-11-02' },
  { from: 'EUR', to: 'CNY', rate: '7.8000', date: '2026-11-02' },
  { from: 'EUR', to: 'SGD', rate: '1.4500', date: '2026-11-02' },
]
const settings = { pivotCurrency: 'EUR', allowNegativeFuel: false, validityDays: 14 }
const { Freight, Surcharge: SurchargeGroup, OriginLocal, DestinationLocal } = ChargeGroup
let ids = 0

function line(
  code: string,
  group: ChargeGroup,
  basis: RateBasis,
  currency: string,
  more: Partial<Line> = {},
): Line {
  return {
    id: `line-${String(++ids).padStart(4, '0')}`,
    chargeCodeId: `id-${code}`,
    chargeCode: code,
    chargeName: code,
    chargeGroup: group,
    basis,
    containerTypeCode: null,
    currencyCode: currency,
    amount: null,
    minAmount: null,
    maxAmount: null,
    appliesWhen: ChargeCondition.Always,
    allowHigherBreak: true,
    breaks: [],
    ...more,
  }
}
function surcharge(
  code: string,
  basis: RateBasis,
  currency: string,
  more: Partial<Surcharge> = {},
): Surcharge {
  const { breaks: _, allowHigherBreak: __, ...rate } = line(code, SurchargeGroup, basis, currency)
  return {
    ...rate,
    ...{ containerModeCode: null, carrierCode: null, originZoneId: null, destinationZoneId: null },
    ...{ percentOfGroup: null, validFrom: '2026-01-01', fuel: null },
    ...more,
  }
}
function lane(lines: readonly Line[], more: Partial<Lane> = {}): Lane {
  return {
    id: `lane-${String(++ids).padStart(4, '0')}`,
    laneNumber: 1,
    ...{ originType: LanePointType.Port, destinationType: LanePointType.Port },
    ...{ carrierCode: 'MSK', viaUnLocode: null, transitDays: 30 },
    ...{
      cardId: 'card',
      cardReference: 'CARD',
      cardVersion: 1,
      cardType: RateCardType.Buy,
      organizationId: null,
    },
    ...{
      priority: 100,
      validFrom: '2026-10-01',
      validTo: '2026-12-31',
      volumetricDivisor: 6000,
      minimumRevenueTon: '1',
    },
    lines,
    ...more,
  }
}
function margin(
  group: ChargeGroup,
  type: MarginType,
  value: string,
  currency: string,
  more: Partial<Margin> = {},
): Margin {
  return {
    ...{ id: `margin-${++ids}`, name: `${ChargeGroup[group]} ${value}`, organizationId: null },
    ...{ transportModeCode: null, containerModeCode: null, chargeGroup: group, chargeCodeId: null },
    ...{ originZoneId: null, destinationZoneId: null, marginType: type, value, minMarginAmount: null },
    ...{ maxMarginAmount: null, currencyCode: currency, priority: 100 },
    ...more,
  }
}
function data(lanes: readonly Lane[], more: Partial<RateData> = {}): RateData {
  const minorUnits = { EUR: 2, USD: 2, CNY: 2, SGD: 2, JPY: 0, KWD: 3 }
  return { lanes, surcharges: [], margins: [], rates, minorUnits, ...more }
}
function request(more: Partial<PriceRequest>): PriceRequest {
  return {
    ...{ transportModeCode: 'Sea', containerModeCode: 'LCL', pricingDate: '2026-11-02', currencyCode: 'EUR' },
    ...{
      organizationId: null,
      isDangerousGoods: false,
      isTemperatureControlled: false,
      includeOptional: false,
    },
    ...{ carrierCodes: [], goodsValue: null, cargo: [] },
    ...more,
  }
}
const pallets = { quantity: 4, lengthCm: 120, widthCm: 80, heightCm: 130, grossWeightKg: 1240 }
const { PerRevenueTon, PerBill, PerContainer, PerTeu, PerChargeableKg } = RateBasis

const exampleA = {
  request: request({ cargo: [pallets] }),
  data: data(
    [
      lane([
        line('OFR', Freight, PerRevenueTon, 'USD', { amount: '42.00', minAmount: '42' }),
        line('BAF', SurchargeGroup, PerRevenueTon, 'USD', { amount: '12.00', minAmount: '12' }),
        line('PSS', SurchargeGroup, PerRevenueTon, 'USD', { amount: '10.00', minAmount: '10' }),
        line('OCFS', OriginLocal, PerRevenueTon, 'CNY', { amount: '120.00', minAmount: '120' }),
        line('ODOC', OriginLocal, PerBill, 'CNY', { amount: '350.00' }),
        line('ENS', SurchargeGroup, PerBill, 'USD', { amount: '30.00' }),
        line('DCFS', DestinationLocal, PerRevenueTon, 'EUR', { amount: '28.50', minAmount: '28.50' }),
        line('DDOC', DestinationLocal, PerBill, 'EUR', { amount: '65.00' }),
      ]),
    ],
    {
      margins: [
        margin(Freight, MarginType.MarkupPercent, '15', 'EUR', { minMarginAmount: '40' }),
        margin(SurchargeGroup, MarginType.MarkupPercent, '0', 'EUR'),
        margin(OriginLocal, MarginType.MarkupPercent, '10', 'EUR'),
        margin(DestinationLocal, MarginType.MarkupPercent, '10', 'EUR'),
      ],
    },
  ),
}
const boxes = [
  { containerTypeCode: '45G1', quantity: 2, grossWeightKg: 30_000 },
  { containerTypeCode: '22G1', quantity: 1, grossWeightKg: 12_000 },
]
const exampleB = {
  request: request({ containerModeCode: 'FCL', currencyCode: 'USD', cargo: boxes }),
  data: data(
    [
      lane([
        line('OFR', Freight, PerContainer, 'USD', { amount: '2850', containerTypeCode: '45G1' }),
        line('OFR', Freight, PerContainer, 'USD', { amount: '1650', containerTypeCode: '22G1' }),
        line('ISPS', SurchargeGroup, PerContainer, 'USD', { amount: '14' }),
        line('ETS', SurchargeGroup, PerTeu, 'EUR', { amount: '24' }),
        line('OTHC', OriginLocal, PerContainer, 'SGD', { amount: '300', containerTypeCode: '45G1' }),
        line('OTHC', OriginLocal, PerContainer, 'SGD', { amount: '215', containerTypeCode: '22G1' }),
        line('DTHC', DestinationLocal, PerContainer, 'EUR', { amount: '285' }),
        line('ODOC', OriginLocal, PerBill, 'USD', { amount: '60' }),
      ]),
    ],
    {
      surcharges: [
        surcharge('CAF', RateBasis.PercentOfGroup, 'USD', { amount: '3', percentOfGroup: Freight }),
        surcharge('BAF', PerTeu, 'USD', {
          fuel: { code: 'VLSFO', current: '612', base: '500', step: '25', amountPerStep: '18' },
        }),
      ],
      margins: [
        margin(Freight, MarginType.FixedPerUnit, '150', 'USD'),
        margin(OriginLocal, MarginType.MarkupPercent, '8', 'USD'),
        margin(DestinationLocal, MarginType.MarkupPercent, '8', 'USD'),
      ],
    },
  ),
}
const airBreaks = [
  ['0', '4.10'],
  ['45', '3.55'],
  ['100', '2.95'],
  ['300', '2.35'],
  ['500', '2.10'],
  ['1000', '1.95'],
].map(([fromQuantity = '', amount = '']) => ({ fromQuantity, amount, isFlat: false }))
const airFreight = line('AFR', Freight, PerChargeableKg, 'EUR', { minAmount: '95', breaks: airBreaks })
const exampleC = {
  request: request({
    ...{ transportModeCode: 'Air', containerModeCode: 'LSE', currencyCode: 'USD' },
    cargo: [{ quantity: 12, lengthCm: 60, widthCm: 50, heightCm: 45, grossWeightKg: 268 }],
  }),
  data: data(
    [
      lane([
        airFreight,
        line('FSC', SurchargeGroup, PerChargeableKg, 'EUR', { amount: '0.85' }),
        line('SSC', SurchargeGroup, PerChargeableKg, 'EUR', { amount: '0.15' }),
        line('XRY', OriginLocal, PerChargeableKg, 'EUR', { amount: '0.12', minAmount: '25' }),
        line('OHC', OriginLocal, PerChargeableKg, 'EUR', { amount: '0.10', minAmount: '45' }),
        line('AWB', OriginLocal, PerBill, 'EUR', { amount: '35' }),
        line('DHC', DestinationLocal, PerChargeableKg, 'USD', { amount: '0.12', minAmount: '75' }),
      ]),
    ],
    {
      margins: [
        margin(Freight, MarginType.MarginPercent, '18', 'USD'),
        margin(OriginLocal, MarginType.MarkupPercent, '10', 'USD', { minMarginAmount: '5' }),
        margin(DestinationLocal, MarginType.MarkupPercent, '10', 'USD', { minMarginAmount: '5' }),
      ],
    },
  ),
}
type Example = { request: PriceRequest; data: RateData }
const priced = ({ request, data }: Example) => calculatePrices(request, data, settings)
const amountsOf = (example: Example) =>
  Object.fromEntries(
    priced(example)[0]?.charges.map(
      ({ chargeCode, containerTypeCode, costAmount, costAmountQuote, sellAmount }) => [
        [chargeCode, containerTypeCode].filter(Boolean).join(' '),
        [costAmount, costAmountQuote, sellAmount],
      ],
    ) ?? [],
  )

describe('the worked examples', () => {
  test('A, less than a container by sea, is right to the cent', () => {
    expect(amountsOf(exampleA)).toEqual({
      OFR: ['209.66', '194.13', '234.13'],
      BAF: ['59.90', '55.46', '55.46'],
      PSS: ['49.92', '46.22', '46.22'],
      OCFS: ['599.04', '76.80', '84.48'],
      ODOC: ['350.00', '44.87', '49.36'],
      ENS: ['30.00', '27.78', '27.78'],
      DCFS: ['142.27', '142.27', '156.50'],
      DDOC: ['65.00', '65.00', '71.50'],
    })
    expect(priced(exampleA)[0]).toMatchObject({
      ...{ totalCost: '652.53', totalSell: '725.43', marginAmount: '72.90', marginPercent: '10.05' },
      ...{ validUntil: '2026-11-16', isRecommended: true },
    })
  })

  test('B, containers by sea, is right to the cent', () => {
    expect(amountsOf(exampleB)).toEqual({
      'OFR 45G1': ['5700.00', '5700.00', '6000.00'],
      'OFR 22G1': ['1650.00', '1650.00', '1800.00'],
      CAF: ['220.50', '220.50', '220.50'],
      BAF: ['360.00', '360.00', '360.00'],
      ISPS: ['42.00', '42.00', '42.00'],
      ETS: ['120.00', '129.60', '129.60'],
      'OTHC 45G1': ['600.00', '446.90', '482.65'],
      'OTHC 22G1': ['215.00', '160.14', '172.95'],
      DTHC: ['855.00', '923.40', '997.27'],
      ODOC: ['60.00', '60.00', '64.80'],
    })
    expect(priced(exampleB)[0]).toMatchObject({
      ...{ totalCost: '9692.54', totalSell: '10269.77', marginAmount: '577.23', marginPercent: '5.62' },
    })
  })

  test('C, by air, is right to the cent, and pays the higher break', () => {
    expect(amountsOf(exampleC)).toEqual({
      AFR: ['705.00', '761.40', '928.54'],
      FSC: ['229.50', '247.86', '247.86'],
      SSC: ['40.50', '43.74', '43.74'],
      XRY: ['32.40', '34.99', '39.99'],
      OHC: ['45.00', '48.60', '53.60'],
      AWB: ['35.00', '37.80', '42.80'],
      DHC: ['75.00', '75.00', '82.50'],
    })
    expect(priced(exampleC)[0]).toMatchObject({
      ...{ totalCost: '1249.39', totalSell: '1439.03', marginAmount: '189.64', marginPercent: '13.18' },
    })
  })

  test.each([
    [10, '95.00'],
    [23, '95.00'],
    [30, '123.00'],
    [44.5, '159.75'],
    [84, '295.00'],
    [238, '702.10'],
    [240, '705.00'],
    [447, '1050.00'],
    [930, '1950.00'],
    [1200, '2340.00'],
  ])('%d kg by air cost %s EUR', (grossWeightKg, cost) => {
    const cargo = [{ quantity: 1, grossWeightKg, volumeM3: 0 }]
    const [option] = priced({ request: { ...exampleC.request, cargo }, data: data([lane([airFreight])]) })
    expect(option?.charges[0]?.costAmount).toBe(cost)
  })

  test.each([
    [150, 2, '333.5'],
    [1000, 1, '1000'],
    [98.1, 0.1, '98.5'],
  ])('%d kg and %d m³ are charged as %s kg by air', (grossWeightKg, volumeM3, kg) => {
    expect(airChargeableKg(quantitiesOf([{ quantity: 1, grossWeightKg, volumeM3 }]), 6000).toFixed()).toBe(kg)
  })

  test('a carton pays the least of a revenue ton', () => {
    const cargo = [{ quantity: 1, grossWeightKg: 180, volumeM3: 0.4 }]
    expect(revenueTons(quantitiesOf(cargo), exact(1)).toFixed()).toBe('1')
    const example = { ...exampleA, request: { ...exampleA.request, cargo } }
    expect(amountsOf(example).OFR?.[0]).toBe('42.00')
  })

  test('rates over the pivot have 8 digits behind the point', () => {
    const conversions = new Conversions(rates, 'EUR')
    expect(
      (['USD-EUR', 'CNY-EUR', 'SGD-USD'] as const).map((pair) => {
        const [from = '', to = ''] = pair.split('-')
        return conversions.find(from, to)?.rate.toFixed()
      }),
    ).toEqual(['0.92592593', '0.12820513', '0.74482759'])
    expect(conversions.find('USD', 'JPY')).toBeUndefined()
  })
})

test('every charge explains its card, line, break, basis, conversion, margin and rounding', () => {
  const freight = priced(exampleC)[0]?.charges[0]
  expect(freight?.explanation).toMatchObject({
    ...{ card: 'CARD/1', laneNumber: 1, rateId: airFreight.id, basis: PerChargeableKg },
    ...{ quantity: '270', paidQuantity: '300', breakFrom: '300', unitAmount: '2.35', unrounded: '705' },
    ...{ exchangeRate: '1.08', exchangeWay: 'Direct', exchangeDate: '2026-11-02' },
    ...{ marginRule: 'Freight 18', marginValue: '18', bound: null, marginBound: null },
  })
  const [baf] = priced(exampleB)[0]?.charges.filter(({ chargeCode }) => chargeCode === 'BAF') ?? []
  expect(baf?.explanation).toMatchObject({
    fuelIndex: 'VLSFO',
    fuelValue: '612',
    fuelSteps: '4',
    unitAmount: '72',
    card: null,
  })
  const [, security] = priced(exampleA)[0]?.charges ?? []
  expect(security?.explanation).toMatchObject({ bound: null, exchangeWay: 'Inverse' })
})

test('a rate, a fuel value or the value of the goods that is missing is named', () => {
  const faultOf = (example: Example) => {
    try {
      return priced(example)
    } catch (error) {
      return (error as PriceError).fault
    }
  }
  expect(faultOf({ ...exampleA, data: { ...exampleA.data, rates: [] } })).toEqual({
    kind: 'NoRate',
    from: 'USD',
    to: 'EUR',
  })
  const fuel = { code: 'VLSFO', current: null, base: '1', step: '1', amountPerStep: '1' }
  expect(
    faultOf({
      ...exampleB,
      data: { ...exampleB.data, surcharges: [surcharge('BAF', PerTeu, 'USD', { fuel })] },
    }),
  ).toEqual({ kind: 'NoFuelValue', code: 'VLSFO' })
  const insured = [
    lane([line('INS', ChargeGroup.Insurance, RateBasis.PercentOfValue, 'EUR', { amount: '0.5' })]),
  ]
  expect(faultOf({ request: exampleA.request, data: data(insured) })).toEqual({
    kind: 'NoGoodsValue',
    chargeCode: 'INS',
  })
  expect(
    priced({ request: { ...exampleA.request, goodsValue: '10000' }, data: data(insured) })[0]?.totalCost,
  ).toBe('50.00')
})

test('yen have no cents, and dinars three digits', () => {
  const yen = data([lane([line('OFR', Freight, PerBill, 'EUR', { amount: '1' })])], {
    rates: [
      { from: 'EUR', to: 'JPY', rate: '162.5', date: '2026-11-02' },
      { from: 'EUR', to: 'KWD', rate: '0.3335', date: '2026-11-02' },
    ],
  })
  const sellIn = (currencyCode: string) =>
    priced({ request: { ...exampleA.request, currencyCode }, data: yen })[0]?.totalSell
  expect([sellIn('JPY'), sellIn('KWD')]).toEqual(['163', '0.334'])
})

test('a selling card sets the prices of the charges that it has, and alone gives an option without cost', () => {
  const selling = lane([line('OFR', Freight, PerRevenueTon, 'EUR', { amount: '60' })], {
    ...{ cardType: RateCardType.Sell, carrierCode: null, cardReference: 'TARIFF' },
  })
  const lanes = [...exampleA.data.lanes, selling]
  const [option] = priced({ ...exampleA, data: { ...exampleA.data, lanes } })
  const freight = option?.charges.find(({ chargeCode }) => chargeCode === 'OFR')
  expect([freight?.costAmountQuote, freight?.sellAmount, freight?.explanation.sellCard]).toEqual([
    '194.13',
    '299.52',
    'TARIFF/1',
  ])
  const [alone] = priced({ ...exampleA, data: data([selling]) })
  expect(alone).toMatchObject({ totalCost: null, marginAmount: null, totalSell: '299.52' })
})

test('of lanes of a carrier the most specific counts, and options are ranked by price and time', () => {
  const at = (amount: string, more: Partial<Lane>) =>
    lane([line('OFR', Freight, PerBill, 'EUR', { amount })], more)
  const options = priced({
    request: exampleA.request,
    data: data([
      at('10', { originType: LanePointType.Country }),
      at('90', {}),
      at('80', { carrierCode: 'CMA', transitDays: 40 }),
      at('80', { carrierCode: 'HLC', transitDays: 28 }),
      at('95', { viaUnLocode: 'SGSIN' }),
    ]),
  })
  expect(
    options.map(({ carrierCode, totalSell, isRecommended }) => [carrierCode, totalSell, isRecommended]),
  ).toEqual([
    ['HLC', '80.00', true],
    ['CMA', '80.00', false],
    ['MSK', '90.00', false],
    ['MSK', '95.00', false],
  ])
})

test('a line of a lane replaces a surcharge, and of surcharges the most specific counts', () => {
  const byCarrier = surcharge('PSS', PerBill, 'EUR', { amount: '7', carrierCode: 'MSK' })
  const general = surcharge('PSS', PerBill, 'EUR', { amount: '5' })
  const surcharges = [general, byCarrier, surcharge('OFR', PerBill, 'EUR', { amount: '1' })]
  const freight = line('OFR', Freight, PerBill, 'EUR', { amount: '100' })
  expect(amountsOf({ request: exampleA.request, data: data([lane([freight])], { surcharges }) })).toEqual({
    OFR: ['100.00', '100.00', '100.00'],
    PSS: ['7.00', '7.00', '7.00'],
  })
})

test('a selling card with charges of a code for all cargo, dangerous cargo and on demand sells each for its own price', () => {
  const { Always, DangerousGoods, Optional } = ChargeCondition
  const at = (amount: string, appliesWhen: ChargeCondition) =>
    line('OFR', Freight, PerBill, 'EUR', { amount, appliesWhen })
  const selling = lane([at('60', Always), at('20', DangerousGoods), at('15', Optional)], {
    ...{ cardType: RateCardType.Sell, carrierCode: null },
  })
  const soldWith = (bought: readonly Line[]) =>
    priced({
      request: request({ cargo: [pallets], isDangerousGoods: true, includeOptional: true }),
      data: data([lane(bought), selling]),
    })[0]
  expect(soldWith([at('50', Always)])?.totalSell).toBe('80.00')
  const all = soldWith([at('50', Always), at('9', Optional)])
  expect(all?.totalSell).toBe('80.00')
  expect(all?.charges.map(({ sellAmount }) => sellAmount)).toEqual(['80.00', '15.00'])
})

test('an optional surcharge or line takes the place of no surcharge that has to be paid', () => {
  const { Optional } = ChargeCondition
  const general = surcharge('PSS', PerBill, 'EUR', { amount: '50' })
  const onDemand = surcharge('PSS', PerBill, 'EUR', {
    amount: '20',
    carrierCode: 'MSK',
    appliesWhen: Optional,
  })
  const baf = surcharge('BAF', PerBill, 'EUR', { amount: '30' })
  const lines = [line('BAF', SurchargeGroup, PerBill, 'EUR', { amount: '5', appliesWhen: Optional })]
  const totalWith = (includeOptional: boolean) =>
    priced({
      request: request({ cargo: [pallets], includeOptional }),
      data: data([lane(lines)], { surcharges: [general, onDemand, baf] }),
    })[0]?.totalSell
  expect([totalWith(false), totalWith(true)]).toEqual(['80.00', '80.00'])
})

test('percentages have breaks by what they are taken of', () => {
  const breaks = [
    { fromQuantity: '0', amount: '1', isFlat: false },
    { fromQuantity: '1000', amount: '0.5', isFlat: false },
  ]
  const insured = line('INS', ChargeGroup.Insurance, RateBasis.PercentOfValue, 'EUR', { breaks })
  const freight = line('OFR', Freight, PerBill, 'EUR', { amount: '2000' })
  const share = line('CAF', Freight, RateBasis.PercentOfGroup, 'EUR', { breaks })
  const costs = amountsOf({
    request: request({ cargo: [pallets], goodsValue: '10000' }),
    data: data([lane([insured, freight, share])]),
  })
  expect([costs.INS?.[0], costs.CAF?.[0]]).toEqual(['50.00', '10.00'])
})

test('a rate that is zero with 8 digits is no rate', () => {
  const weak = [{ from: 'EUR', to: 'USD', rate: '250000000', date: '2026-11-02' }]
  expect(new Conversions(weak, 'EUR').find('USD', 'EUR')).toBeUndefined()
})
