import { performance } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Logger } from '../../modularity/logging.js'
import { WorkLoop } from './work-loop.js'

test('wakes shortly after a poll share the next one', async () => {
  const restMs = 200
  const polls: number[] = []
  let done = () => {}
  const second = new Promise<void>((resolve) => {
    done = resolve
  })
  const work = async (): Promise<boolean> => {
    if (polls.push(performance.now()) === 2) done()
    return false
  }
  const loop = new WorkLoop({ name: 'test', work, pollMs: 60_000, restMs, logger: {} as Logger })
  loop.start()
  for (let wakes = 0; wakes < 20; wakes++) {
    await turn()
    loop.wake()
  }
  await second
  await loop.stop()
  const [first = 0, next = 0] = polls
  expect(polls).toHaveLength(2)
  // Timers may end a millisecond early.
  expect(next - first).toBeGreaterThan(restMs - 2)
})

test('a loop that rests can be stopped at once', async () => {
  let done = () => {}
  const polled = new Promise<void>((resolve) => {
    done = resolve
  })
  const work = async (): Promise<boolean> => {
    done()
    return false
  }
  const loop = new WorkLoop({ name: 'test', work, pollMs: 60_000, restMs: 60_000, logger: {} as Logger })
  loop.start()
  await polled
  await turn()
  await loop.stop()
})
