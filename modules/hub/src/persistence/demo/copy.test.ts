import assert from 'node:assert/strict'
import { test } from 'vitest'
import { copyLine } from './copy.js'

const cases: [what: string, value: Parameters<typeof copyLine>[0][number], text: string][] = [
  ['nothing', null, '\\N'],
  ['plain text', "Men's shirts; 100 % cotton", "Men's shirts; 100 % cotton"],
  ['text that would end a field or a row', 'a\tb\nc\rd\\e', 'a\\tb\\nc\\rd\\\\e'],
  ['text that looks like null', '\\N', '\\\\N'],
  ['a number', 0.1, '0.1'],
  ['a large number', 1e21, '1e+21'],
  ['true', true, 't'],
  ['false', false, 'f'],
  ['a whole minute', new Date('2026-11-21T18:04:00Z'), '2026-11-21 18:04+00'],
  ['a minute before 1970', new Date('1969-12-31T23:59:00Z'), '1969-12-31 23:59+00'],
  ['a moment', new Date('2026-11-21T18:04:05.678Z'), '2026-11-21T18:04:05.678Z'],
  ['an empty array', [], '{}'],
  ['an array', ['x', 'y'], '{"x","y"}'],
  ['an array of odd texts', ['a"b', 'c\\d', 'e,f'], '{"a\\\\"b","c\\\\\\\\d","e,f"}'],
]

test.each(cases)('%s in COPY text', (_, value, text) => assert.equal(copyLine([value]), `${text}\n`))

test('fields are separated by tabs', () => assert.equal(copyLine(['a', null, 1]), 'a\t\\N\t1\n'))
