import { expect, test } from 'vitest'
import { lifetimesOf, withLifetimes } from './token-lifetimes.js'

const none = {
  accessTokenLifetime: null,
  authorizationCodeLifetime: null,
  deviceCodeLifetime: null,
  identityTokenLifetime: null,
  refreshTokenLifetime: null,
  userCodeLifetime: null,
}

test.each([
  ['00:30:00', 1800],
  ['0.01:00:00', 3600],
  ['30.00:00:00', 2_592_000],
  ['00:00:45.5000000', 45],
  ['01:30', 5400],
  ['2', 172_800],
  ['00:00:00', null],
  ['-01:00:00', null],
  ['an hour', null],
  [3600, null],
])('the time span %j of an ABP database is %j seconds', (span, seconds) => {
  expect(lifetimesOf(JSON.stringify({ 'tkn_lft:act': span }))).toEqual({
    ...none,
    accessTokenLifetime: seconds,
  })
})

test('lifetimes are written as OpenIddict reads them, beside what else the settings hold', () => {
  const settings = withLifetimes('{"theirs":"x","tkn_lft:idt":"00:01:00"}', {
    ...none,
    accessTokenLifetime: 90,
    refreshTokenLifetime: 2_595_661,
  })
  expect(JSON.parse(settings ?? '')).toEqual({
    theirs: 'x',
    'tkn_lft:act': '00:01:30',
    'tkn_lft:reft': '30.01:01:01',
  })
})

test('settings without anything in them are null', () => {
  expect(withLifetimes('{"tkn_lft:act":"00:01:00"}', none)).toBeNull()
})
