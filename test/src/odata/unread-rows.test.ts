import {
  DocumentPermissions,
  OrderPermissions,
  OrganizationPermissions,
  ShipmentPermissions,
} from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { hubOf } from '../support/hub-rows.js'
import { send } from '../support/wire.js'
import { type HiddenWorld, makeHiddenWorld } from './hidden-values.js'

let app: App
let world: HiddenWorld

/** In front of PostgreSQL's own functions and operators on texts: the same, but they fail when they see the text of a hidden row. */
const watched = `
  create schema watched;
  create function watched.seen(text) returns text language plpgsql immutable strict as $$
    begin
      if $1 operator(pg_catalog.~*) 'hidden|secret|theirs' then raise exception 'A hidden row was looked at.'; end if;
      return $1;
    end $$;
  create function watched.lower(text) returns text language plpgsql immutable strict as 'begin return pg_catalog.lower(watched.seen($1)); end';
  create function watched.upper(text) returns text language plpgsql immutable strict as 'begin return pg_catalog.upper(watched.seen($1)); end';
  create function watched.length(text) returns int language plpgsql immutable strict as 'begin return pg_catalog.length(watched.seen($1)); end';
  create function watched.btrim(text, text) returns text language plpgsql immutable strict as 'begin return pg_catalog.btrim(watched.seen($1), $2); end';
  create function watched.strpos(text, text) returns int language plpgsql immutable strict as 'begin return pg_catalog.strpos(watched.seen($1), $2); end';
  create function watched.substr(text, int) returns text language plpgsql immutable strict as 'begin return pg_catalog.substr(watched.seen($1), $2); end';
  create function watched.matches(text, text) returns boolean language plpgsql immutable strict as 'begin return watched.seen($1) operator(pg_catalog.~) $2; end';
  create function watched.joined(text, text) returns text language plpgsql immutable strict as 'begin return watched.seen($1) operator(pg_catalog.||) $2; end';
  create function watched.found(text, text) returns boolean language plpgsql immutable strict as 'begin return watched.seen($1) operator(pg_catalog.~*) $2; end';
  create operator watched.~* (leftarg = text, rightarg = text, function = watched.found, restrict = icregexeqsel);
  create operator watched.~ (leftarg = text, rightarg = text, function = watched.matches, restrict = regexeqsel);
  create operator watched.|| (leftarg = text, rightarg = text, function = watched.joined);`

let staff: AppCaller

beforeAll(async () => {
  app = await startApp()
  world = await makeHiddenWorld(app)
  const permissions = [
    ...[ShipmentPermissions.View, OrderPermissions.View],
    ...[DocumentPermissions.View, OrganizationPermissions.View],
  ]
  staff = await app.as({ permissions: [...permissions, OrganizationPermissions.AccessAll] })
  await hubOf(app).withConnection(async (client) => {
    await client.query(watched)
    const path = 'watched, pg_catalog, public'
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    await client.query(`alter database "${rows[0]?.name}" set search_path = ${path}`)
    await client.query(`set search_path = ${path}`)
    // Other connections are opened anew, and have it too.
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  })
  await vi.waitUntil(async () => (await statusOf(staff, '/Ports?$top=1')) === 403, { timeout: 10_000 })
})
afterAll(() => app.close())

async function statusOf(caller: AppCaller, path: string): Promise<number> {
  const [resource, query = ''] = path.split('?')
  const encoded = query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    return `${pair.slice(0, at)}=${encodeURIComponent(pair.slice(at + 1))}`
  })
  return (await send(caller, 'GET', `/odata${resource}?${encoded.join('&')}`)).status
}

