import { setTimeout as sleep } from 'node:timers/promises'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { startOwnServer } from '../support/own-server.js'
import { residentMegabytes } from '../support/process-figures.js'
import { sizeOf } from '../support/size.js'

const kills = sizeOf(1, 20)
const writers = 6

interface Written {
  readonly acknowledged: string[]
  readonly otherwise: Map<string, number>
  lastAcknowledgedAt: number
}

/** Creates shipments one after the other until it is told to stop, and notes which were acknowledged. */
async function write(url: string, token: string, name: string, seen: Written, isOver: () => boolean) {
  for (let turn = 0; !isOver(); turn++) {
    const shipmentReference = `${name}-${turn}`
    const response = await fetch(`${url}/api/hub/shipment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ shipmentReference }),
    })
    const body = await response.text()
    if (response.ok) {
      seen.acknowledged.push(shipmentReference)
      seen.lastAcknowledgedAt = performance.now()
      continue
    }
    const told =
      response.status === 503 && response.headers.has('retry-after') ? '503 with Retry-After' : body
    seen.otherwise.set(
      `${response.status} ${told}`,
      (seen.otherwise.get(`${response.status} ${told}`) ?? 0) + 1,
    )
    // A caller who is refused waits a little, though not as long as it is asked to.
    await sleep(20)
  }
}

test(`what was acknowledged is there after PostgreSQL was killed ${kills} times under writes, and the host goes on by itself within two seconds`, {
  timeout: 60_000 + kills * 20_000,
}, async () => {
  const issuer = await TokenIssuer.start()
  onTestFinished(() => issuer.stop())
  const server = await startOwnServer()
  const hub = async <R extends object>(text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: server.env.ConnectionStrings__Hub })
    await client.connect()
    const { rows } = await client.query<R>(text, values)
    await client.end()
    return rows
  }
  const host: HostProcess = startApiProcess({
    ...server.env,
    AuthServer__Authority: issuer.address,
    AuthServer__RequireHttpsMetadata: 'false',
    Log__Requests: 'false',
  })
  onTestFinished(async () => {
    host.child.kill('SIGTERM')
    await host.exitCode
  })
  const url = await host.url
  const identity = new pg.Client({ connectionString: server.env.ConnectionStrings__Default })
  await identity.connect()
  const admin = (await identity.query(`select "Id" from "AbpUsers" where "UserName" = 'admin'`)).rows[0].Id
  await identity.end()
  const token = await issuer.token({ subject: admin, expiresIn: 3600 })

  const seen: Written = { acknowledged: [], otherwise: new Map(), lastAcknowledgedAt: 0 }
  let isOver = false
  const writing = Array.from({ length: writers }, (_, index) =>
    write(url, token, `W${index}`, seen, () => isOver),
  )
  const recoveries: number[] = []
  const memory: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const before = seen.acknowledged.length
    await expect.poll(() => seen.acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 20)
    await server.crash()
    const back = performance.now()
    const known = seen.acknowledged.length
    await expect
      .poll(() => seen.acknowledged.length, { timeout: 20_000, interval: 10 })
      .toBeGreaterThan(known)
      .catch((error) => {
        throw new Error(
          `kill ${kill + 1}: ${JSON.stringify([...seen.otherwise])} ${lastRefusals(host.said())}`,
          { cause: error },
        )
      })
    recoveries.push(Math.round(performance.now() - back))
    memory.push(residentMegabytes(host.child.pid as number))
  }
  isOver = true
  await Promise.all(writing)

  const stored = await hub<{ reference: string }>(
    `select "ShipmentReference" as reference from "HubShipments" where "ShipmentReference" = any($1)`,
    [seen.acknowledged],
  )
  const there = new Set(stored.map(({ reference }) => reference))
  console.info(`${seen.acknowledged.length} writes acknowledged; recovered after ${recoveries.join(', ')} ms`)
  console.info(`resident after each kill: ${memory.join(', ')} MB`)
  expect(seen.acknowledged.filter((reference) => !there.has(reference))).toEqual([])
  expect([...seen.otherwise.keys()].filter((told) => told !== '503 503 with Retry-After')).toEqual([])
  expect(Math.max(...recoveries)).toBeLessThan(2000)
  // The first quarter warms the host up. After it a kill leaves next to nothing (80 kB in a snapshot of the heap), which the collector need not have found.
  const warm = memory.slice(0, Math.ceil(kills / 4))
  expect(Math.min(...memory.slice(-3))).toBeLessThan(Math.max(...warm) + 30 + kills)
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  expect(host.child.exitCode).toBeNull()
})

/** What the host says of the last requests that it could not answer. */
function lastRefusals(said: string): string {
  const refusals = said.split('\n').filter((line) => line.includes('request failed'))
  return refusals.slice(-3).join('\n')
}
