import { setTimeout as sleep } from 'node:timers/promises'
import { type ImportDto, ImportStatus } from '@keel/framework/contracts'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { sizeOf } from '../support/size.js'
import { copyDatabases } from '../support/spare-databases.js'

/** How many imports are begun by hosts that are killed, each at another moment of its run. */
const kills = sizeOf(1, 30)
const rowCount = sizeOf(2000, 20_000)
const latestKillMs = 1500
const patience = { timeout: 90_000, interval: 100 }

test(
  'of a file of shipments that a killed host was importing, the next host imports all rows once, and nobody sees a part of them',
  async () => {
    const copies = await copyDatabases()
    const issuer = await TokenIssuer.start()
    onTestFinished(async () => {
      await issuer.stop()
      await copies.drop()
    })
    const connect = async (name: string) => {
      const client = new pg.Client({ connectionString: copies.env[`ConnectionStrings__${name}`] ?? '' })
      await client.connect()
      client.on('error', () => undefined)
      onTestFinished(() => client.end())
      return client
    }
    const [hub, identity] = await Promise.all([connect('Hub'), connect('Default')])
    const { rows: users } = await identity.query(
      `select "Id" as id from "AbpUsers" where "UserName" = 'admin'`,
    )
    const headers = { authorization: `Bearer ${await issuer.token({ subject: users[0].id })}` }
    const startHost = (): HostProcess => {
      const host = startApiProcess({
        ...copies.env,
        AuthServer__Authority: issuer.address,
        AuthServer__RequireHttpsMetadata: 'false',
        Log__Level: 'info',
        Jobs__LeaseMs: '1500',
        Jobs__PollMs: '100',
        Jobs__FirstRetryMs: '100',
      })
      onTestFinished(() => void host.child.kill('SIGKILL'))
      return host
    }
    const written = async (kill: number) => {
      const like = `K${kill}-%`
      const { rows } = await hub.query(
        `select count(distinct s."Id")::int as shipments, count(distinct a."Id")::int as parties, count(distinct h."Id")::int as histories
          from "HubShipments" s left join "HubShipmentAddresses" a on a."ShipmentId" = s."Id"
          left join "HubShipmentStatusHistories" h on h."ShipmentId" = s."Id" where s."ShipmentReference" like $1`,
        [like],
      )
      return rows[0]
    }
    const all = { shipments: rowCount, parties: 2 * rowCount, histories: rowCount }
    const none = { shipments: 0, parties: 0, histories: 0 }
    let host = startHost()
    for (let kill = 0; kill < kills; kill += 1) {
      const lines = Array.from({ length: rowCount }, (_, index) => `K${kill}-${index},SEA,Sender,Receiver`)
      const form = new FormData()
      const header = 'shipmentReference,transportMode,consignorCompanyName,consigneeCompanyName'
      form.append('file', new File([[header, ...lines].join('\n')], 'many.csv', { type: 'text/csv' }))
      const begun = await fetch(`${await host.url}/api/hub/shipment/import`, {
        method: 'POST',
        headers,
        body: form,
      })
      const { id } = (await begun.json()) as ImportDto
      expect(begun.status).toBe(200)
      await sleep((latestKillMs * (kill + 1)) / (kills + 1))
      host.child.kill('SIGKILL')
      await host.exitCode
      // A statement that the server was executing ends a moment later.
      expect([none, all]).toContainEqual(await written(kill))
      host = startHost()
      const url = await host.url
      const report = async () => {
        const answer = await fetch(`${url}/api/hub/shipment/import/${id}`, { headers })
        const { status, insertedCount } = (await answer.json()) as ImportDto
        const seen = await written(kill)
        expect([none, all]).toContainEqual(seen)
        return { status, insertedCount }
      }
      await expect.poll(report, patience).toEqual({ status: ImportStatus.Completed, insertedCount: rowCount })
      expect(await written(kill)).toEqual(all)
    }
  },
  120_000 + kills * 60_000,
)
