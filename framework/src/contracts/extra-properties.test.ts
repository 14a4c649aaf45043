import { expect, test } from 'vitest'
import { areModest, extraPropertyLimits } from './extra-properties.js'

const { most, characters } = extraPropertyLimits
const members = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))

test.each([
  ['nothing', {}],
  ['as many members as there may be', members(most)],
  ['a long text', { a: 'x'.repeat(characters - 1) }],
  ['texts in lists in objects', { a: [{ b: ['c', null, 1, true] }] }],
])('%s is modest', (_what, properties) => {
  expect(areModest(properties)).toBe(true)
})

test.each([
  ['one member too many', members(most + 1)],
  ['one item too many', { a: Array.from({ length: most }, () => 0) }],
  ['a text that is too long', { a: 'x'.repeat(characters) }],
  ['a name that is too long', { ['x'.repeat(characters + 1)]: 0 }],
  ['a text that is too long in a list', { a: [['x'.repeat(characters)]] }],
  ['a deep object', JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as Record<string, unknown>],
])('%s is not modest', (_what, properties) => {
  expect(areModest(properties)).toBe(false)
})
