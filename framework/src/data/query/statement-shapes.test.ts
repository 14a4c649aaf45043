import { expect, test } from 'vitest'
import { containing, literally } from '../wire/sql.js'
import { StatementShape } from './statement-shapes.js'

test.each([
  ['a text', 'NLRTM', true],
  ['a list', ['NLRTM'], false],
  ['a text that is looked for anywhere', literally('NLRTM'), false],
  ['a pattern of a part of a text', containing('NLRTM'), false],
])('a statement that comes often is planned once where its value is %s: %s, %s', (_, value, isNamed) => {
  const shape = new StatementShape('select $1')
  const names = [1, 2, 3, 4].map(() => shape.statement([value]).name !== undefined)
  expect(names).toEqual([false, false, false, isNamed])
})
