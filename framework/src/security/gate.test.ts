import { expect, test } from 'vitest'
import { UnavailableError } from '../contracts/index.js'
import { Gate } from './gate.js'

const full = () => new UnavailableError('full')

test('no more than the given number is inside at once, and who comes first enters first', async () => {
  const gate = new Gate(2, 10, full)
  const entered: number[] = []
  let inside = 0
  let most = 0
  const visits = [1, 2, 3, 4, 5].map((visitor) =>
    gate.pass(async () => {
      entered.push(visitor)
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
    }),
  )
  await Promise.all(visits)
  expect({ entered, most }).toEqual({ entered: [1, 2, 3, 4, 5], most: 2 })
})

test('who finds the line full is turned away, and a failure frees its place', async () => {
  const gate = new Gate(1, 1, full)
  const failing = gate.pass(() => Promise.reject(new Error('lost')))
  const waiting = gate.pass(() => Promise.resolve('in'))
  await expect(gate.pass(() => Promise.resolve('never'))).rejects.toBeInstanceOf(UnavailableError)
  await expect(failing).rejects.toThrow('lost')
  expect(await waiting).toBe('in')
  expect(await gate.pass(() => Promise.resolve('again'))).toBe('again')
})
