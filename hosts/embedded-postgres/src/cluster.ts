import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type ServerAccount, serverAccount } from './binaries.js'
import { nextFreePort } from './free-port.js'
import { commandOf, identityOf } from './process-identity.js'

type Log = (message: string) => void

/**
 * The data of one embedded server, and what it takes to run it. Whoever calls these functions holds the
 * folder's lock.
 */
export interface Cluster {
  directory: string
  data: string
  binaries: string
  account: ServerAccount
  record: ServerRecord
}

/** Kept in `postgres.json`, readable by its owner alone. */
export interface ServerRecord {
  /** Where it was last started. */
  port: number
  /** Of the superuser `postgres`. */
  password: string
}

/** Command-line settings, so that a change reaches servers whose data is older. */
const settings = {
  listen_addresses: '127.0.0.1',
  max_connections: 200,
  shared_buffers: '256MB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '2GB',
  fsync: 'on',
  jit: 'off',
  // Disks do not turn any more: with the default of 4 a filtered list walks a foreign index for long.
  random_page_cost: 1.1,
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/** What PostgreSQL has acknowledged outlives the server's processes, but not the machine. */
const notDurable = { fsync: 'off', full_page_writes: 'off' }

/** Makes empty data. Under another name first: whatever has the final name is complete. */
export async function createCluster(
  place: Pick<Cluster, 'directory' | 'data' | 'binaries'>,
  log: Log,
): Promise<Cluster> {
  const draft = `${place.data}.new`
  for (const leftover of [draft, place.data])
    rmSync(leftover, { recursive: true, force: true, maxRetries: 10 })
  mkdirSync(draft, { mode: 0o700 })
  const account = serverAccount(place.binaries, draft)
  const cluster: Cluster = { ...place, account, record: { port: 0, password: newPassword() } }
  const passwordFile = join(place.directory, 'postgres.password')
  try {
    writeFileSync(passwordFile, cluster.record.password, { mode: 0o600 })
    if (account.uid !== undefined && account.gid !== undefined)
      chownSync(passwordFile, account.uid, account.gid)
    // For the server's own databases. Ours sort as people do: they say so when they are created
    // (databases.ts).
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const security = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
    // Thousands of rounds make guessing dear. Nobody guesses a random password, and each connection pays for them.
    const rounds = ['-c', 'scram_iterations=1']
    const made = await run(cluster, 'initdb', ['-D', draft, ...locale, ...security, ...rounds, '--no-sync'])
    if (made.code !== 0) throw new Error(`PostgreSQL could not create its data in ${draft}: ${made.output}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
  writeRecord(cluster)
  renameSync(draft, place.data)
  log(`created its data in ${place.data}`)
  return cluster
}

/**
 * The port of our server when it runs: its pid file names a living PostgreSQL in our data, and our password
 * opens it. Waits for one that is recovering from a crash or shutting down.
 */
export async function findRunningServer(cluster: Cluster): Promise<number | 'unknown-password' | undefined> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const { pid, port } = readPidFile(cluster)
    if (!isPostmaster(pid, cluster)) {
      // Left by a killed server. PostgreSQL would not start if that number now belongs to another process of
      // the account.
      rmSync(join(cluster.data, 'postmaster.pid'), { force: true })
      return undefined
    }
    const answer = port ? await knock(cluster, port) : 'not-ready'
    if (answer === 'ours') return port
    if (answer !== 'not-ready') return answer === 'unknown-password' ? answer : undefined
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL (process ${pid}) does not answer: ${tail(cluster)}`)
    await sleep(50)
  }
}

/** Starts the server on the wanted port, or on the next free one if another program listens there. */
export async function startServer(
  cluster: Cluster,
  { port: wanted, durable }: { port: number; durable: boolean },
  log: Log,
): Promise<Cluster> {
  const logFile = serverLog(cluster)
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > 5_000_000) truncateSync(logFile)
  const giveUp = Date.now() + 20_000
  for (;;) {
    const port = await nextFreePort(wanted, '127.0.0.1')
    if (port !== wanted) log(`uses port ${port}, because another program has ${wanted}`)
    const seen = readLines(logFile).length
    const options = Object.entries({ ...settings, ...(!durable && notDurable), port }).map(
      ([key, value]) => `-c ${key}=${value}`,
    )
    // A socket file would need a folder and a lock of its own.
    if (process.platform !== 'win32') options.push("-c unix_socket_directories=''")
    const start = ['-D', cluster.data, '-w', '-t', '120', '-l', logFile, '-o', options.join(' '), 'start']
    const { code, output } = await run(cluster, 'pg_ctl', start)
    if (code === 0) {
      log(`started on 127.0.0.1:${port}`)
      const started = { ...cluster, record: { ...cluster.record, port } }
      writeRecord(started)
      return started
    }
    const reason = readLines(logFile).slice(seen).join('\n') || output
    // The last processes of a killed server may live on for a moment, and a port may be taken since we
    // looked.
    const mayPass = /shared memory block|lock file|could not bind|could not create any TCP/.test(reason)
    if (!mayPass || Date.now() > giveUp)
      throw new Error(`PostgreSQL did not start in ${cluster.data}:\n${reason}`)
    await sleep(200)
  }
}

