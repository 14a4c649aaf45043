import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CreateExportScheduleDto,
  ExportDelivery,
  ExportDeliveryStatus,
  ExportRunStatus,
  ExportScheduleAppService,
} from '@keel/core/contracts'
import { createClient } from '@keel/framework/client'
import type { z } from '@keel/framework/contracts'
import { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Hold, hold, holdReads, holdWrites, ownsPort } from '../support/holds.js'
import { type HostProcess, startApiProcess } from '../support/host-process.js'
import { isLong, sizeOf } from '../support/size.js'
import { copyDatabases } from '../support/spare-databases.js'

const patience = { timeout: 60_000, interval: 50 }
const { Download, Email, Webhook } = ExportDelivery
type Delivery = typeof Download | typeof Email | typeof Webhook

/** Where an export is killed, and what the schedule delivers then. */
const places = [
  ['the webhook has answered, and the run does not know it', Webhook],
  ['the file is written, and the run not ended', Download],
  ['the run is being started', Download],
  ['rows are read for the file', Email],
  ['the owner is told', Download],
  ['the webhook has not answered', Webhook],
] as const
type Place = (typeof places)[number][0]
/** In the long form every third kill is at any moment instead. */
const kills = sizeOf(1, 100)

test(
  `of two copies of a host, one of which is killed in exports, each run is delivered once (kills: ${kills})`,
  async () => {
    const run = await startRun()
    for (const delivery of [Download, Email, Webhook] as const) await run.makeDue(delivery)
    await run.lookForDue()
    await run.ended()
    for (let kill = 0; kill < kills; kill += 1) {
      const [place, delivery] = places[kill % places.length] as (typeof places)[number]
      if (isLong && kill % 3 === 2) await run.killAtAnyMoment(delivery)
      else await run.killAt(place, delivery)
      await run.ended()
    }
    expect(await run.deliveries()).toEqual(run.expected())
  },
  180_000 + kills * 30_000,
)