/** Conditions that take long for some texts, or do not. */
const conditions: readonly ((x: string) => string)[] = [
  (x) => `matchesPattern(${x},'^(.*e)*(.*n)*$')`,
  (x) => `not matchesPattern(${x},'^H')`,
  (x) => `length(${x}) gt 3`,
  (x) => `tolower(${x}) eq 'a'`,
  (x) => `toupper(${x}) ne 'A'`,
  (x) => `trim(${x}) eq 'a'`,
  (x) => `indexof(${x},'e') gt 1`,
  (x) => `contains(${x},concat(${x},'a'))`,
  (x) => `substring(${x},1) eq 'a'`,
]

test.for<readonly [string, (of: (x: string) => string) => string]>([
  ['$filter', (of) => `/Shipments?$filter=${of('VesselName')}`],
  [
    '$filter beside a key',
    (of) => `/Shipments?$filter=ShipmentReference eq 'FOREIGN' and ${of('VesselName')}`,
  ],
  ['$filter with or', (of) => `/Documents?$filter=FileSize lt 0 or ${of('Title')}`],
  ['$count', (of) => `/Documents/$count?$filter=${of('Title')}`],
  ['a path to a hidden row', (of) => `/Orders?$filter=${of('Shipment/VesselName')}`],
  [
    'a path to a hidden row that must be there',
    (of) =>
      `/Orders?$filter=Shipment/ShipmentReference ne null and Shipment/TotalPackages ge 0 and ${of('Shipment/VesselName')}`,
  ],
  ['any', (of) => `/Shipments?$filter=Documents/any(x:${of('x/Title')})`],
  ['all', (of) => `/Shipments?$filter=Documents/all(x:x/FileSize gt 1 and ${of('x/Title')})`],
  ['$orderby', (of) => `/Shipments?$orderby=${of('VesselName')}`],
  ['$compute', (of) => `/Shipments?$compute=${of('VesselName')} as V&$select=V&$orderby=V`],
  ['$expand', (of) => `/Shipments?$expand=Documents($filter=${of('Title')};$count=true)`],
  ['filter in $apply', (of) => `/Shipments?$apply=filter(${of('VesselName')})/aggregate($count as N)`],
  ['filter behind groupby', (of) => `/Shipments?$apply=groupby((VesselName))/filter(${of('VesselName')})`],
  ['filter behind top', (of) => `/Shipments?$apply=top(100)/filter(${of('VesselName')})`],
  ['filter behind concat', (of) => `/Shipments?$apply=concat(identity,top(1))/filter(${of('VesselName')})`],
  [
    'filter behind top of groups',
    (of) => `/Shipments?$apply=groupby((VesselName),top(1))/filter(${of('VesselName')})`,
  ],
  ['compute', (of) => `/Shipments?$apply=compute(${of('VesselName')} as V)/groupby((V))/filter(V eq true)`],
])('no function looks at a hidden row in %s', async ([, path]) => {
  const statuses = { attacker: new Set<number>(), staff: new Set<number>() }
  for (const condition of conditions) {
    const url = path(condition)
    statuses.attacker.add(await statusOf(world.attacker, url))
    statuses.staff.add(await statusOf(staff, url))
  }
  // Staff see these rows: so the functions see them, and tell.
  expect([[...statuses.attacker], statuses.staff.has(200)]).toEqual([[200], false])
})

// What is short may be compared with the short texts of rows that nobody sees: that fails for none of them, and takes no time worth speaking of.
test('no search of a list for a text that could take long looks at a hidden row', async () => {
  const { body } = await send(
    world.attacker,
    'GET',
    "/odata/Shipments?$filter=ShipmentReference%20eq%20'OWN'",
  )
  const text = 'p'.repeat(101)
  const lists = [
    `/api/hub/document?ShipmentId=${body.value[0].Id}&Filter=${text}`,
    `/api/hub/organization?Filter=${text}`,
  ]
  for (const list of lists) {
    const [{ status, body: found }, ofStaff] = await Promise.all([
      send(world.attacker, 'GET', list),
      send(staff, 'GET', list),
    ])
    expect([list, status, found.totalCount, ofStaff.status]).toEqual([list, 200, 0, 500])
  }
})
