import { expect, test } from 'vitest'
import { newApiKey, splitApiKey } from './api-key-format.js'

const { prefix, rawKey } = newApiKey()
const key = prefix + rawKey

test('a new key can be split into the parts it was made of', () => {
  expect(splitApiKey(key)).toEqual({ prefix, rawKey })
  expect({ key: key.length, prefix: prefix.length }).toEqual({ key: 54, prefix: 16 })
})

test('a new secret of a key keeps its prefix', () => {
  const next = newApiKey(prefix)
  expect(next.prefix).toBe(prefix)
  expect(next.rawKey).not.toBe(rawKey)
})

test('a key with any one letter changed is none', () => {
  const mistyped = Array.from(key, (letter, index) => {
    const other = letter === 'x' ? 'y' : 'x'
    return key.slice(0, index) + other + key.slice(index + 1)
  })
  expect(mistyped.filter((one) => splitApiKey(one))).toEqual([])
})

test('a key with two neighbours swapped is none', () => {
  const swapped = Array.from(key, (_, index) => {
    const [one = '', other = ''] = key.slice(index, index + 2)
    return one === other ? '' : key.slice(0, index) + other + one + key.slice(index + 2)
  })
  expect(swapped.filter((one) => splitApiKey(one))).toEqual([key])
})

test.each([
  ['nothing', ''],
  ['a word', 'nonsense'],
  ['a key that is cut', key.slice(0, -1)],
  ['a key with more behind it', `${key}0`],
  ['a key with a line end', `${key}\n`],
  ['a key in two', `${key}, ${key}`],
])('%s is no key', (_what, text) => {
  expect(splitApiKey(text)).toBeUndefined()
})
