import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ensurePostgres } from '@keel/embedded-postgres'
import { prepareSchemas } from './processes.js'

/** How long a run of the migrator takes that finds nothing to do, as a process, by the clock on the wall. */
const runs = 9
const aimMs = 2000
const root = fileURLToPath(new URL('../../../', import.meta.url))
const server = await ensurePostgres({ directory: `${root}.keel/bench`, port: 54349 })
const durations: number[] = []
try {
  const env = await prepareSchemas(server)
  for (let run = 0; run < runs; run += 1) durations.push(await migrate(env))
} finally {
  await server.stop()
}
durations.sort((a, b) => a - b)
const middle = durations[Math.floor(runs / 2)] ?? 0
console.table({
  'migrator, nothing to do': { 'p50 ms': middle, 'max ms': durations.at(-1), 'aim ms': aimMs },
})
process.exit(middle < aimMs ? 0 : 1)

async function migrate(env: Record<string, string>): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, [`${root}migrator/dist/main.js`], {
    env: { KEEL_ENVIRONMENT: 'Development', ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`the migrator ended with ${code}`)
  return Math.round(performance.now() - began)
}
