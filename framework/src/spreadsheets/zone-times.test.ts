import { expect, test } from 'vitest'
import { ZoneTimes } from './zone-times.js'

test.each([
  ['UTC', '2026-07-01T10:00:00.000Z', '2026-07-01T10:00:00.000Z'],
  ['Europe/Berlin', '2026-07-01T10:00:00.000Z', '2026-07-01T12:00:00.000+02:00'],
  ['Europe/Berlin', '2026-12-31T23:30:00.000Z', '2027-01-01T00:30:00.000+01:00'],
  ['America/St_Johns', '2026-01-01T00:00:00.000Z', '2025-12-31T20:30:00.000-03:30'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00.250Z', '2026-01-01T05:45:00.250+05:45'],
  ['Europe/Berlin', '1890-01-01T00:00:00.000Z', '1890-01-01T00:00:00.000Z'],
])('the clocks of %s show %s as %s', (zone, instant, text) => {
  const times = new ZoneTimes(zone)
  expect(times.text(new Date(instant))).toBe(text)
  expect(times.instantOf(times.clockTime(new Date(instant))).toISOString()).toBe(instant)
})

test.each([
  // The clock goes from 01:59 to 03:00, and in autumn shows the hour from 02:00 twice.
  ['2026-03-29T01:59:59.000Z', '2026-03-29T00:59:59.000Z'],
  ['2026-03-29T03:00:00.000Z', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T02:30:00.000Z', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T03:00:00.000Z', '2026-10-25T02:00:00.000Z'],
])('the clock time %s of Berlin is the instant %s', (clock, instant) => {
  expect(new ZoneTimes('Europe/Berlin').instantOf(new Date(clock)).toISOString()).toBe(instant)
})

test.each([
  ['Europe/Berlin', '2027-03-28T02:30:00.000Z', '2027-03-28T01:30:00.000Z'],
  ['America/New_York', '2027-03-14T02:15:00.000Z', '2027-03-14T07:15:00.000Z'],
  ['America/Santiago', '2027-09-05T00:30:00.000Z', '2027-09-05T04:30:00.000Z'],
])('a clock time that %s leaves out, %s, is moved forward by as much', (zone, clock, instant) => {
  expect(new ZoneTimes(zone).instantOf(new Date(clock)).toISOString()).toBe(instant)
})
