import { expect, test } from 'vitest'
import { timeZoneNames } from './time-zone.js'

test.each([
  ['UTC', 'UTC', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin', 'W. Europe Standard Time'],
  ['W. Europe Standard Time', 'Europe/Berlin', 'W. Europe Standard Time'],
  ['Asia/Kolkata', 'Asia/Kolkata', 'India Standard Time'],
  ['Africa/Abidjan', 'Africa/Abidjan', null],
  ['Nowhere/Land', null, null],
  ['', null, null],
  [null, null, null],
])('the time zone %s is %s, for Windows %s', (set, iana, windows) => {
  expect(timeZoneNames(set)).toEqual({ iana, windows })
})
