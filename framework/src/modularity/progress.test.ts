import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { showProgress } from './progress.js'

test('elsewhere than on a terminal a line is told for every tenth, once', () => {
  const told: string[] = []
  const progress = showProgress(new PassThrough(), (line) => told.push(line))
  for (const done of [0, 50, 199, 200, 201, 1500, 2000, 2000]) progress('shipments', done, 2000)
  expect(told).toEqual([
    'shipments: 10 %, 200 of 2,000',
    'shipments: 70 %, 1,500 of 2,000',
    'shipments: 100 %, 2,000 of 2,000',
  ])
})

test('on a terminal a bar fills up and ends its line when the work is done', () => {
  const output = Object.assign(new PassThrough(), { isTTY: true })
  const progress = showProgress(output, () => undefined)
  progress('shipments', 500, 2000)
  progress('shipments', 2000, 2000)
  const bars = String(output.read()).split('\r\u001b[K')
  expect(bars.slice(1)).toEqual([
    `${'█'.repeat(10)}${'░'.repeat(30)}  25 % shipments 500 of 2,000`,
    `${'█'.repeat(40)} 100 % shipments 2,000 of 2,000\n`,
  ])
})
