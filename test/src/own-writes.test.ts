import { randomUUID } from 'node:crypto'
import { Databases, sql } from '@keel/framework/data'
import { PortPermissions, ShipmentAppService } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect } from 'vitest'
import { type App, startApp } from './app.js'
import { addDocuments } from './hub-rows.js'
import { testOfOneProcess } from './one-process.js'
import { send } from './wire.js'

/** Rounds of each kind of write and read; `KEEL_TEST_LONG=1` runs 200. */
const rounds = process.env.KEEL_TEST_LONG ? 200 : 25

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

testOfOneProcess(
  'the first count, facets and groups after a shipment was deleted are without its documents',
  async () => {
    const admin = await app.admin()
    const shipments = admin.service(ShipmentAppService)
    const documents = async () => Number((await send(admin, 'GET', '/odata/Documents/$count')).text)
    const groups = async () =>
      (await send(admin, 'GET', '/odata/Documents?$apply=aggregate($count as N)')).body.value[0].N
    const listed = async () =>
      (await shipments.getList({ maxResultCount: 1, includeFacets: true })).totalCount
    let stale = 0
    for (let round = 0; round < rounds; round += 1) {
      const shipment = await shipments.create({ shipmentReference: `OWN-${randomUUID()}` })
      await addDocuments(app, [{ ShipmentId: shipment.id }])
      const before = [await documents(), await groups(), await listed()]
      await shipments.delete(shipment.id)
      const after = [await documents(), await groups(), await listed()]
      if (after.some((count, index) => count !== (before[index] as number) - 1)) stale += 1
    }
    expect(stale).toBe(0)
  },
)

testOfOneProcess(
  'the next request knows that a session ended that was ended outside of a unit of work',
  async () => {
    const sessions = app.host.get(Databases).named('Default')
    let stale = 0
    for (let round = 0; round < rounds; round += 1) {
      const { userId } = await app.as({ permissions: [PortPermissions.View] })
      const sessionId = randomUUID()
      await sessions.execute(sql`
      insert into "AbpSessions" ("Id", "SessionId", "Device", "UserId", "SignedIn")
      values (${randomUUID()}, ${sessionId}, 'OAuth', ${userId}, now())`)
      const caller = await app.host.as({ subject: userId, sessionId })
      const status = async () => (await send(caller, 'GET', '/api/hub/port?maxResultCount=1')).status
      expect(await status()).toBe(200)
      await sessions.execute(sql`delete from "AbpSessions" where "SessionId" = ${sessionId}`)
      if ((await status()) !== 401) stale += 1
    }
    expect(stale).toBe(0)
  },
)
