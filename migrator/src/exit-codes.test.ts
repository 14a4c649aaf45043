import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from './exit-codes.js'

test('the README tells every exit code', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const told = [...readme.matchAll(/^\| (\d[\d, ]*)\|/gm)].flatMap(([, codes = '']) =>
    codes.split(',').map(Number),
  )
  expect(told).toEqual([0, ...Object.values(exitCodes)])
})
