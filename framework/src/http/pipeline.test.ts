import { expect, test } from 'vitest'
import { negotiate } from './pipeline.js'

const offered = new Map(['en', 'nl', 'pt-BR', 'zh-Hans'].map((name) => [name.toLowerCase(), name]))

test.each([
  ['nl', 'nl'],
  ['nl-BE', 'nl'],
  ['NL-be', 'nl'],
  ['pt-br', 'pt-BR'],
  ['pt-PT', 'en'],
  ['zh-Hans-CN', 'en'],
  ['de, nl;q=0.5, pt-BR;q=0.8', 'pt-BR'],
  ['de;q=1, nl; q=0.5', 'nl'],
  ['nl;q=0, pt-BR;q=0.1', 'pt-BR'],
  ['nl;q=0', 'en'],
  ['nl;q=much', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [',;q=,', 'en'],
])('who wants "%s" gets %s', (wanted, culture) => {
  expect(negotiate(wanted, offered)).toBe(culture)
})
