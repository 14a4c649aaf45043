import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextFreePort } from '@keel/embedded-postgres'
import { isOpen } from './open-port.js'

const program = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer'

/** Why tests with a pooler can't run here; undefined when they can. With `CI=true` a missing one is a failure. */
export const noPooler: string | undefined =
  existsSync(program) || process.env.CI === 'true'
    ? undefined
    : `there is no PgBouncer at ${program} (set PGBOUNCER_PATH)`

/** A PgBouncer in transaction mode before a PostgreSQL server. */
export interface Pooler {
  /** The address of a database, through the pooler. */
  through(databaseUrl: string): string
  stop(): void
}

/** How a pooler is started. */
export interface PoolerOptions {
  /** Connections to each database of the server, which all callers share; PgBouncer's own default when not given. */
  readonly poolSize?: number
}

/** Starts a PgBouncer before the server of a database address. */
export async function startPooler(
  databaseUrl: string,
  { poolSize = 20 }: PoolerOptions = {},
): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'keel-pooler-'))
  chmodSync(folder, 0o755)
  const listenPort = await nextFreePort(54_600)
  const settings = `
[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 2000
server_idle_timeout = 5
`
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, settings)
  const child = spawn(program, [file], { stdio: 'ignore', ...unprivileged() })
  await answering(listenPort, child)
  return {
    through: (url) => {
      const address = new URL(url)
      address.port = String(listenPort)
      address.hostname = '127.0.0.1'
      return address.href
    },
    stop: () => {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true })
    },
  }
}

/** PgBouncer refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody']))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
    if (await isOpen(port)) return
    await sleep(50)
  }
  throw new Error(`PgBouncer does not listen on ${port}`)
}
