import assert from 'node:assert/strict'
import { test } from 'vitest'
import { unitsOfMeasure } from '../persistence/reference/units.js'
import { convertedValue } from './unit-of-measure.js'

function unit(code: string) {
  const found = unitsOfMeasure.find((one) => one.code === code)
  assert.ok(found, code)
  return found
}

test.each([
  ['1', 'LBR', 'KGM', '0.4535923700'],
  ['1', 'KGM', 'LBR', '2.2046226218'],
  ['100', 'FTQ', 'MTQ', '2.8316846592'],
  ['1', 'GLL', 'INQ', '231.0000000000'],
  ['12', 'INH', 'FOT', '1.0000000000'],
  ['1', 'NMI', 'KMT', '1.8520000000'],
  ['30', 'DZN', 'C62', '360.0000000000'],
  ['212', 'FAH', 'CEL', '100.0000000000'],
  ['-40', 'FAH', 'CEL', '-40.0000000000'],
  ['-18', 'CEL', 'FAH', '-0.4000000000'],
  ['0', 'KEL', 'CEL', '-273.1500000000'],
  ['0.1', 'TNE', 'KGM', '100.0000000000'],
  ['99999999999999.9999999999', 'KGM', 'KGM', '99999999999999.9999999999'],
  ['1', 'C62', 'DZN', '0.0833333333'],
  ['-2', 'C62', 'DPR', '-0.0833333333'],
  ['0.0000000005', 'GRM', 'GRM', '0.0000000005'],
  ['0.0000000005', 'GRM', 'HGM', '0.0000000000'],
  ['0.0000000500', 'GRM', 'HGM', '0.0000000005'],
])('%s %s is, in %s, %s', (value, from, to, expected) => {
  assert.equal(convertedValue(value, unit(from), unit(to)), expected)
})

test('halves of the last digit are rounded away from zero', () => {
  const half = { factorToBase: '0.5', offsetToBase: '0' }
  const one = { factorToBase: '1', offsetToBase: '0' }
  assert.deepEqual(
    ['0.0000000001', '-0.0000000001', '0.0000000003'].map((value) => convertedValue(value, half, one)),
    ['0.0000000001', '-0.0000000001', '0.0000000002'],
  )
})
