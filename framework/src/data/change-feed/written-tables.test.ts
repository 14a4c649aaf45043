import { expect, test } from 'vitest'
import { tablesWritten } from './written-tables.js'

const cases: readonly (readonly [text: string, ...written: string[]])[] = [
  ['select "Id" from "HubShipments" for update'],
  ['select \'delete from "HubShipments"\' as text -- insert into "HubPorts"'],
  [
    'insert into "HubPorts" ("Id") values ($1) on conflict ("Id") do update set "Name" = $2',
    'other HubPorts',
  ],
  ['update "HubOrders" set "ShipmentId" = null where "ShipmentId" = $1', 'update HubOrders (ShipmentId)'],
  ['UPDATE only "public"."HubOrders" o SET "A" = (select 1), "B" = o."C" from x', 'update HubOrders (A,B)'],
  ['update "HubOrders" set ("A", "B") = (1, 2)', 'update HubOrders (?)'],
  ['delete from "HubOrders" where "Id" = $1', 'delete HubOrders'],
  [
    'truncate table "HubOrders", "HubPorts", public."HubCountries" cascade',
    'delete HubOrders',
    'delete HubPorts',
    'delete HubCountries',
  ],
  ['merge into "HubOrders" o using x on true when matched then delete', 'other HubOrders'],
  [
    'with gone as (delete from "A" returning "Id"), more as (insert into "B" select 1) update "C" set "D" = coalesce("E", 1) where true',
    'delete A',
    'other B',
    'update C (D)',
  ],
]

test.each(cases)('%s', (text, ...written) => {
  const told = tablesWritten(text).map(({ table, verb, columns }) =>
    verb === 'update' ? `${verb} ${table} (${columns?.join() ?? '?'})` : `${verb} ${table}`,
  )
  expect(told).toEqual(written)
})
