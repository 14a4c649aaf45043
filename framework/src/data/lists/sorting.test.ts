import { expect, test } from 'vitest'
import { raw, toStatement } from '../wire/sql.js'
import { Sorting } from './sorting.js'

const sorting = new Sorting({ name: raw('t."Name"'), creationTime: raw('t."CreationTime"') }, raw('t."Id"'))

test.for([
  ['name', 't."Name", t."Id"'],
  ['NAME asc', 't."Name", t."Id"'],
  [' creationtime   Desc ', 't."CreationTime" desc, t."Id"'],
  ['name descending, creationTime ascending', 't."Name" desc, t."CreationTime", t."Id"'],
] as const)('%j is the order %s', ([text, order]) => {
  expect(toStatement(sorting.orderBy(text)).text).toBe(order)
})

test('rows that are found before they are sorted have an order of values that no index has', () => {
  expect(toStatement(sorting.afterFinding('name desc')).text).toBe('(select t."Name") desc, t."Id"')
})

test.for([
  '',
  ',',
  'name,',
  'colour',
  'name sideways',
  'name desc asc',
  'name; drop table x',
  't."Name"',
  'constructor',
])('%j is no order', (text) => {
  expect(() => sorting.orderBy(text)).toThrow(expect.objectContaining({ code: 'App:Sorting:UnknownField' }))
})
