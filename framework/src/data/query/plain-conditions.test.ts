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
import { gradeOf, isPlainSearch, partsByGrade } from './plain-conditions.js'
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

const title = columnOf(row, column('Title', DataType.STRING(200)), 'String')

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
const instant = columnOf(row, column('Time', DataType.DATE), 'DateTimeOffset')
const day = columnOf(row, column('Day', DataType.DATEONLY), 'Date')
const now: Value = { kind: 'now', type: 'DateTimeOffset', nullable: false }
const days = (seconds: string): Value => constant(`${seconds}.000000 seconds`, 'Duration')
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
    'a time before another one by some days',
    compare(instant, call('sub', [now, days('2592000')], 'DateTimeOffset')),
  ],
  ['a day of now', compare(day, call('dateOf', [now], 'Date'))],
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
  expect(gradeOf(condition)).toBe('plain')
})

const one = constant('1', 'Int32')
const sum = call('add', [number, one])

test.for<readonly [string, Condition]>([
  ['the length of a short text', compare(call('length', [name]), one)],
  ['a part of an instant', compare(call('month', [instant]), one)],
  ['the day of an instant', compare(call('dateOf', [instant], 'Date'), constant('2026-01-01', 'Date'))],
  ['the rest of a division by a constant', compare(call('mod', [number, constant('2', 'Int32')]), one)],
  ['what is computed of whole constants', compare(number, call('add', [one, constant('2', 'Int32')]))],
  [
    'the quotient of a part of an instant',
    compare(call('div', [call('month', [instant]), constant('3', 'Int32')]), one),
  ],
  [
    'a function or a comparison',
    { kind: 'or', conditions: [compare(number, one), compare(call('length', [name]), one)] },
  ],
])('%s has a value on every row, so that it may be computed beside the rules', ([, condition]) => {
  expect(gradeOf(condition)).toBe('total')
})

const all: Readonly<Record<FunctionName, true>> = Object.fromEntries(
  'contains startsWith endsWith length indexOf substring lower upper trim concat matches year month day hour minute second fractionalSeconds dateOf timeOf totalSeconds totalOffsetMinutes round floor ceiling add sub mul div mod neg has dateDifference cast'
    .split(' ')
    .map((name) => [name, true]),
) as Readonly<Record<FunctionName, true>>

describe('behind the rules stands', () => {
  test.for(Object.keys(all) as FunctionName[])('%s of a decimal', (name) => {
    const called = call(name, [amount, amount], 'Decimal')
    expect(gradeOf(compare(called, constant('1', 'Decimal')))).toBe('guarded')
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
    ['the length of a text of any length', compare(call('length', [story]), one)],
    ['the length of a text of 200 characters', compare(call('length', [title]), one)],
    ['the length of a text of 2000 characters', compare(call('length', [essay]), one)],
    ['a text in small letters', compare(call('lower', [name], 'String'), constant('a'))],
    ['a division by zero', compare(call('div', [number, constant('0', 'Int32')]), one)],
    ['a rest by a column', compare(call('mod', [number, number]), one)],
    ['a rest of decimals', compare(call('mod', [amount, constant('2', 'Decimal')], 'Decimal'), one)],
    ['a product that may leave 64 bits', compare(call('mul', [call('mul', [number, number]), number]), one)],
    ['a division of constants by zero', compare(call('div', [one, constant('0', 'Int32')]), one)],
    ['a cast of a constant', compare(call('cast', [constant('x')], 'Int32'), one)],
    ['a constant text in small letters', compare(name, call('lower', [constant('A')], 'String'))],
    ['a sum of constants of 64 bits', compare(number, call('add', [one, constant('1', 'Int64')], 'Int64'))],
    [
      'a time that is moved by 2,000 years',
      compare(instant, call('add', [now, days('63115200000')], 'DateTimeOffset')),
    ],
    [
      'a time that is moved again and again',
      compare(
        instant,
        call('add', [call('add', [now, days('1')], 'DateTimeOffset'), days('1')], 'DateTimeOffset'),
      ),
    ],
    ['one of some sums', { kind: 'in', value: sum, values: ['1'], orNull: false }],
    ['a sum of 64 bits', compare(call('add', [number, one], 'Int64'), one)],
    ['a sum of decimals', compare(call('add', [amount, one], 'Decimal'), one)],
    [
      'a related row by a function',
      any(compare(call('mod', [theirs, constant('2', 'Int32')]), one), relation),
    ],
    ['a condition on rows that are not related', any(compare(theirs, constant('1', 'Int32')))],
    ['a condition on related rows and the row itself', any(compare(theirs, number), relation)],
    [
      'one such part of several',
      { kind: 'or', conditions: [compare(number, constant('1', 'Int32')), compare(amount, ratio)] },
    ],
  ])('%s', ([, condition]) => {
    expect(gradeOf(condition)).toBe('guarded')
  })

  test('the ninth text that is looked for', () => {
    const part = truth(call('contains', [name, constant('a')], 'Boolean'))
    const { plain, guarded } = partsByGrade({ kind: 'and', conditions: Array(10).fill(part) })
    expect([plain.length, guarded.length]).toEqual([8, 2])
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
