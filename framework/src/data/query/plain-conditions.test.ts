import { describe, expect, test } from 'vitest'
import { type ColumnMeta, DataType } from '../entities/entity.js'
import {
  type Condition,
  columnOf,
  type FunctionName,
  type Relation,
  RowVariable,
  type Value,
} from './expression.js'
import { isPlain, isPlainSearch, splitByPlain } from './plain-conditions.js'
import type { Scalar } from './scalars.js'

const row = new RowVariable(undefined)
const column = (name: string, type: ColumnMeta['type']): ColumnMeta => ({
  attribute: name,
  column: name,
  type,
  nullable: true,
  primaryKey: false,
  defaultValue: undefined,
  references: undefined,
  onDelete: 'no action',
  enumeration: undefined,
})
const number = columnOf(row, column('Number', DataType.INTEGER), 'Int32')
const amount = columnOf(row, column('Amount', DataType.DECIMAL), 'Decimal')
const ratio = columnOf(row, column('Ratio', DataType.DOUBLE), 'Double')
const name = columnOf(row, column('Name', DataType.STRING(100)), 'String')
const story = columnOf(row, column('Story', DataType.TEXT), 'String')
const essay = columnOf(row, column('Essay', DataType.STRING(2000)), 'String')

const constant = (value: string, type: Scalar = 'String'): Value => ({
  kind: 'constant',
  value,
  type,
  nullable: false,
})
const call = (name: FunctionName, args: readonly Value[], type: Scalar = 'Int32'): Value => ({
  kind: 'call',
  name,
  args,
  type,
  nullable: true,
})
const compare = (left: Value, right: Value, comparison: 'eq' | 'lt' = 'eq'): Condition => ({
  kind: 'compare',
  comparison,
  left,
  right,
})
const truth = (value: Value): Condition => ({ kind: 'truth', value })
const other = new RowVariable(undefined)
const relation = { own: column('Id', DataType.UUID), theirs: column('OtherId', DataType.UUID) } as Relation
const any = (predicate: Condition, relation?: Relation): Condition => ({
  kind: 'any',
  rows: { from: { row, via: [] }, relation, row: other },
  predicate,
})
const theirs = columnOf(other, column('Number', DataType.INTEGER), 'Int32')

test.for<readonly [string, Condition]>([
  ['a column equal to a constant', compare(number, constant('1', 'Int32'))],
  ['a column less than a constant', compare(name, constant('a'), 'lt')],
  [
    'a column equal to what is computed of constants',
    compare(number, call('add', [constant('1', 'Int32'), constant('2', 'Int32')])),
  ],
  ['one of some values', { kind: 'in', value: name, values: ['a', 'b'], orNull: true }],
  ['no value, however long the values are', { kind: 'isNull', value: story }],
  [
    'several of these',
    {
      kind: 'or',
      conditions: [
        compare(number, constant('1', 'Int32')),
        { kind: 'not', condition: compare(name, constant('b')) },
      ],
    },
  ],
  ['a short text in a short column', truth(call('contains', [name, constant('a')], 'Boolean'))],
  ['a related row with a value', any(compare(theirs, constant('1', 'Int32')), relation)],
])('%s may stand beside the rules', ([, condition]) => {
  expect(isPlain(condition)).toBe(true)
})

const all: Readonly<Record<FunctionName, true>> = Object.fromEntries(
  'contains startsWith endsWith length indexOf substring lower upper trim concat matches year month day hour minute second fractionalSeconds dateOf timeOf totalSeconds totalOffsetMinutes round floor ceiling add sub mul div mod neg has dateDifference cast'
    .split(' ')
    .map((name) => [name, true]),
) as Readonly<Record<FunctionName, true>>

describe('behind the rules stands', () => {
  test.for(Object.keys(all) as FunctionName[])('%s of a column', (name) => {
    expect(isPlain(compare(call(name, [number, number]), constant('1', 'Int32')))).toBe(false)
  })

  test.for<readonly [string, Condition]>([
    ['a long text in a short column', truth(call('contains', [name, constant('a'.repeat(101))], 'Boolean'))],
    ['a short text in a long column', truth(call('contains', [essay, constant('a')], 'Boolean'))],
    ['a text that another column holds', truth(call('contains', [name, name], 'Boolean'))],
    ['a comparison of a column of any length', compare(story, constant('a'), 'lt')],
    ['a comparison of numbers that do not fit into each other', compare(amount, ratio)],
    [
      'a count of related rows',
      compare(
        {
          kind: 'count',
          rows: { from: { row, via: [] }, relation, row: other },
          type: 'Int64',
          nullable: false,
        },
        constant('1', 'Int64'),
      ),
    ],
    ['a condition on rows that are not related', any(compare(theirs, constant('1', 'Int32')))],
    ['a condition on related rows and the row itself', any(compare(theirs, number), relation)],
    [
      'one such part of several',
      { kind: 'or', conditions: [compare(number, constant('1', 'Int32')), compare(amount, ratio)] },
    ],
  ])('%s', ([, condition]) => {
    expect(isPlain(condition)).toBe(false)
  })

  test('the ninth text that is looked for', () => {
    const part = truth(call('contains', [name, constant('a')], 'Boolean'))
    const { plain, others } = splitByPlain({ kind: 'and', conditions: Array(10).fill(part) })
    expect([plain.length, others.length]).toEqual([8, 2])
  })
})

test('a search for a short text in short columns may stand beside the rules, others may not', () => {
  const short = column('Name', DataType.STRING(256))
  const essay = column('Essay', DataType.STRING(2000))
  const story = column('Story', DataType.TEXT)
  const searches = [[short], [short, essay], [story], Array(9).fill(short)].map((columns) =>
    isPlainSearch(columns, 'a'),
  )
  expect([...searches, isPlainSearch([short], 'a'.repeat(101))]).toEqual([true, false, false, false, false])
})
