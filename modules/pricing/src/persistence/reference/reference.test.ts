import assert from 'node:assert/strict'
import { test } from 'vitest'
import { chargeCodes } from './charge-codes.js'
import { currencies } from './currencies.js'

const facts: [fact: string, actual: unknown, expected: unknown][] = [
  ['ISO 4217 has 178 live codes in 2026', currencies.length, 178],
  ['no two currencies share a code', new Set(currencies.map(({ code }) => code)).size, 178],
  ['no two currencies share a number', new Set(currencies.map(({ numericCode }) => numericCode)).size, 178],
  ['the yen has no minor unit', minorUnits('JPY'), 0],
  ['the dinar of Kuwait has three digits', minorUnits('KWD'), 3],
  ['the Unidad de Fomento has four', minorUnits('CLF'), 4],
  ['17 currencies have no minor unit', currencies.filter((currency) => currency.minorUnits === 0).length, 17],
  ['the lev is history', minorUnits('BGN'), undefined],
  ['there are 39 charges', chargeCodes.length, 39],
  ['no two charges share a code', new Set(chargeCodes.map(({ code }) => code)).size, 39],
  ['ids are unique', new Set([...currencies, ...chargeCodes].map(({ id }) => id)).size, 178 + 39],
  [
    'bunker is a surcharge per TEU at sea',
    chargeCodes.find(({ code }) => code === 'BAF'),
    {
      id: chargeCodes[3]?.id,
      code: 'BAF',
      name: 'Bunker adjustment',
      chargeGroup: 1,
      defaultBasis: 3,
      appliesToSea: true,
      appliesToAir: false,
      appliesToRoad: false,
      appliesToRail: false,
      uneceCode: '103016',
      sortOrder: 40,
    },
  ],
]

test.each(facts)('%s', (_, actual, expected) => assert.deepEqual(actual, expected))

function minorUnits(code: string): number | undefined {
  return currencies.find((currency) => currency.code === code)?.minorUnits
}
