import { expect, test } from 'vitest'
import { Dto, decimal, z } from '../contracts/index.js'
import { jsonOf, resultFrom } from './json-text.js'

class Money extends Dto({ amount: decimal(18, 2) }) {}

test('a list from elsewhere is sent on as it came, and read with exact decimals', () => {
  const json = '[{"amount":725.40}]'
  const list = resultFrom(z.array(Money.schema), json)
  expect([jsonOf(list), list, Object.keys(list as object)]).toEqual([json, [{ amount: '725.4' }], ['0']])
})
