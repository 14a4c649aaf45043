import { expect, test } from 'vitest'
import { VerifiedKeys } from './verified-keys.js'

const minuteMs = 60_000
const key = { prefix: 'keel_0', hash: 'hash' }

/** Whether a key that is asked for at these minutes is still known, each time. */
function knownAt(...minutes: number[]): boolean[] {
  let now = 1
  const keys = new VerifiedKeys(10, () => now)
  keys.add('digest', key)
  return minutes.map((minute) => {
    now = 1 + minute * minuteMs
    return keys.get('digest') !== undefined
  })
}

test('a key is known for five minutes after its last use', () => {
  expect(knownAt(4.9, 9.8, 14.9)).toEqual([true, true, false])
  expect(knownAt(5.1)).toEqual([false])
})

test('a key is known for half an hour at most, however often it is used', () => {
  expect(knownAt(4, 8, 12, 16, 20, 24, 28, 29.9, 30.1)).toEqual([...Array(8).fill(true), false])
})

test('no more keys are known than there is room for', () => {
  const keys = new VerifiedKeys(2)
  for (const digest of ['one', 'two', 'three']) keys.add(digest, key)
  expect(['one', 'two', 'three'].map((digest) => keys.get(digest)?.prefix)).toEqual([
    undefined,
    key.prefix,
    key.prefix,
  ])
})
