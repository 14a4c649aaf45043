import assert from 'node:assert/strict'
import { test } from 'vitest'
import { containerCheckDigit, isAirWaybillNumber, isContainerNumber, isImoNumber } from './check-digits.js'

const table: [rule: (value: string) => boolean, valid: string, invalid: string][] = [
  [
    isContainerNumber,
    'CSQU3054383 MSCU6639870 MSCU1234566 TEXU3070079 BICU1234565 TCLU4265449 MAEU8617655 CMAU4541163 MSKU0000080',
    'CSQU3054384 MSKU1100810 TCLU4265447 HLXU1234560 OOLU1234560 CSQA3054383 csqu3054383 CSQU305438 CSQU30543833',
  ],
  [
    isAirWaybillNumber,
    '176-12345675 020-81140743 589-81140743 125-12345675',
    '114-98795516 176-12345676 176-12345677 176-12345678 176-12345679 17612345675 176-1234567',
  ],
  [
    isImoNumber,
    '9074729 9811000 9839430 9703291 9776418 9619907 9321483 9893890',
    '9074728 907472 90747290 907472X',
  ],
]

for (const [rule, valid, invalid] of table) {
  test.each(valid.split(' '))(`${rule.name} accepts %s`, (value) => assert.equal(rule(value), true))
  test.each(invalid.split(' '))(`${rule.name} refuses %s`, (value) => assert.equal(rule(value), false))
}

test('every letter has its ISO 6346 value', () => {
  // The letter stands at position 0, where it counts once; zeros follow.
  const digits = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => containerCheckDigit(`${letter}000000000`))
  const values = [10, ...range(12, 21), ...range(23, 32), ...range(34, 38)]
  assert.deepEqual(
    digits,
    values.map((value) => (value % 11) % 10),
  )
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
