// Tests that fail on purpose: failed-statement.test.ts reads what vitest prints of them. Not named as a test, so that no other run finds them.
import { Databases, sql } from '@keel/framework/data'
import { PortAppService, PortPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type App, startApp } from './app.js'

let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const hub = () => app.host.get(Databases).named('Hub')

test('a statement of an operation fails', async () => {
  const caller = await app.as({ permissions: [PortPermissions.Create] })
  await hub().execute(sql`alter table "HubPorts" rename column "IataCode" to "Airport"`)
  await caller.service(PortAppService).create({
    unLocode: 'NLPRV',
    name: 'Private Harbour',
    isSeaport: true,
    isAirport: false,
  })
})

describe('a group', () => {
  beforeAll(async () => {
    const port = sql`select * from "HubPorts" where "Name" <> 'Private Harbour' limit 1`
    await hub().execute(sql`insert into "HubPorts" ${port}`)
  })
  test('is never reached', () => undefined)
})

test('a statement of the test itself fails', async () => {
  await hub().execute(
    sql`insert into "HubPorts" ("Id", "Name") values (gen_random_uuid(), ${'Private Harbour'})`,
  )
})
