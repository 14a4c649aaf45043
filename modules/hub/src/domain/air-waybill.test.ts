import { expect, test } from 'vitest'
import { isAirWaybill } from './air-waybill.js'

test.each([
  ...['176-12345675', '020-81140743', '589-81140743', '125-12345675', '02081140743'].map(
    (value) => [value, true] as const,
  ),
  ...['114-98795516', '176-12345676', '176-12345677', '176-1234567', 'MAEU123456789', ''].map(
    (value) => [value, false] as const,
  ),
])('%j is the number of an air waybill: %s', (value, expected) => {
  expect(isAirWaybill(value)).toBe(expected)
})
