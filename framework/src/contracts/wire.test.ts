import { expect, test } from 'vitest'
import { z } from 'zod'
import { Dto } from './dto.js'
import { calendarDate, decimal, instant } from './scalars.js'
import { compileNormalizer, compileReader } from './wire.js'

class Line extends Dto({ quantity: z.int(), unitPrice: decimal(18, 4).nullish() }) {}
class Order extends Dto({
  orderNumber: z.string(),
  isUrgent: z.boolean().optional(),
  totalPackages: z.int().nullish(),
  lines: z.array(Line.schema).optional(),
  tags: z.array(z.string()).nullish(),
  counts: z.record(z.string(), z.int()).optional(),
  orderedAt: instant().nullish(),
  dueDate: calendarDate().nullish(),
}) {}
const normalize = compileNormalizer(Order.schema)
const read = compileReader(Order.schema)

test('members are found in any case', () => {
  expect(normalize({ ORDERNUMBER: 'A', IsUrgent: true })).toEqual({ orderNumber: 'A', isUrgent: true })
})

test('a member in its own case wins over one in another, wherever it stands', () => {
  expect(normalize({ OrderNumber: 'B', orderNumber: 'A' })).toEqual({ orderNumber: 'A' })
  expect(normalize({ orderNumber: 'A', OrderNumber: 'B' })).toEqual({ orderNumber: 'A' })
})

test('unknown members are dropped, those with names of Object.prototype too', () => {
  const value = JSON.parse('{"orderNumber":"A","extra":1,"__proto__":{"x":1},"constructor":2}')
  expect(normalize(value)).toEqual({ orderNumber: 'A' })
})

test.each([
  ['12', 12],
  ['-12.5', -12.5],
  ['1e3', 1000],
  [' 7 ', 7],
  ['', ''],
  ['abc', 'abc'],
  ['0x10', '0x10'],
  ['0b1', '0b1'],
  ['Infinity', 'Infinity'],
  ['NaN', 'NaN'],
  ['12px', '12px'],
  [null, null],
  [true, true],
])('where a number is expected %j is read as %j', (value, expected) => {
  expect(normalize({ totalPackages: value })).toEqual({ totalPackages: expected })
})

test.each([
  ['true', true],
  ['False', false],
  ['yes', 'yes'],
  ['', ''],
  [1, 1],
])('where a boolean is expected %j is read as %j', (value, expected) => {
  expect(normalize({ isUrgent: value })).toEqual({ isUrgent: expected })
})

test('a text that looks like a number stays text where text is expected', () => {
  expect(normalize({ orderNumber: '007', tags: ['1', 'true'] })).toEqual({
    orderNumber: '007',
    tags: ['1', 'true'],
  })
})

test('a single value counts as a list of one', () => {
  expect(normalize({ tags: 'red' })).toEqual({ tags: ['red'] })
})

test('an object or null does not count as a list', () => {
  expect(normalize({ tags: null, lines: { quantity: 1 } })).toEqual({ tags: null, lines: { quantity: 1 } })
})

test('lists and maps are normalized inside; the keys of a map keep their case', () => {
  expect(normalize({ Lines: [{ Quantity: '2' }], counts: { Red: '3' } })).toEqual({
    lines: [{ quantity: 2 }],
    counts: { Red: 3 },
  })
})

test.each([[null], [[]], ['text'], [5], [undefined]])(
  '%j in place of an object is left for the schema to refuse',
  (value) => {
    expect(normalize(value)).toEqual(value)
  },
)

test('a schema may contain itself', () => {
  interface Tree {
    size: number
    children?: Tree[]
  }
  const tree: z.ZodType<Tree> = z.object({
    size: z.int(),
    get children() {
      return z.array(tree).optional()
    },
  })
  expect(compileNormalizer(tree)({ size: '1', children: [{ SIZE: '2' }] })).toEqual({
    size: 1,
    children: [{ size: 2 }],
  })
})

test('an answer is read with instants as Date, decimals as text and dates as they are', () => {
  const answer = {
    orderNumber: 'A',
    orderedAt: '2026-11-21T14:00:00Z',
    dueDate: '2026-11-22',
    lines: [{ quantity: 1, unitPrice: 12.5 }],
  }
  expect(read(answer)).toEqual({
    orderNumber: 'A',
    orderedAt: new Date('2026-11-21T14:00:00Z'),
    dueDate: '2026-11-22',
    lines: [{ quantity: 1, unitPrice: '12.5' }],
  })
})

test('nulls and members that nobody declared stay in an answer', () => {
  expect(read({ orderedAt: null, extra: { a: 1 } })).toEqual({ orderedAt: null, extra: { a: 1 } })
})

test('a small decimal of the wire is read without an exponent', () => {
  expect(compileReader(decimal(18, 8))(JSON.parse('0.00000001'))).toBe('0.00000001')
})
