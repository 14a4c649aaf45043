import { expect, test } from 'vitest'
import { problemOf, wantsProblem } from './problem.js'

test.each([
  ['application/problem+json', true],
  ['application/problem+json, application/json;q=0.9', true],
  ['application/json;q=0.5, application/problem+json;q=0.6', true],
  ['Application/Problem+JSON; charset=utf-8', true],
  ['application/problem+json, application/json', true],
  ['application/json, application/problem+json', false],
  ['application/json, application/problem+json;q=0.9', false],
  ['application/problem+json;q=0', false],
  ['application/json', false],
  ['application/json, text/plain, */*', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
])('Accept: %s asks for a problem: %s', (accept, wanted) => {
  expect(wantsProblem(accept)).toBe(wanted)
})

test('a problem carries the members of the envelope', () => {
  const error = { code: 'Hub:X', message: 'No.', details: null, data: { a: 1 }, validationErrors: null }
  expect(problemOf({ error }, { status: 403, instance: '/x', traceId: 'abc' })).toEqual({
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    detail: 'No.',
    instance: '/x',
    traceId: 'abc',
    code: 'Hub:X',
    details: null,
    data: { a: 1 },
    validationErrors: null,
  })
})
