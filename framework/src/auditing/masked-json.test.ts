import { expect, test } from 'vitest'
import { maskedJson, shortened } from './masked-json.js'

const isSecret = (name: string): boolean => /password|key/i.test(name)

test.each([
  ['nothing', undefined, 'null'],
  ['plain values', [1, 'a', true, null, 12n], '[1,"a",true,null,12]'],
  ['an instant', { at: new Date('2026-11-21T10:00:00Z') }, '{"at":"2026-11-21T10:00:00.000Z"}'],
  [
    'secrets, however deep and whatever they are',
    { a: [{ Password: 'x', apiKeys: ['y', 1] }] },
    '{"a":[{"Password":"***","apiKeys":"***"}]}',
  ],
  [
    'members that only sound secret',
    { hasPassword: true, password: null, key: '' },
    '{"hasPassword":true,"password":null,"key":""}',
  ],
  ['bytes', { file: Buffer.from('abc') }, '{"file":"…"}'],
  ['what nobody said', { a: undefined, b: {}, c: [] }, '{"b":{},"c":[]}'],
])('writes %s', (_case, value, json) => {
  expect(maskedJson(value, 200, isSecret)).toBe(json)
})

test('writes no more than it may, of whatever is too large', () => {
  const endless: Record<string, unknown> = {}
  endless.self = endless
  const large = { text: 'x'.repeat(1_000_000), list: Array.from({ length: 1_000_000 }, (_, index) => index) }
  const texts = [large, large.list, large.text, endless].map((value) => maskedJson(value, 100, isSecret))
  expect(texts.map((text) => [text.length, text.endsWith('…')])).toEqual(texts.map(() => [100, true]))
})

test('cuts no character in half', () => {
  expect([shortened('abc', 3), shortened('abcd', 3), shortened('a😀b', 3)]).toEqual(['abc', 'ab…', 'a…'])
})
