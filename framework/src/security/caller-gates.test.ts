import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { UnavailableError } from '../contracts/index.js'
import { CallerGates } from './caller-gates.js'
import { Gate } from './gate.js'

afterEach(() => vi.restoreAllMocks())

test('a caller whose work takes minutes gets no second place by waiting', async () => {
  const gates = new CallerGates(() => new Gate(1, 5, () => new UnavailableError('full')))
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = (number: number) => () => {
    begun.push(number)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const first = gates.pass(work(1))
  const later = performance.now() + 10 * 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  await sleep(10)
  const second = gates.pass(work(2))
  await Promise.resolve()
  expect(begun).toEqual([1])
  ends[0]?.()
  await first
  expect(begun).toEqual([1, 2])
  ends[1]?.()
  await second
})

test('the line of a caller is full until one of those who wait there has left', async () => {
  const gates = new CallerGates(() => new Gate(1, 1, () => new UnavailableError('full')))
  const ends: (() => void)[] = []
  const pass = () => gates.pass(() => new Promise<void>((resolve) => ends.push(resolve)))
  const first = pass()
  expect(gates.isFull).toBe(false)
  const second = pass()
  expect(gates.isFull).toBe(true)
  await expect(pass()).rejects.toThrow('full')
  ends[0]?.()
  await first
  expect(gates.isFull).toBe(false)
  ends[1]?.()
  await second
})
