import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { sizeOf } from '../support/size.js'
import { copyDatabases } from '../support/spare-databases.js'
import { cratesTable } from './crates.js'

/** How many writers are killed, each at another moment of its batches. */
const kills = sizeOf(5, 100)
const batchSize = 2000
/** After its first batch; the next ones take less. */
const latestKillMs = 1500

test(
  'of many rows that a killed process was writing, all are there or none',
  async () => {
    const databases = await copyDatabases()
    onTestFinished(() => databases.drop())
    const client = new pg.Client({ connectionString: databases.env.ConnectionStrings__Hub })
    await client.connect()
    client.on('error', () => undefined)
    onTestFinished(() => client.end())
    // Batches give the same codes.
    await client.query(`${cratesTable}; drop index "IX_TestCrates_TenantId_Code"`)
    for (let kill = 0; kill < kills; kill += 1) await writeUntilKilled(databases.env)
    const { rows } = await client.query(`
      select n, changed, count(*)::int as batches from (
        select count(*)::int as n, count(*) filter (where "Quantity" = 2)::int as changed
        from "TestCrates" group by split_part("Note", '/', 1)) b group by n, changed`)
    expect(rows).toEqual([{ n: batchSize, changed: batchSize, batches: expect.any(Number) }])
  },
  60_000 + kills * 10_000,
)

async function writeUntilKilled(env: Readonly<Record<string, string>>): Promise<void> {
  const program = fileURLToPath(new URL('../../dist/src/data/many-rows-writer.js', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { KEEL_ENVIRONMENT: 'Development', ...env, Log__Level: 'warn', BATCH_SIZE: String(batchSize) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise<void>((written) =>
    child.stdout.on('data', (said) => String(said).includes('written') && written()),
  )
  await sleep(Math.random() * latestKillMs)
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
