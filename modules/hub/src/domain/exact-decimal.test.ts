import { expect, test } from 'vitest'
import { amountOf, decimalOf, sumOf, unitsOf } from './exact-decimal.js'

test.each([
  ['3', '19.99', '59.97'],
  ['0.3333', '0.1', '0.03'],
  ['0.5', '0.01', '0.01'],
  ['0.4999', '0.01', '0.00'],
  ['99999999999999.9999', '1', '100000000000000.00'],
  ['7', null, '0.00'],
])('%s at %s is %s, rounded half up', (quantity, price, amount) => {
  expect(amountOf(quantity, price)).toBe(amount)
})

test('sums are exact where floating point is not', () => {
  expect(sumOf(['0.1', '0.2', '10000000000000.0001'])).toBe('10000000000000.3001')
  expect(sumOf(['0.10', '0.20'], 2)).toBe('0.30')
  expect([decimalOf(unitsOf('-1.5')), decimalOf(5n)]).toEqual(['-1.5000', '0.0005'])
})
