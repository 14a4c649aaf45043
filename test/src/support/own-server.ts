import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import { programIn } from '@keel/framework'
import { ensureDatabases } from '@keel/framework/data'
import { expect, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A server that one test alone uses, with migrated databases. It ends with the test. */
export interface OwnServer {
  /** Its databases, as settings of a process. */
  readonly env: Readonly<Record<string, string>>
  /** Kills it like a machine that loses its power, and starts it again. */
  crash(): Promise<void>
}

export async function startOwnServer(): Promise<OwnServer> {
  const directory = mkdtempSync(join(tmpdir(), 'keel-own-server-'))
  // Below the ports that systems give to outgoing connections, lest one of these has it while the server is down.
  const port = await nextFreePort(24_400)
  const start = () => ensurePostgres({ directory, port })
  let server: EmbeddedPostgres = await start()
  onTestFinished(async () => {
    await server.stop('at-once')
    rmSync(directory, { recursive: true, force: true })
  })
  const names = ['Default', 'Hub', 'Pricing']
  await ensureDatabases(server, names)
  const env = Object.fromEntries(names.map((name) => [`ConnectionStrings__${name}`, server.urlOf(name)]))
  for (const program of ['hosts/schema', 'migrator'])
    await promisify(execFile)(process.execPath, [programIn(`${root}${program}`)], {
      env: { ...process.env, ...env, Log__Level: 'warn' },
    })
  return {
    env,
    async crash() {
      const [pid] = readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
      await sleep(300)
      server = await start()
      expect(server.port).toBe(port)
    },
  }
}
