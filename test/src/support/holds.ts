import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import pg from 'pg'
import { expect } from 'vitest'

/** The application name of connections that hold locks: what ends other connections leaves them alone. */
export const holderName = 'keel test hold'
const patience = { timeout: 60_000, interval: 25 }

/** Locks of a transaction that make other connections wait. */
export interface Hold {
  /** Resolves when a connection waits for it; answers the port of the client of that connection. */
  isMet(): Promise<number | undefined>
  release(): Promise<void>
}

/** Makes whoever writes to a table wait. Readers go on. */
export const holdWrites = (connectionString: string, table: string): Promise<Hold> =>
  hold(connectionString, `lock table "${table}" in share mode`)

/** Makes whoever reads a table wait. */
export const holdReads = (connectionString: string, table: string): Promise<Hold> =>
  hold(connectionString, `lock table "${table}" in access exclusive mode`)

/** Runs a statement that takes locks, and keeps them. */
export async function hold(
  connectionString: string,
  statement: string,
  values: unknown[] = [],
): Promise<Hold> {
  const [holder, watcher] = await Promise.all([connect(connectionString), connect(connectionString)])
  await holder.query('begin')
  await holder.query(statement, values)
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  const waiting = async () =>
    watcher.query<{ port: number }>(
      'select client_port as port from pg_stat_activity where $1 = any(pg_blocking_pids(pid)) limit 1',
      [rows[0]?.pid],
    )
  return {
    async isMet() {
      await expect.poll(async () => (await waiting()).rowCount, patience).toBe(1)
      return (await waiting()).rows[0]?.port
    },
    async release() {
      // Their connections ended with a server that was killed.
      await holder.query('rollback').catch(() => undefined)
      await Promise.all([holder, watcher].map((client) => client.end().catch(() => undefined)))
    },
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: holderName })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Whether a process has a connection whose local port is this one. Linux alone. */
export function ownsPort(pid: number | undefined, port: number | undefined): boolean {
  if (!pid || !port) return false
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inodes = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, address]) => address?.endsWith(local))
      .map((columns) => `socket:[${columns[9]}]`),
  )
  return readdirSync(`/proc/${pid}/fd`).some((name) => {
    try {
      return inodes.includes(readlinkSync(`/proc/${pid}/fd/${name}`))
    } catch {
      return false
    }
  })
}
