import { expect, test } from 'vitest'
import type { EntityMeta } from '../entities/entity.js'
import { and, raw, type Sql, sql } from '../wire/sql.js'
import { Frame, fencedAnd, visibleAnd, type WrittenConditions } from './frame.js'
import { VisibleRows } from './late-values.js'

const things = { table: 'Things', softDelete: true, rules: [] as readonly unknown[] } as EntityMeta
const codes = { ...things, table: 'Codes', softDelete: false } as EntityMeta
const beside = [raw('t0."Status" = 1')]
const behind = [raw('length(t0."Name") > 3')]
const computed = [raw('lower(t0."Name") = 1')]
const order = raw(' order by t0."Name"')

/** The statement with `rules` where the conditions of the caller stand. */
function written({ texts, values }: Sql): string {
  return texts.reduce((all, text, index) => {
    const value = values[index - 1]
    return `${all}${value instanceof VisibleRows ? `rules(${value.alias})` : '?'}${text}`
  })
}

function statement(
  entity: EntityMeta,
  frame: Frame,
  restrict = visibleAnd,
  order?: Sql,
  more: Partial<WrittenConditions> = {},
): string {
  frame.note('Name')
  const conditions = and(restrict(entity, frame, { beside, computed: [], behind, ...more }))
  return written(sql`from ${frame.from(raw(`"${entity.table}" t0`), order)} where ${conditions}`)
}

test('a condition behind the rules is the result of a case that asks for them', () => {
  expect(statement(things, new Frame('t0'))).toBe(
    'from "Things" t0 where rules(t0) and t0."Status" = 1 and case when rules(t0) then length(t0."Name") > 3 end',
  )
})

const fenced = 'select t0."Name" from "Things" t0 where rules(t0) and t0."Status" = 1'
const outside = 'coalesce(length(t0."Name") > 3, false)'

test('one that reads other rows stands outside a select of the rows that the rules show, of the columns that are read', () => {
  expect(statement(things, new Frame('t0'), fencedAnd)).toBe(`from (${fenced} offset 0) t0 where ${outside}`)
})

test('the first rows in an order of columns are read in this order inside too, so that an index serves', () => {
  expect(statement(things, new Frame('t0'), fencedAnd, order)).toBe(
    `from (${fenced} order by t0."Name" limit 9223372036854775807) t0 where ${outside}`,
  )
})

test('a condition that computes with columns and cannot fail stands beside the rules, and tells the planner nothing', () => {
  expect(statement(things, new Frame('t0'), visibleAnd, undefined, { computed, behind: [] })).toBe(
    'from "Things" t0 where rules(t0) and t0."Status" = 1 and coalesce(lower(t0."Name") = 1, false)',
  )
})

test('where others stand outside a select, it stands inside', () => {
  expect(statement(things, new Frame('t0'), fencedAnd, undefined, { computed })).toBe(
    `from (${fenced} and coalesce(lower(t0."Name") = 1, false) offset 0) t0 where ${outside}`,
  )
})

test('rows that no rule hides need no fence', () => {
  expect(statement(codes, new Frame('t0'), visibleAnd, undefined, { computed })).toBe(
    'from "Codes" t0 where rules(t0) and t0."Status" = 1 and lower(t0."Name") = 1 and length(t0."Name") > 3',
  )
})

test('conditions that join other rows ask for the rules of both first', () => {
  const frame = new Frame('t0')
  frame.joins.push(raw('left join "Things" j1 on true'))
  frame.joined.push({ entity: things, alias: 'j1', key: 'Id' })
  expect(statement(things, frame)).toBe(
    'from "Things" t0 left join "Things" j1 on true where rules(t0) and t0."Status" = 1 and ' +
      'case when rules(t0) and (j1."Id" is null or rules(j1)) then length(t0."Name") > 3 end',
  )
})
