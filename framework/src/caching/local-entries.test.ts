import { expect, test } from 'vitest'
import { LocalEntries } from './local-entries.js'

const minuteMs = 60_000

/** True when an entry that is asked for at these minutes is still there, each time. */
function keptAt(times: { absoluteMs?: number; slidingMs?: number }, ...minutes: number[]): boolean[] {
  let now = 1
  const entries = new LocalEntries<string>({ max: 10 }, () => now)
  entries.set('key', 'value', times, 0)
  return minutes.map((minute) => {
    now = 1 + minute * minuteMs
    return entries.get('key', 0) !== undefined
  })
}

test('an entry ends some time after its last use, or after its absolute time, whatever comes first', () => {
  const times = { absoluteMs: 30 * minuteMs, slidingMs: 5 * minuteMs }
  expect(keptAt(times, 4.9, 9.8, 14.9)).toEqual([true, true, false])
  expect(keptAt(times, 5.1)).toEqual([false])
  expect(keptAt(times, 4, 8, 12, 16, 20, 24, 28, 29.9, 30.1)).toEqual([...Array(8).fill(true), false])
  expect(keptAt({ slidingMs: 5 * minuteMs }, 4, 8, 4000)).toEqual([true, true, false])
  expect(keptAt({}, 100_000)).toEqual([true])
})

test('an entry of another version is none', () => {
  const entries = new LocalEntries<string>({ max: 10 })
  entries.set('key', 'value', {}, 1)
  expect([entries.get('key', 1)?.value, entries.get('key', 2), entries.get('key', 1)]).toEqual([
    'value',
    undefined,
    undefined,
  ])
})

test('no more is kept than there is room for, by number or by size', () => {
  const few = new LocalEntries<string>({ max: 2 })
  const small = new LocalEntries<string>({ max: 10, sizeOf: ({ length }) => length })
  for (const key of ['one', 'two', 'three']) {
    few.set(key, key, {}, 0)
    small.set(key, `${key}${key}`, {}, 0)
  }
  const kept = (entries: LocalEntries<string>) => ['one', 'two', 'three'].filter((key) => entries.get(key, 0))
  expect([kept(few), kept(small)]).toEqual([['two', 'three'], ['three']])
})
