import { expect, test } from 'vitest'
import { Assumptions } from '../../data/query/parameter.js'
import type { BoundRequest } from '../binding/request-binder.js'
import { parseQueryOptions } from '../syntax/parse-options.js'
import { parseResourcePath } from '../syntax/parse-path.js'
import { queryPairs } from '../syntax/url.js'
import type { ReadRequest } from './read-request.js'
import { RememberedPlans } from './remembered-plans.js'

/** How often requests with statements of a certain length are bound. */
function plansOf(statementLength: number) {
  const counter = { bindings: 0 }
  const plans = new RememberedPlans(() => {
    counter.bindings++
    const sql = { texts: ['x'.repeat(statementLength)], values: [] }
    return {
      request: { sql } as unknown as BoundRequest,
      decisions: new Map(),
      assumptions: new Assumptions(),
    }
  })
  const ask = (query: string, wishes: Partial<ReadRequest> = {}) =>
    plans.of({
      path: '/Ports',
      query,
      parse: (path, text) => ({
        path: parseResourcePath(path),
        options: parseQueryOptions(queryPairs(text)),
      }),
      format: { metadata: 'minimal', ieee754: false, prefix: '@odata.', root: '' },
      ...wishes,
    })
  return { counter, ask }
}

test('plans of many shapes take no more memory than they may: those that were not used for longest are planned again', () => {
  const { counter, ask } = plansOf(1024 * 1024)
  for (let index = 0; index < 40; index++) ask(`$filter=A${index}%20eq%201`)
  expect(counter.bindings).toBe(40)
  ask('$filter=A39%20eq%202')
  expect(counter.bindings).toBe(40)
  ask('$filter=A0%20eq%202')
  expect(counter.bindings).toBe(41)
})

test('a plan is for requests with the same wishes', () => {
  const { counter, ask } = plansOf(100)
  for (const wishes of [
    {},
    { facets: true },
    { maxPageSize: 5 },
    { omitNulls: true },
    { canStream: true },
    {},
  ])
    ask('$filter=A%20eq%201', wishes)
  expect(counter.bindings).toBe(5)
})

test('a request that is longer than a URL is planned each time', () => {
  const { counter, ask } = plansOf(100)
  ask('$filter=B%20eq%201')
  for (let turn = 0; turn < 2; turn++)
    ask(
      `$filter=${Array.from({ length: 150 }, (_, i) => `${'A'.repeat(120)}${i}`).join('%20add%20')}%20eq%201`,
    )
  ask('$filter=B%20eq%202')
  expect(counter.bindings).toBe(3)
})
