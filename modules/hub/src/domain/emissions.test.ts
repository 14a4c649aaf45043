import { expect, test } from 'vitest'
import { DistanceSource } from '../contracts/enumerations.js'
import { emissionFactors } from '../persistence/reference/emission-factors.js'
import { ports } from '../persistence/reference/ports.js'
import { distanceOf, emissionKg, type Factor, factorOf } from './emissions.js'

const port = (unLocode: string) => ports.find((one) => one.unLocode === unLocode)

// domain model, section 7.5: checked results, within one percent
test.each([
  ['CNSGH', 'DEHAM', 19_986],
  ['SGSIN', 'NLRTM', 15_483],
  ['CNSGH', 'NLRTM', 19_511],
  ['CNSGH', 'USLAX', 10_614],
  ['NLRTM', 'USNYC', 6_246],
  ['HKHKG', 'SGSIN', 2_731],
])('by sea from %s to %s it is %d km', (from, to, km) => {
  const found = distanceOf({ transportMode: 'Sea', from: port(from), to: port(to), distanceKm: null })
  expect(found?.source).toBe(DistanceSource.SeaGraph)
  expect(Math.abs((found?.km ?? 0) / km - 1)).toBeLessThan(0.01)
  const back = distanceOf({ transportMode: 'Sea', from: port(to), to: port(from), distanceKm: null })
  expect(back?.km).toBeCloseTo(found?.km ?? 0, 6)
})

test('ways over land are longer than the great circle, and the length of a leg comes first', () => {
  const leg = { from: port('DEHAM'), to: port('NLRTM'), distanceKm: null }
  const km = (transportMode: string) => distanceOf({ ...leg, transportMode })?.km ?? 0
  expect(km('Road') / km('Air')).toBeCloseTo(1.3)
  expect(km('Rail') / km('Air')).toBeCloseTo(1.2)
  expect(distanceOf({ ...leg, transportMode: 'Road', distanceKm: 500 })).toEqual({
    km: 500,
    source: DistanceSource.Leg,
  })
  expect(distanceOf({ ...leg, transportMode: 'Air', to: undefined })).toBe(undefined)
})

const factors: Factor[] = emissionFactors.map((factor) => ({
  minDistanceKm: null,
  maxDistanceKm: null,
  isTemperatureControlled: false,
  isDefault: false,
  ...factor,
  transportMode: factor.code.startsWith('SEA')
    ? 'Sea'
    : factor.code.startsWith('AIR')
      ? 'Air'
      : factor.code.startsWith('ROAD')
        ? 'Road'
        : factor.code === 'RAIL'
          ? 'Rail'
          : 'InlandWater',
  distanceUpliftPercent: 0,
  distanceAddKm: 0,
  validTo: null,
}))

test.each([
  ['Sea', 'FCL', 20_000, false, 'SEA-CONT-AVG'],
  ['Sea', 'LCL', 20_000, false, 'SEA-CONT-AVG'],
  ['Sea', 'BBK', 20_000, false, 'SEA-GEN-AVG'],
  ['Sea', 'ROR', 20_000, false, 'SEA-RORO-AVG'],
  ['Air', 'LSE', 3_699, false, 'AIR-SHORT'],
  ['Air', 'LSE', 3_700, false, 'AIR-LONG'],
  ['Road', 'LTL', 500, false, 'ROAD-HGV'],
  ['Road', 'FTL', 500, false, 'ROAD-ARTIC'],
  ['Road', 'FTL', 500, true, 'ROAD-REEFER'],
  ['Rail', 'FCL', 500, false, 'RAIL'],
  ['InlandWater', 'FCL', 500, false, 'BARGE'],
  ['Courier', null, 500, false, undefined],
] as const)('%s, %s, %d km, cooled %s: %s', (transportMode, containerMode, distanceKm, isCooled, code) => {
  const carried = {
    transportMode,
    containerMode,
    distanceKm,
    isTemperatureControlled: isCooled,
    date: '2026-11-01',
  }
  expect(factorOf(factors, carried)?.code).toBe(code)
  expect(factorOf(factors, { ...carried, date: '2024-12-31' })).toBe(undefined)
})

test('long flights take the factor with radiative forcing where it counts, and nothing else does', () => {
  const flight = {
    transportMode: 'Air',
    containerMode: 'LSE',
    isTemperatureControlled: false,
    date: '2026-11-01',
  }
  const code = (carried: object) =>
    factorOf(factors, { ...flight, distanceKm: 9000, countsRadiativeForcing: true, ...carried })?.code
  expect([
    code({}),
    code({ countsRadiativeForcing: false }),
    code({ distanceKm: 3699 }),
    code({ transportMode: 'Sea', containerMode: 'BBK' }),
    code({ transportMode: 'Road', isTemperatureControlled: true }),
  ]).toEqual(['AIR-LONG-RF', 'AIR-LONG', 'AIR-SHORT', 'SEA-GEN-AVG', 'ROAD-REEFER'])
})

test('well to wheel is more than tank to wheel, by the upstream share of each factor', () => {
  for (const { wtwGramsPerTkm, ttwGramsPerTkm } of factors)
    expect(wtwGramsPerTkm).toBeGreaterThan(ttwGramsPerTkm ?? 0)
})

test('emissions are tonnes times kilometres, with uplift and addition, to two digits', () => {
  const plain = { distanceUpliftPercent: 0, distanceAddKm: 0 }
  expect(emissionKg(10, 20_000, plain, 19.77)).toBe(3954)
  expect(emissionKg(1.24, 19_986, plain, 19.77)).toBe(489.95)
  expect(emissionKg(10, 1000, { distanceUpliftPercent: 15, distanceAddKm: 95 }, 100)).toBe(1245)
})
