import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startApiProcess } from '../support/host-process.js'
import { copyDatabases } from '../support/spare-databases.js'
import { runsTable } from './work.js'

const patience = { timeout: 40_000, interval: 100 }
const kills = 4
const jobsAtOnce = 2
/** How long a job of a killed host stays its own. */
const leaseMs = '1500'

test('jobs of a worker that was killed are done by others, each by one at a time', async () => {
  const { env, client } = await databases()
  await client.query(runsTable)
  const workers = [1, 2].map(() => startWorker(env))
  const ids = Array.from({ length: 30 }, () => randomUUID())
  for (const id of ids) await add(client, id, 'Test.Toil', { forMs: 300, label: id })
  for (let kill = 0; kill < kills; kill += 1) {
    const before = await ended(client)
    await expect.poll(() => ended(client), patience).toBeGreaterThan(before)
    await killed(workers[kill % 2])
    workers[kill % 2] = startWorker(env)
  }
  const open = async () =>
    (
      await client.query(
        `select from "AbpBackgroundJobs" where "JobName" = 'Test.Toil' and "CompletionTime" is null`,
      )
    ).rowCount
  await expect.poll(open, patience).toBe(0)
  // What a killed worker had begun has no end, or an end that it could not say any more: it ended before the next one of its job began.
  const { rows } = await client.query(`
      select count(*) filter (where "Next" < coalesce("End", "Begin"))::int as overlaps, count(distinct "Label")::int as jobs,
        count(distinct "Label") filter (where "End" is not null)::int as ended,
        count(*) <= ${ids.length + kills * jobsAtOnce} as "mostOnce"
      from (select *, lead("Begin") over (partition by "Label" order by "Begin") as "Next" from "TestRuns" where "Label" <> 'tick') r`)
  expect(rows[0]).toEqual({ overlaps: 0, jobs: ids.length, ended: ids.length, mostOnce: true })
}, 120_000)

test('mail that waits survives the host that should have sent it', async () => {
  const { env, client } = await databases()
  const folder = await mkdtemp(join(tmpdir(), 'keel-mail-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Nobody listens there.
  const noServer = { Mail__Delivery: 'Smtp', 'Settings__Abp.Mailing.Smtp.Port': '1' }
  // It may be killed before it has said how the try ended.
  const first = startApiProcess({ ...env, ...noServer, Jobs__LeaseMs: leaseMs })
  onTestFinished(() => void first.child.kill('SIGKILL'))
  const { rows } = await client.query(`select "Email" from "AbpUsers" where "UserName" = 'customer'`)
  const asked = await fetch(`${await first.url}/api/account/send-password-reset-code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: rows[0].Email, appName: 'Angular' }),
  })
  expect(asked.status).toBe(204)
  const tries = async () =>
    (await client.query(`select "TryCount" from "AbpBackgroundJobs" where "JobName" = 'Keel.SendMail'`))
      .rows[0]?.TryCount
  await expect.poll(tries, patience).toBeGreaterThanOrEqual(1)
  first.child.kill('SIGKILL')
  await first.exitCode
  await client.query(
    `update "AbpBackgroundJobs" set "NextTryTime" = now() at time zone 'utc' where "JobName" = 'Keel.SendMail'`,
  )
  const second = startApiProcess({
    ...env,
    Mail__Delivery: 'Folder',
    Mail__Folder: folder,
    Jobs__PollMs: '200',
  })
  onTestFinished(() => void second.child.kill('SIGKILL'))
  await second.url
  const mails = async () => (await readdir(folder)).filter((name) => name.endsWith('.eml'))
  await expect.poll(mails, { ...patience, message: second.said().slice(-2000) }).toHaveLength(1)
  const [name = ''] = await mails()
  expect(await readFile(join(folder, name), 'utf8')).toContain(`To: ${rows[0].Email}`)
}, 120_000)

async function databases() {
  const copies = await copyDatabases()
  onTestFinished(() => copies.drop())
  const client = new pg.Client({ connectionString: copies.env.ConnectionStrings__Default })
  await client.connect()
  client.on('error', () => undefined)
  onTestFinished(() => client.end())
  return { env: copies.env, client }
}

function startWorker(env: Readonly<Record<string, string>>): ChildProcess {
  const program = fileURLToPath(new URL('../../dist/src/jobs/worker.js', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: {
      KEEL_ENVIRONMENT: 'Development',
      ...env,
      Log__Level: 'error',
      Jobs__LeaseMs: leaseMs,
      Jobs__PollMs: '200',
      // One place is for jobs that end soon.
      Jobs__Concurrency: String(jobsAtOnce + 1),
    },
    stdio: 'ignore',
  })
  onTestFinished(() => killed(child))
  return child
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

async function add(client: pg.Client, id: string, name: string, args: object): Promise<void> {
  await client.query(
    `insert into "AbpBackgroundJobs" ("Id", "JobName", "JobArgs", "CreationTime", "NextTryTime")
      values ($1, $2, $3, now() at time zone 'utc', now() at time zone 'utc')`,
    [id, name, JSON.stringify(args)],
  )
}

async function ended(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as n from "TestRuns" where "Label" <> 'tick' and "End" is not null`,
  )
  return rows[0].n
}
