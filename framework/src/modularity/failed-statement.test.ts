import { expect, test } from 'vitest'
import { failedStatement, statementWithoutValues, withoutQuotedValues } from './failed-statement.js'

test.each([
  [
    'parameters and names',
    `select "Name2" from "T1" where "Id" = $1 and t.a2 = $12`,
    `select "Name2" from "T1" where "Id" = $1 and t.a2 = $12`,
  ],
  ['texts', `where "Name" = 'O''Hara' and x = 'b'`, `where "Name" = ? and x = ?`],
  ['a text that ends with a backslash', `where a = 'C:\\' and b = 'secret'`, 'where a = ? and b = ?'],
  ['a text with escapes', `where a = E'it\\'s secret' and b = 1`, 'where a = ? and b = ?'],
  ['a text between dollars', 'select $$it is secret$$, $x$more $$ secret$x$', 'select ?, ?'],
  ['numbers', 'limit 20 offset 1.5e3', 'limit ? offset ?'],
])('of %s in a statement no value is told', (_, text, told) => {
  expect(statementWithoutValues(text)).toBe(told)
})

const refused = Object.assign(new Error('invalid input syntax for type uuid: "Ada "Lovelace""'), {
  severity: 'ERROR',
  code: '22P02',
  detail: 'Ada',
  where: 'Ada',
  statement: `select 'Ada'`,
})

test('a failed statement is found behind the errors that it caused, with its text and without values', () => {
  const sequelize = Object.assign(new Error(refused.message), { parent: refused, sql: `insert 'Ada'` })
  expect(failedStatement(new Error('outer', { cause: sequelize }))).toEqual({
    sqlState: '22P02',
    message: 'invalid input syntax for type uuid: "***"',
    statement: 'select ?',
  })
  expect(withoutQuotedValues(String(sequelize.stack), sequelize)).not.toContain('Ada')
})

test('other errors have no statement', () => {
  expect([failedStatement(new Error('x')), failedStatement(undefined), failedStatement('x')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
