import { UnavailableError } from '@keel/framework/contracts'
import { expect, test } from 'vitest'
import { Batches } from './batches.js'

/** Asks for squares; a negative number makes all of its batch fail. */
function squares() {
  const asked: number[][] = []
  const batches = new Batches(async (numbers: readonly number[]) => {
    asked.push([...numbers])
    await new Promise((resolve) => setImmediate(resolve))
    if (numbers.includes(0)) throw new UnavailableError('the database is down')
    if (numbers.some((number) => number < 0)) throw new RangeError('negative')
    return numbers.map((number) => number * number)
  })
  return { asked, batches }
}

test('what comes in one turn of the event loop is asked for at once, in later microtasks too', async () => {
  const { asked, batches } = squares()
  const late = Promise.resolve().then(() => batches.add(3))
  expect(await Promise.all([batches.add(1), batches.add(2), late])).toEqual([1, 4, 9])
  expect(asked).toEqual([[1, 2, 3]])
})

test('who comes alone is asked for alone', async () => {
  const { asked, batches } = squares()
  expect([await batches.add(2), await batches.add(3)]).toEqual([4, 9])
  expect(asked).toEqual([[2], [3]])
})

test('one that can not be done does not cost the others theirs', async () => {
  const { asked, batches } = squares()
  const all = await Promise.allSettled([batches.add(2), batches.add(-1), batches.add(3)])
  expect(all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))).toEqual([
    4,
    'negative',
    9,
  ])
  expect(asked).toEqual([[2, -1, 3], [2], [-1], [3]])
})

test('what is down for all is not asked again for each', async () => {
  const { asked, batches } = squares()
  const all = await Promise.allSettled([batches.add(0), batches.add(2)])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked).toEqual([[0, 2]])
})

test('no statement has more than a hundred', async () => {
  const { asked, batches } = squares()
  await Promise.all(Array.from({ length: 150 }, (_, index) => batches.add(index + 1)))
  expect(asked.map(({ length }) => length)).toEqual([100, 50])
})
