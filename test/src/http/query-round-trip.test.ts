import { requestOf } from '@keel/framework/client'
import {
  AppService,
  type ContractOperation,
  compileNormalizer,
  Dto,
  enumeration,
  id,
  instant,
  op,
  remoteService,
  z,
} from '@keel/framework/contracts'
import { parseQuery } from '@keel/framework/http'
import fc from 'fast-check'
import { expect, test } from 'vitest'

enum Mode {
  Sea = 0,
  Air = 1,
}
class LineInput extends Dto({ quantity: z.int(), note: z.string().optional() }) {}
class SearchInput extends Dto({
  text: z.string().optional(),
  count: z.int().optional(),
  weight: z.number().optional(),
  isOpen: z.boolean().optional(),
  mode: enumeration('Mode', Mode).optional(),
  since: instant().optional(),
  codes: z.array(z.string()).optional(),
  days: z.array(instant()).optional(),
  filters: z.record(z.string(), z.array(z.string())).optional(),
  lines: z.array(LineInput.schema).optional(),
  inner: z.object({ deeper: z.object({ text: z.string().optional() }).optional() }).optional(),
}) {}
abstract class SearchAppService extends AppService(remoteService('Test', 'test'), 'SearchAppService', {
  getFound: op(SearchInput),
  getOf: op(id, SearchInput),
}) {}
const operation = (name: string): ContractOperation =>
  SearchAppService.contract.operations.get(name) as ContractOperation

/** What the other side understands of the query that a client sends. */
function understood(query: string): unknown {
  return SearchInput.schema.parse(compileNormalizer(SearchInput.schema)(parseQuery(query.slice(1))))
}

// An empty text counts as absent in a query, and an empty list as well: a caller can't send either.
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
const moment = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const fieldName = fc.stringMatching(/^[A-Za-z][\w-]{0,10}$/)
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 12 })
const entries = fc.uniqueArray(fc.tuple(fieldName, list(text)), {
  minLength: 1,
  maxLength: 5,
  selector: ([name]) => name.toLowerCase(),
})

const inputs = fc.record(
  {
    text,
    count: fc.maxSafeInteger(),
    weight: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    isOpen: fc.boolean(),
    mode: fc.constantFrom(Mode.Sea, Mode.Air),
    since: moment,
    codes: list(text),
    days: list(moment),
    filters: entries.map((pairs) => Object.fromEntries(pairs)),
    lines: list(fc.record({ quantity: fc.maxSafeInteger(), note: text }, { requiredKeys: ['quantity'] })),
    inner: fc.record({ deeper: fc.record({ text }) }),
  },
  { requiredKeys: [] },
)

test('whatever a client puts in a query, the other side understands the same', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { path, query, body } = requestOf(operation('getFound'), [input])
      expect([path, body]).toEqual(['/api/test/search/found', undefined])
      expect(understood(query)).toEqual(input)
    }),
  )
})

test('whatever stands in a query, reading it throws nothing but what a caller is told', () => {
  const piece = fc.oneof(
    fc.constantFrom('a', 'A', '[', ']', '.', '=', '&', '0', '1', '%', '%5B', '+', '__proto__', '%zz'),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        JSON.stringify(parseQuery(pieces.join('')))
      } catch (error) {
        expect(error instanceof URIError || error instanceof RangeError).toBe(true)
      }
    }),
  )
})

test('an identifier stands in the path, written so that it stays one segment', () => {
  expect(requestOf(operation('getOf'), ['a/b?c#d %$&', { count: 1 }])).toEqual({
    path: '/api/test/search/a%2Fb%3Fc%23d%20%25%24%26/of',
    query: '?count=1',
    body: undefined,
  })
})

test('nothing, null and empty lists leave no trace in a query', () => {
  expect(requestOf(operation('getFound'), [{ text: null, codes: [], filters: {} }]).query).toBe('')
  expect(requestOf(operation('getFound'), []).query).toBe('')
})
