import { expect, test } from 'vitest'
import { portOfList, positionOf } from './un-locode.js'

test.each([
  ['5155N 00430E', { latitude: 51.916667, longitude: 4.5 }],
  ['3401S 15112E', { latitude: -34.016667, longitude: 151.2 }],
  ['0000N 00000W', { latitude: 0, longitude: 0 }],
  ['2444N 05045', undefined],
  ['9100N 00000E', undefined],
  ['5160N 00430E', undefined],
  ['', undefined],
  [null, undefined],
])('%s is at %o', (coordinates, position) => {
  expect(positionOf(coordinates)).toEqual(position)
})

const country = { countryId: 'nl', countryCode: 'NL', timeZone: 'Europe/Amsterdam' }
const rotterdam = {
  unLocode: 'NLRTM',
  name: 'Rotterdam',
  functionCodes: '12345-6',
  coordinates: '5155N 00430E',
}

test('a new place has flags by its functions, and the last letters of an airport as its IATA code', () => {
  expect(portOfList(rotterdam, country)).toEqual({
    ...{
      unLocode: 'NLRTM',
      name: 'Rotterdam',
      nameWoDiacritics: 'Rotterdam',
      countryId: 'nl',
      countryCode: 'NL',
    },
    ...{ subdivisionCode: null, iataCode: 'RTM', entryStatus: null, functionCodes: '12345-6-' },
    ...{ isSeaport: true, isRailTerminal: true, isRoadTerminal: true, isAirport: true, isInlandDepot: true },
    ...{
      latitude: 51.916667,
      longitude: 4.5,
      coordinateSource: 0,
      timeZone: 'Europe/Amsterdam',
      isActive: true,
    },
  })
  expect(portOfList({ ...rotterdam, iataCode: '---', functionCodes: '1' }, country).iataCode).toBeNull()
  expect(portOfList({ ...rotterdam, unLocode: 'NL2LL' }, country).iataCode).toBeNull()
})

test('a port that is there keeps what the list does not have', () => {
  const before = { ...portOfList(rotterdam, country), isOverridden: false, timeZone: 'UTC', iataCode: 'ZZZ' }
  const after = portOfList({ unLocode: 'NLRTM', name: 'Rótterdam', functionCodes: '1' }, country, before)
  expect(after).toMatchObject({
    nameWoDiacritics: 'Rotterdam',
    latitude: 51.916667,
    timeZone: 'UTC',
    iataCode: 'ZZZ',
  })
  expect(after).toMatchObject({ isSeaport: true, isAirport: false, functionCodes: '1-------' })
  const overridden = portOfList(
    { ...rotterdam, functionCodes: '---4', coordinates: '0000N 00000E' },
    country,
    { ...before, isOverridden: true },
  )
  expect(overridden).toMatchObject({ isSeaport: true, functionCodes: '12345-6-', latitude: 51.916667 })
})

test('a place that leaves the list is deactivated until it comes back, and one that people deactivated stays so', () => {
  const before = { ...portOfList(rotterdam, country), isOverridden: false }
  const left = portOfList({ ...rotterdam, change: 'x' }, country, before)
  expect(left).toMatchObject({ isActive: false, entryStatus: 'XX' })
  expect(portOfList({ ...rotterdam, entryStatus: 'XX' }, country).isActive).toBe(false)
  expect(portOfList(rotterdam, country, { ...left, isOverridden: false }).isActive).toBe(true)
  expect(portOfList(rotterdam, country, { ...before, isActive: false }).isActive).toBe(false)
})
