import { connect, type Socket } from 'node:net'
import { sql } from '@keel/framework/data'
import { SuperUser } from '@keel/identity/contracts'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type App, type AppCaller, startApp } from '../support/app.js'
import { hubOf } from '../support/hub-rows.js'
import { testOfOneProcess } from '../support/one-process.js'

/** Clients that do not take what they asked for: more than the system keeps for them waits in the host. */
let app: App
let admin: AppCaller
let other: AppCaller

beforeAll(async () => {
  app = await startApp()
  admin = await app.admin()
  other = await app.as({ roles: [SuperUser] })
  await hubOf(app).execute(sql`
    insert into "HubShipments" ("Id", "ShipmentReference", "Status", "CreationTime", "ConcurrencyStamp", "VisibleOrganizationIds")
    select gen_random_uuid(), 'S' || n, n % 3, now(), 'stamp', '{}' from generate_series(1, 1000) n`)
})
afterAll(() => app.close())

/** Asks for a page of a megabyte, twenty times, and reads nothing. */
function askWithoutReading(caller: AppCaller): Socket {
  const { hostname, port } = new URL(app.host.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  const request = `GET /odata/Shipments?$top=1000 HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${caller.token}\r\n\r\n`
  socket.write(request.repeat(20))
  onTestFinished(() => void socket.destroy())
  return socket
}

testOfOneProcess(
  'a client that takes nothing of its answers is cut off, one that takes them is not',
  async () => {
    const [idle, reader] = [askWithoutReading(admin), askWithoutReading(other)]
    reader.resume()
    let [cut, read] = [false, 0]
    reader.on('data', (chunk) => {
      read += chunk.length
    })
    // Nothing is read, so the end is seen by writing: a header that does not end.
    idle.write('GET / HTTP/1.1\r\nx-more: ')
    idle.on('close', () => {
      cut = true
    })
    await expect
      .poll(
        () => {
          if (!cut) idle.write('a')
          return cut
        },
        { timeout: 40_000, interval: 200 },
      )
      .toBe(true)
    expect([reader.destroyed, read > 1_000_000]).toEqual([false, true])
  },
  60_000,
)