async function startRun() {
  const copies = await copyDatabases()
  const issuer = await TokenIssuer.start()
  const [blobs, mails] = await Promise.all(
    ['blobs', 'mails'].map((name) => mkdtemp(join(tmpdir(), `keel-export-${name}-`))),
  )
  const identity = copies.env.ConnectionStrings__Default ?? ''
  const client = new pg.Client({ connectionString: identity })
  await client.connect()
  client.on('error', () => undefined)
  const webhook = await startWebhook()
  const hosts: HostProcess[] = []
  onTestFinished(async () => {
    await webhook.close()
    for (const { child, exitCode } of hosts) {
      child.kill('SIGKILL')
      await exitCode
    }
    await client.end()
    await issuer.stop()
    await copies.drop()
    for (const folder of [blobs, mails]) await rm(folder ?? '', { recursive: true, force: true })
  })
  for (let copy = 0; copy < 2; copy += 1) hosts.push(startHost())
  const [url = ''] = await Promise.all(hosts.map((host) => host.url))
  const { rows: users } = await client.query(`select "Id" as id from "AbpUsers" where "UserName" = 'admin'`)
  const token = await issuer.token({ subject: users[0].id, expiresIn: 7200 })
  const schedules = new Map<Delivery, string>()
  const counts = new Map<Delivery, number>([Download, Email, Webhook].map((delivery) => [delivery, 0]))
  await add(Download, {})
  await add(Email, { emailRecipients: ['ann@example.com'] })
  await add(Webhook, {
    webhookUrl: `http://localhost:${webhook.port}/exports`,
    webhookSecret: `whsec_${Buffer.from('a secret of thirty-two bytes, no?').toString('base64')}`,
  })
  return {
    makeDue,
    lookForDue,

    /** Until every run has ended and was delivered. */
    async ended(): Promise<void> {
      const open = async () => {
        const { rows } = await client.query(
          `select 'run' as what, concat_ws(' ', "Status", "DeliveryStatus", "Attempt", "Error") as state from "AppExportRuns"
              where "Status" not in ($1, $2) or "DeliveryStatus" = $3
            union all select 'schedule', "Name" from "AppExportSchedules" where "NextRunTime" < now()
            union all select 'mail', concat_ws(' ', "TryCount", "LockedUntil") from "AbpBackgroundJobs"
              where "JobName" = 'Keel.SendMail' and "CompletionTime" is null`,
          [ExportRunStatus.Succeeded, ExportRunStatus.Failed, ExportDeliveryStatus.Pending],
        )
        return rows
      }
      const told = () => hosts.map((host) => host.said().slice(-2000)).join('\n')
      await expect
        .poll(open, patience)
        .toEqual([])
        .catch((error) => {
          throw new Error(told(), { cause: error })
        })
    },

    /** Kills the copy that runs an export when it has come to a place; the other one takes the export up. */
    async killAt(place: Place, delivery: Delivery): Promise<void> {
      await makeDue(delivery)
      const at = await waitingAt(place)
      await lookForDue()
      const port = await at.isMet()
      const found = hosts.findIndex(({ child }) => ownsPort(child.pid, port))
      await kill(found < 0 ? [0, 1] : [found], at)
    },

    async killAtAnyMoment(delivery: Delivery): Promise<void> {
      await makeDue(delivery)
      await lookForDue()
      await sleep(Math.random() * 600)
      await kill([Math.random() < 0.5 ? 0 : 1])
    },

    /** What was delivered, by run. */
    async deliveries() {
      const { rows: runs } = await client.query(
        `select r."Id" as id, s."Delivery" as delivery, r."Status" as status, r."DeliveryStatus" as "deliveryStatus", r."RowCount" as rows,
          r."BlobName" is not null as "hasFile", (select count(*)::int from "AppNotifications" n where n."EntityId" = r."Id") as notices
          from "AppExportRuns" r join "AppExportSchedules" s on s."Id" = r."ExportScheduleId"`,
      )
      const texts = await Promise.all(
        (await readdir(mails ?? '')).map((name) => readFile(join(mails ?? '', name), 'utf8')),
      )
      const { rows: queued } = await client.query(
        `select count(*)::int as mails from "AbpBackgroundJobs" where "JobName" = 'Keel.SendMail'`,
      )
      const posted = webhook.received.map(({ id }) => id)
      return {
        runs: [Download, Email, Webhook].map(
          (delivery) => runs.filter((one) => one.delivery === delivery).length,
        ),
        faulty: runs.filter(
          ({ delivery, status, deliveryStatus, hasFile, notices }) =>
            status !== ExportRunStatus.Succeeded ||
            deliveryStatus !== ExportDeliveryStatus.Delivered ||
            !hasFile ||
            notices !== (delivery === Download ? 1 : 0),
        ),
        // A mail that is being sent when its process is killed may come twice, as from every mail server; it is queued once.
        ...queued[0],
        attachments: new Set(texts.map((text) => /filename="?([^";\r\n]+)/.exec(text)?.[1])).size,
        // Receivers know by the id what they have already.
        posted: new Set(posted).size,
        differing: webhook.received.filter(({ id, body }) =>
          webhook.received.some((other) => other.id === id && other.body !== body),
        ),
      }
    },

    expected: () => ({
      ...{ runs: [...counts.values()], faulty: [], mails: counts.get(Email), attachments: counts.get(Email) },
      ...{ posted: counts.get(Webhook), differing: [] },
    }),
  }

  function startHost(): HostProcess {
    return startApiProcess({
      ...copies.env,
      AuthServer__Authority: issuer.address,
      AuthServer__RequireHttpsMetadata: 'false',
      Log__Requests: 'false',
      Blobs__Folder: blobs ?? '',
      Mail__Delivery: 'Folder',
      Mail__Folder: mails ?? '',
      Jobs__LeaseMs: '1000',
      Jobs__PollMs: '100',
      Jobs__FirstRetryMs: '100',
    })
  }

  async function add(
    delivery: Delivery,
    input: Partial<z.input<typeof CreateExportScheduleDto.schema>>,
  ): Promise<void> {
    const service = createClient(ExportScheduleAppService, { baseUrl: url, accessToken: () => token })
    const { id } = await service.create({
      ...{
        name: `Organizations ${delivery}`,
        entitySet: 'Organizations',
        columns: [{ path: 'Code' }],
        delivery,
      },
      ...{ frequency: 'Daily', timeOfDay: '00:00', timeZone: 'Etc/UTC', ...input },
    })
    schedules.set(delivery, id)
  }

  /** Lets the time of a schedule come: another one each time, for a time runs once. Runs before it are of other days, which have a most of them. */
  async function makeDue(delivery: Delivery): Promise<void> {
    const count = (counts.get(delivery) ?? 0) + 1
    counts.set(delivery, count)
    await client.query(`update "AppExportRuns" set "ScheduledTime" = "ScheduledTime" - interval '2 days'
      where "ScheduledTime" > now() - interval '1 day'`)
    await client.query(
      `update "AppExportSchedules" set "StartDate" = current_date - 30, "NextRunTime" = now() - interval '2 days',
        "TimeOfDay" = to_char(make_interval(mins => $2), 'HH24:MI') where "Id" = $1`,
      [schedules.get(delivery), count],
    )
  }

  /** Lets the copies look for due schedules, as they do each minute. */
  async function lookForDue(): Promise<void> {
    await client.query(
      `update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'Core.ExportRunner.startDue' and "CompletionTime" is null`,
    )
  }

  async function waitingAt(place: Place): Promise<Hold> {
    switch (place) {
      case 'the run is being started':
        return holdWrites(identity, 'AppExportSchedules')
      case 'rows are read for the file':
        return holdReads(copies.env.ConnectionStrings__Hub ?? '', 'HubOrganizations')
      case 'the file is written, and the run not ended':
        return holdEnd(await holdReads(copies.env.ConnectionStrings__Hub ?? '', 'HubOrganizations'))
      case 'the owner is told':
        return holdWrites(identity, 'AppNotifications')
      case 'the webhook has not answered':
        return webhook.hold()
      default: {
        const answering = webhook.hold()
        return holdEnd({ ...answering, release: answering.answer })
      }
    }
  }

  /** What waits first goes on when the row of its run is locked: then the statement that ends the run or its delivery waits. */
  function holdEnd(first: Hold): Hold {
    let second: Hold | undefined
    return {
      async isMet() {
        await first.isMet()
        second = await hold(
          identity,
          `select from "AppExportRuns" where "Status" = $1 or "DeliveryStatus" = $2 for share`,
          [ExportRunStatus.Running, ExportDeliveryStatus.Pending],
        )
        await first.release()
        return second.isMet()
      },
      release: async () => second?.release(),
    }
  }

  async function kill(those: readonly number[], at?: Hold): Promise<void> {
    for (const index of those) {
      hosts[index]?.child.kill('SIGKILL')
      await hosts[index]?.exitCode
    }
    await at?.release()
    for (const index of those) hosts[index] = startHost()
    await Promise.all(hosts.map((host) => host.url))
  }
}

/** A receiver that keeps what it gets, and answers when it is let. */
async function startWebhook() {
  const received: { readonly id: string; readonly body: string }[] = []
  let holding: { met: (port: number | undefined) => void; answer?: ServerResponse } | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({ id: String(request.headers['webhook-id']), body: Buffer.concat(chunks).toString() })
    response.statusCode = 204
    if (!holding) return response.end()
    holding.answer = response
    return holding.met(request.socket.remotePort)
  }).listen(0)
  await once(server, 'listening')
  return {
    received,
    port: (server.address() as AddressInfo).port,
    /** Keeps the next request waiting. */
    hold() {
      let met: (port: number | undefined) => void = () => undefined
      const waiting = new Promise<number | undefined>((resolve) => {
        met = resolve
      })
      const own: NonNullable<typeof holding> = { met }
      holding = own
      const answer = async () => {
        holding = undefined
        own.answer?.end()
      }
      return {
        isMet: () => waiting,
        answer,
        /** The request stays without an answer; later ones get one. */
        release: async () => {
          holding = undefined
          own.answer?.destroy()
        },
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
