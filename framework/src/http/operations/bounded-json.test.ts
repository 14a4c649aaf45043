import { expect, test } from 'vitest'
import { deepestJson, JsonLimitError, parseBoundedJson } from './bounded-json.js'

const parse = (text: string, mostValues = 10): unknown => parseBoundedJson(Buffer.from(text), { mostValues })

test.each([
  '{"a":[1,2,{"b":null}]}',
  '[]',
  '"a,b,c,d,e,f,g,h,i,j,k,l"',
  '"[[[[[[[[[[[["',
  '{"a\\"[[[[[[[[[[[[":"\\\\"}',
  '[1,2,3,4,5,6,7,8,9,10]',
  '42',
  '"ä€𝕳"',
])('%s is read', (text) => {
  expect(parse(text)).toEqual(JSON.parse(text))
})

test.each([
  '[1,2,3,4,5,6,7,8,9,10,11]',
  '{"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1,"a":1}',
  '[[],[],[],[],[],[]]',
  '["\\"",[[],[],[],[],[],[]]]',
])('%s has more than ten values', (text) => {
  expect(() => parse(text)).toThrow('JSON may have at most 10 members and items.')
})

test('JSON is read down to the deepest level, and no deeper, in lists and objects alike', () => {
  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  for (const nested of [lists, objects]) {
    expect(parse(nested(deepestJson), 100)).toEqual(JSON.parse(nested(deepestJson)))
    expect(() => parse(nested(deepestJson + 1), 100)).toThrow(JsonLimitError)
  }
})

test('a byte order mark is skipped', () => {
  expect(parse('\ufeff[1]')).toEqual([1])
})

test.each(['', '[', '{"a"', '"a', '"\\', ']', '[1,]'])('%j is malformed', (text) => {
  expect(() => parse(text)).toThrow(SyntaxError)
})
