import { expect, test } from 'vitest'
import { childCode, deepestLevel, isWithin, levelOf, ordinalOf } from './organization-unit-code.js'

test('a code says where in the tree a unit is', () => {
  expect(childCode(null, 7)).toBe('00007')
  expect(childCode('00001.00002', 42)).toBe('00001.00002.00042')
  expect(ordinalOf('00001.00002.00042')).toBe(42)
  expect(ordinalOf('00007')).toBe(7)
  expect(levelOf('00001.00002.00042')).toBe(3)
})

test('the deepest code fits into its column', () => {
  const deepest = Array.from({ length: deepestLevel }).reduce<string | null>(
    (code) => childCode(code, 1),
    null,
  )
  expect(deepest?.length).toBe(95)
})

test.each([
  ['00001', '00001', true],
  ['00001.00002', '00001', true],
  ['00001', '00001.00002', false],
  ['00011', '0001', false],
])('%s is within %s: %s', (code, other, expected) => {
  expect(isWithin(code, other)).toBe(expected)
})
