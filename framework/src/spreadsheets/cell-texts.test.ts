import { expect, test } from 'vitest'
import { valueOfText } from './cell-texts.js'

test.each([
  ['12', 12],
  ['12.', 12],
  ['.5', 0.5],
  ['-1.5e3', -1500],
  ['1e', undefined],
  ['.', undefined],
  ['1.2.3', undefined],
])('%j as a number is %s', (text, value) => {
  expect(valueOfText('number', text)).toBe(value)
})

test('as many digits as a cell holds, and something else behind them, are refused in a moment', () => {
  const before = performance.now()
  for (const end of ['x', '.x', 'e', 'e9999'])
    expect(valueOfText('number', '1'.repeat(32_767) + end)).toBeUndefined()
  expect(performance.now() - before).toBeLessThan(500)
})
