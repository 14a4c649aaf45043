import { expect, test } from 'vitest'
import { Clock } from './clock.js'

const clock = new Clock()

test.each([
  ['2026-11-20T08:00:00', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00:00.25', '2026-11-20T08:00:00.250Z'],
  ['2026-11-20T08:00:00+02:00', '2026-11-20T06:00:00.000Z'],
  ['2026-11-20T08:00:00Z', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(clock.normalize(text).toISOString()).toBe(instant)
})

test('an instant stays what it is, in a date of its own', () => {
  const date = new Date('2026-11-20T08:00:00Z')
  expect(clock.normalize(date)).toEqual(date)
  expect(clock.normalize(date)).not.toBe(date)
})

test.each(['yesterday', '', '2026-13-01T00:00:00'])('%j is no instant', (text) => {
  expect(() => clock.normalize(text)).toThrow(RangeError)
})
