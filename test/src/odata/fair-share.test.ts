import { ApiKeyAppService, ApiKeyPermissions } from '@keel/api-keys/contracts'
import { PortPermissions, ShipmentPermissions } from '@keel/hub/contracts'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type App, startApp } from '../app.js'
import { hubOf } from '../hub-rows.js'
import { testOfOneProcess } from '../one-process.js'

/** How callers share the host: what one of them asks does not make another wait. */
let app: App

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** Keeps all who read shipments waiting until the returned function is called. */
async function blockShipments(): Promise<() => void> {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await new Promise<void>((resolve) => {
    const held = hubOf(app).withConnection(async (client) => {
      await client.query('begin; lock table "HubShipments"')
      resolve()
      await released
      await client.query('rollback')
    })
    onTestFinished(() => {
      release()
      return held
    })
  })
  return release
}

async function blockedStatements(): Promise<number> {
  const rows = await hubOf(app).query({
    text: `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    values: [],
  })
  return rows.length
}

testOfOneProcess(
  'one user with four keys has one line and one slow query at a time, and others are answered meanwhile',
  async () => {
    const permissions = [ShipmentPermissions.View, PortPermissions.View, ApiKeyPermissions.Create]
    const [eager, other] = [await app.as({ permissions }), await app.as({ permissions })]
    const keys = await Promise.all(
      [1, 2, 3, 4].map((name) => eager.service(ApiKeyAppService).create({ name: `Key ${name}` })),
    )
    const release = await blockShipments()
    const statuses: number[] = []
    const asked = keys.flatMap(({ key }) =>
      Array.from({ length: 10 }, async (_, index) => {
        // Another shape each time, so that nobody can know what it costs.
        const filter = `${'1 eq 1 and '.repeat(index)}matchesPattern(ShipmentReference,'(a+)+$')`
        const answer = await app.host.fetch(`/odata/Shipments?$filter=${encodeURIComponent(filter)}`, {
          headers: { 'x-api-key': key },
        })
        statuses.push(answer.status)
        await answer.text()
      }),
    )
    // Four that are answered at a time, and sixteen that wait.
    await expect.poll(() => statuses.length).toBe(20)
    expect(new Set(statuses)).toEqual(new Set([503]))
    await expect.poll(blockedStatements).toBe(1)
    const answer = await other.fetch('/odata/Ports?$top=1')
    expect([answer.status, statuses.length]).toEqual([200, 20])
    release()
    await Promise.all(asked)
    expect(statuses.slice(20)).toEqual(Array.from({ length: 20 }, () => 200))
  },
)
