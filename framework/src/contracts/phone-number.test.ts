import { expect, test } from 'vitest'
import { e164, isSamePhoneNumber } from './phone-number.js'

test.each([
  ['+4940123456', '+4940123456'],
  ['+49 (40) 123-456', '+4940123456'],
  ['0049 40/123.456', '+4940123456'],
  ['+49\u00a040\u2011123456', '+4940123456'],
  [' +1 555 010 0199 ', '+15550100199'],
])('%s is %s in E.164', (text, number) => {
  expect(e164(text)).toBe(number)
})

test.each([
  '',
  '040 123456',
  '+0 40 123456',
  '+49 40',
  '+1234567890123456',
  '+49 40 12ab',
  '+49+40123456',
  '+49 40 123456\u0000',
  '+٤٩٤٠١٢٣٤٥٦',
])('%j has no form in E.164', (text) => {
  expect(e164(text)).toBeUndefined()
})

test('one number is the same however it is written, and numbers without country code are compared as texts', () => {
  expect(isSamePhoneNumber('+49 40 123456', '004940123456')).toBe(true)
  expect(isSamePhoneNumber('040 123456', '040 123456 ')).toBe(true)
  expect(isSamePhoneNumber('040 123456', '040123456')).toBe(false)
  expect(isSamePhoneNumber(null, '')).toBe(true)
  expect(isSamePhoneNumber(null, '+4940123456')).toBe(false)
})
