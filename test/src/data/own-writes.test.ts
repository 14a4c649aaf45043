import { randomUUID } from 'node:crypto'
import { Databases, sql } from '@keel/framework/data'
import { PortAppService, PortPermissions, ShipmentAppService } from '@keel/hub/contracts'
import { PermissionAppService } from '@keel/permission-management/contracts'
import { TimeZoneSettingsAppService } from '@keel/setting-management/contracts'
import { afterAll, beforeAll, expect } from 'vitest'
import { type App, startApp } from '../support/app.js'
import { addDocuments, portId } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'
import { cargoByKey, facetCounts, portNames } from '../support/own-reads.js'
import { sizeOf } from '../support/size.js'
import { send } from '../support/wire.js'

/** Rounds of each kind of write and read. */
const rounds = sizeOf(25, 200)

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

testOfOneProcess('facets and entities read by key are as the write before left them', async () => {
  const admin = await app.admin()
  const shipments = admin.service(ShipmentAppService)
  const stale: unknown[] = []
  const expectNow = (told: unknown[], now: unknown) => {
    if (told.some((value) => value !== now)) stale.push([told, now])
  }
  for (let round = 0; round < rounds; round += 1) {
    const [before = 0] = await facetCounts(admin)
    const { id } = await shipments.create({
      shipmentReference: `OWN-${randomUUID()}`,
      cargoDescription: 'first',
    })
    expectNow(await facetCounts(admin), before + 1)
    expectNow(await cargoByKey(admin, id), 'first')
    await shipments.update(id, { cargoDescription: 'second' })
    expectNow(await cargoByKey(admin, id), 'second')
    await shipments.delete(id)
    expectNow(await facetCounts(admin), before)
    expectNow(await cargoByKey(admin, id), 404)
  }
  expect(stale).toEqual([])
})

testOfOneProcess('a port that was renamed has its new name in the next list of shipments', async () => {
  const admin = await app.admin()
  const ports = admin.service(PortAppService)
  const shipment = await admin.service(ShipmentAppService).create({
    shipmentReference: `OWN-${randomUUID()}`,
    firstConsolLegDeparturePortId: portId('NLRTM'),
  })
  const { name: original, ...port } = await ports.get(portId('NLRTM'))
  const names = [...Array.from({ length: rounds }, (_, round) => `Port ${round}`), original]
  const told: unknown[][] = []
  for (const name of names) {
    await ports.update(portId('NLRTM'), { ...port, name })
    told.push(await portNames(admin, shipment))
  }
  expect(told).toEqual(names.map((name) => [name, name, name]))
})

testOfOneProcess('a grant counts with the next request, and a setting is told as it was set', async () => {
  const admin = await app.admin()
  const permissions = admin.service(PermissionAppService)
  const zones = admin.service(TimeZoneSettingsAppService)
  const user = await app.as({ permissions: [] })
  const told: unknown[] = []
  const expected: unknown[] = []
  for (let round = 0; round < rounds; round += 1) {
    const isGranted = round % 2 === 0
    const zone = isGranted ? 'Europe/Berlin' : 'Asia/Tokyo'
    await permissions.update('U', user.userId, { permissions: [{ name: PortPermissions.View, isGranted }] })
    told.push((await send(user, 'GET', '/api/hub/port?maxResultCount=1')).status)
    await zones.update(zone)
    const { body } = await send(
      user,
      'GET',
      '/api/abp/application-configuration?includeLocalizationResources=false',
    )
    told.push(await zones.get(), body.setting.values['Abp.Timing.TimeZone'])
    expected.push(isGranted ? 200 : 403, zone, zone)
  }
  expect(told).toEqual(expected)
})