/** Stops the server if it runs; the answer is whether it did. */
export async function stopServer(cluster: Cluster, mode: 'fast' | 'immediate'): Promise<boolean> {
  if (!isPostmaster(readPidFile(cluster).pid, cluster)) return false
  const stop = ['-D', cluster.data, '-m', mode, '-w', '-t', '60', 'stop']
  const { code, output } = await run(cluster, 'pg_ctl', stop)
  if (code !== 0) throw new Error(`PostgreSQL did not stop in ${cluster.data}: ${output}`)
  return true
}

/** Refuses data that another major version of PostgreSQL made. */
export async function checkVersion(cluster: Cluster): Promise<void> {
  const made = readLines(join(cluster.data, 'PG_VERSION'))[0] ?? ''
  const { output } = await run(cluster, 'postgres', ['--version'])
  const installed = /\d+/.exec(output)?.[0]
  if (made === installed) return
  throw new Error(
    `${cluster.data} was made by PostgreSQL ${made}, installed is ${installed}: ` +
      'remove that folder to begin with empty databases, or install the earlier packages to keep it',
  )
}

/** For data whose `postgres.json` was lost: the single-user mode needs no password. */
export async function setPassword(cluster: Cluster, log: Log): Promise<void> {
  const statement = `alter role postgres password '${cluster.record.password}'\n`
  const single = ['--single', '-D', cluster.data, 'postgres']
  const { code, output } = await run(cluster, 'postgres', single, statement)
  if (code !== 0) throw new Error(`PostgreSQL could not set a new password in ${cluster.data}: ${output}`)
  writeRecord(cluster)
  log('got a new password, because the old one was lost')
}

export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Reads `postgres.json`; undefined when it is missing or damaged. */
export function readRecord(directory: string): ServerRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(directory, 'postgres.json'), 'utf8')) as Partial<ServerRecord>
    return record.password ? { port: Number(record.port), password: record.password } : undefined
  } catch {
    return undefined
  }
}

export function writeRecord({ directory, data, record }: Cluster): void {
  const file = join(directory, 'postgres.json')
  rmSync(`${file}.new`, { force: true }) // an old one could be readable by others
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...record, data }, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function readPidFile(cluster: Cluster): { pid: number; port: number } {
  const lines = readLines(join(cluster.data, 'postmaster.pid'))
  return { pid: Number(lines[0]), port: Number(lines[3]) }
}

/** True when that process is the server of our data: the system reuses the number of a process that ended. */
function isPostmaster(pid: number, cluster: Cluster): boolean {
  if (!identityOf(pid)) return false
  if (process.platform === 'win32') return true
  if (!commandOf(pid).includes('postgres')) return false
  if (process.platform !== 'linux') return commandOf(pid).includes(cluster.data)
  const [theirs, ours] = [statSync(`/proc/${pid}/cwd`, { throwIfNoEntry: false }), statSync(cluster.data)]
  return theirs?.dev === ours.dev && theirs.ino === ours.ino
}

async function knock(
  cluster: Cluster,
  port: number,
): Promise<'ours' | 'unknown-password' | 'another-server' | 'not-ready'> {
  const { password } = cluster.record
  const address = { host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres', ssl: false }
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    const served = rows[0]?.data_directory ?? ''
    return realpathSync(served) === realpathSync(cluster.data) ? 'ours' : 'another-server'
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ECONNREFUSED' && process.platform === 'win32') return 'another-server'
    return code === '28P01' ? 'unknown-password' : 'not-ready'
  } finally {
    await client.end().catch(() => undefined)
  }
}

function serverLog(cluster: Cluster): string {
  return join(cluster.data, 'server.log')
}

function tail(cluster: Cluster): string {
  return readLines(serverLog(cluster)).slice(-10).join('\n')
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}

function run(
  { account, binaries }: Cluster,
  program: string,
  args: string[],
  input = '',
): Promise<{ code: number; output: string }> {
  const file = join(binaries, process.platform === 'win32' ? `${program}.exe` : program)
  const [command = file, ...rest] = [...account.prefix, file, ...args]
  return new Promise((resolve, reject) => {
    // Detached: a Ctrl-C in our terminal is not meant for the server. In `/`, because it may not enter our
    // folder.
    const child = spawn(command, rest, {
      uid: account.uid,
      gid: account.gid,
      cwd: '/',
      detached: true,
      windowsHide: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    const answer = (code: number | null) => resolve({ code: code ?? 1, output: output.trim() })
    child.once('error', reject)
    child.once('close', answer)
    // On Windows the server inherits our pipes and keeps them open.
    child.once('exit', (code) => setTimeout(answer, 250, code).unref())
    child.stdin.on('error', () => undefined).end(input)
  })
}
