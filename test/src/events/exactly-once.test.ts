import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { isLong, sizeOf } from '../support/size.js'
import { copyDatabases } from '../support/spare-databases.js'
import { type Broker, noBroker, startBroker } from './broker.js'
import { tables } from './numbers.js'

/** 10,000 for the real thing; the normal suite is content with less. */
const count = sizeOf(300, 10_000)
const patience = { timeout: 60_000 + count * 60, interval: 100 }
const testTimeout = patience.timeout + 60_000

test(
  'a consumer in another process hears of each event once and in order, whoever is killed meanwhile',
  async () => {
    const run = await startRun({})
    await run.killNow('producer')
    await run.killNow('consumer')
    await run.killNow('producer', 'consumer')
    await run.end()
    expect(await run.received()).toEqual(everythingOnce)
  },
  testTimeout,
)

/** The short form leaves to the test above what a broker changes nothing about. */
const victims = isLong ? 'it, the producer and the broker' : 'it and the producer'

test.skipIf(noBroker)(
  `over RabbitMQ a consumer hears of each event once and in order, while ${victims} are killed${noBroker ? ` (${noBroker})` : ''}`,
  async () => {
    const broker = await startBroker()
    onTestFinished(() => broker.stop())
    const run = await startRun(broker.env)
    if (isLong) {
      await run.killNow('producer')
      await run.during(broker)
      await run.killNow('consumer')
      await run.during(broker)
    }
    await run.killNow('producer', 'consumer')
    await run.end()
    expect(await run.received()).toEqual(everythingOnce)
  },
  testTimeout + 60_000,
)

const everythingOnce = { rows: count, numbers: count, outOfOrder: 0, waiting: 0 }

/** What the producer counted; another of the first, which only ask whether somebody listens, may still come at any time. */
const counted = `(select * from "TestReceived" where "Series" <> 'none') counted`

type Role = 'producer' | 'consumer'

async function startRun(settings: Readonly<Record<string, string>>) {
  const databases = await copyDatabases()
  onTestFinished(() => databases.drop())
  const hub = await connect(databases.env.ConnectionStrings__Hub)
  const pricing = await connect(databases.env.ConnectionStrings__Pricing)
  await hub.query(tables.Hub)
  await pricing.query(tables.Pricing)
  const env = {
    KEEL_ENVIRONMENT: 'Development',
    ...databases.env,
    Log__Level: 'warn',
    COUNT_TO: String(count),
    Events__PollMs: '500',
    ...settings,
  }
  const children = new Map<Role, ChildProcess>()
  let said = ''
  onTestFinished(async () => {
    await Promise.all([...children.values()].map(killed))
  })
  start('consumer')
  await untilListening()
  start('producer')
  return { killNow, during, end, received }

  function start(role: Role): void {
    const program = fileURLToPath(new URL(`../../dist/src/events/${role}.js`, import.meta.url))
    const child = spawn(process.execPath, [program], { env })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    children.set(role, child)
  }

  /** Who is told nothing about before they ask gets nothing: the consumer has to be known. */
  async function untilListening(): Promise<void> {
    if (settings.RabbitMQ__Connections__Default__HostName) {
      // Its queue is there when what is sent to it arrives.
      await expect
        .poll(
          async () => {
            await hub.query(`insert into "AbpEventOutbox" select gen_random_uuid(), '{}', 'Test.Number.Counted',
              convert_to('{"number":0,"series":"none"}', 'UTF8'), clock_timestamp() at time zone 'utc'`)
            return Number((await pricing.query('select count(*) from "TestReceived"')).rows[0].count)
          },
          { timeout: 30_000, interval: 300 },
        )
        .toBeGreaterThan(0)
    } else
      await expect
        .poll(async () => (await hub.query('select from "AppEventSubscriptions"')).rowCount, {
          timeout: 30_000,
        })
        .toBe(1)
  }

  /** Kills some after a part of the events has come, and starts them again. */
  async function killNow(...roles: readonly Role[]): Promise<void> {
    await progress()
    await Promise.all(roles.map((role) => killed(children.get(role))))
    for (const role of roles) start(role)
  }

  async function during(broker: Broker): Promise<void> {
    await progress()
    await broker.kill()
    await sleep(300)
    await broker.start()
  }

  /** Waits until some more events have come, or all. */
  async function progress(): Promise<void> {
    const before = await heard()
    const wanted = Math.min(before + Math.ceil(count / 10), count)
    await expect.poll(heard, patience).toBeGreaterThanOrEqual(wanted)
  }

  async function heard(): Promise<number> {
    return Number((await pricing.query(`select count(*) from ${counted}`)).rows[0].count)
  }

  async function waiting(): Promise<number> {
    const { rows } = await hub.query('select count(*) from "AbpEventOutbox"')
    const inbox = await pricing.query('select count(*) from "AbpEventInbox" where "Status" <> 2')
    return Number(rows[0].count) + Number(inbox.rows[0].count)
  }

  /** Until everything was sent and handled. */
  async function end(): Promise<void> {
    const sent = async () => Number((await hub.query('select count(*) from "TestSent"')).rows[0].count)
    await expect.poll(sent, patience).toBe(count)
    await expect.poll(waiting, patience).toBe(0)
    await expect.poll(heard, { ...patience, message: said.slice(-2000) }).toBeGreaterThanOrEqual(count)
    // Something that came twice would come about now.
    await sleep(1000)
  }

  async function received() {
    const { rows } = await pricing.query(`
      select count(*)::int as rows, count(distinct "Number")::int as numbers,
        count(*) filter (where "Number" < "Before")::int as "outOfOrder"
      from (select "Number", max("Number") over (partition by "Series" order by "Id" rows between unbounded preceding and 1 preceding) as "Before"
        from ${counted}) t`)
    return { ...rows[0], waiting: await waiting() }
  }
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

async function connect(connectionString: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  client.on('error', () => undefined)
  onTestFinished(() => client.end())
  return client
}
