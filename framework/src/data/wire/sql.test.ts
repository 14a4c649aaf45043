import { expect, test } from 'vitest'
import { and, containing, identifier, join, quote, raw, sql, toStatement } from './sql.js'

test('values become parameters in order', () => {
  expect(toStatement(sql`select ${1} where a = ${'x'} and b = ${null}`)).toEqual({
    text: 'select $1 where a = $2 and b = $3',
    values: [1, 'x', null],
  })
})

test('pieces of SQL become part of the statement, their values renumbered', () => {
  const inner = sql`b = ${2} or ${sql`c = ${3}`}`
  expect(toStatement(sql`a = ${1} and (${inner}) and d = ${4}`)).toEqual({
    text: 'a = $1 and (b = $2 or c = $3) and d = $4',
    values: [1, 2, 3, 4],
  })
})

test('a value never becomes text, however much it looks like SQL', () => {
  const evil = "'; drop table x; --"
  expect(toStatement(sql`a = ${evil}`)).toEqual({ text: 'a = $1', values: [evil] })
})

test('a value with members of a statement’s name is a value still', () => {
  const { values } = toStatement(sql`a = ${{ text: 'x', values: [] }}`)
  expect(values).toHaveLength(1)
})

test.each([
  ['Name', '"Name"'],
  ['a"b', '"a""b"'],
  ['"; drop table x; --', '"""; drop table x; --"'],
])('the identifier %s is quoted as %s', (name, quoted) => {
  expect([quote(name), toStatement(identifier(name)).text]).toEqual([quoted, quoted])
})

test('pieces are joined by a separator, none to nothing', () => {
  expect(toStatement(join([sql`a = ${1}`, raw('b'), sql`c = ${2}`], ' or '))).toEqual({
    text: 'a = $1 or b or c = $2',
    values: [1, 2],
  })
  expect(toStatement(join([], ', ')).text).toBe('')
})

test('conditions are joined by and; undefined ones do not count and none is true', () => {
  expect(toStatement(and([sql`a`, undefined, sql`b = ${1}`]))).toEqual({ text: 'a and b = $1', values: [1] })
  expect(toStatement(and([undefined])).text).toBe('true')
})

test.each([
  ['abc', '%abc%'],
  ['50%_\\', '%50\\%\\_\\\\%'],
  ['', '%%'],
])('the pattern that contains %s takes its wildcards literally', (text, pattern) => {
  expect(containing(text)).toBe(pattern)
})
