import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { DatabaseServer } from '@keel/framework/data'
import { findBinaries, serverAccount } from './binaries.js'
import {
  type Cluster,
  checkVersion,
  createCluster,
  findRunningServer,
  newPassword,
  readRecord,
  setPassword,
  startServer,
  stopServer,
  writeRecord,
} from './cluster.js'
import { withDirectoryLock } from './directory-lock.js'
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js'

/** Which server to start or to join. */
export interface EmbeddedPostgresOptions {
  /**
   * Where data and password live; made when missing. One folder, one server: everybody who names it shares
   * it.
   */
  directory: string
  /** The port to start on, by default 54329; the next free one when somebody else has it. */
  port?: number
  /**
   * False for data that may be lost when the whole machine stops, e.g. of tests: writes then never wait for the
   * disk. Of no effect on a server that runs already. True when not given.
   */
  durable?: boolean
  /** Told what the server does: the rest of sentences that begin with `PostgreSQL`. */
  log?: (message: string) => void
}

/** A PostgreSQL server on 127.0.0.1 that runs for as long as somebody uses it. */
export interface EmbeddedPostgres extends DatabaseServer {
  readonly port: number
  /** Of the superuser `postgres`. */
  readonly password: string
  /** True when this call started the server; false when it was running. */
  readonly started: boolean
  /**
   * Lets go of it, and stops it when no other living process uses it: the answer is whether it did.
   * `'at-once'` skips the closing checkpoint; nothing committed is lost, the next start takes longer.
   */
  stop(how?: 'orderly' | 'at-once'): Promise<boolean>
}

/**
 * Starts the server of a folder, or joins it when it runs already. Safe to call from many processes at once
 * and after a crash of any of them; rows that were committed stay. Refused with what to do on systems where
 * it cannot run.
 *
 * @example const server = await ensurePostgres({ directory: '.keel' })
 */
export async function ensurePostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const directory = preparedDirectory(options.directory)
  const { started, cluster, letGo } = await exclusively(directory, async () => {
    const opened = await openCluster(directory, options)
    return { ...opened, letGo: registerUser(directory) }
  })
  const { port, password } = cluster.record
  return {
    port,
    password,
    started,
    urlOf: (database) => `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    stop: (how = 'orderly') =>
      exclusively(directory, async () => {
        letGo()
        if (hasUsers(directory)) return false
        return await stopServer(cluster, how === 'orderly' ? 'fast' : 'immediate')
      }),
  }
}

const defaultPort = 54329

async function openCluster(directory: string, options: EmbeddedPostgresOptions) {
  const log = options.log ?? (() => undefined)
  const { port = defaultPort, durable = true } = options
  const data = join(directory, 'postgres')
  const binaries = findBinaries()
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const created = await createCluster({ directory, data, binaries }, log)
    return { started: true, cluster: await startServer(created, { port, durable }, log) }
  }
  const known = readRecord(directory)
  const account = serverAccount(binaries, data)
  const cluster: Cluster = {
    directory,
    data,
    binaries,
    account,
    record: known ?? { port: 0, password: newPassword() },
  }
  const running = await findRunningServer(cluster)
  if (typeof running === 'number') {
    const joined = { ...cluster, record: { ...cluster.record, port: running } }
    writeRecord(joined)
    return { started: false, cluster: joined }
  }
  if (running === 'unknown-password') await stopServer(cluster, 'fast')
  await checkVersion(cluster)
  if (!known || running === 'unknown-password') await setPassword(cluster, log)
  return { started: true, cluster: await startServer(cluster, { port, durable }, log) }
}

function preparedDirectory(wanted: string): string {
  const directory = resolve(wanted)
  try {
    mkdirSync(join(directory, 'postgres.users'), { recursive: true })
    accessSync(directory, constants.W_OK)
    return realpathSync(directory)
  } catch (cause) {
    throw new Error(`${directory} cannot be written: remove it if another user made it`, { cause })
  }
}

function exclusively<T>(directory: string, work: () => Promise<T>): Promise<T> {
  return withDirectoryLock(join(directory, 'postgres.lock'), 150_000, work)
}

/** Notes that this process uses the server; the answer takes the note back. */
function registerUser(directory: string): () => void {
  const note = join(directory, 'postgres.users', `${process.pid}-${randomUUID()}.json`)
  writeFileSync(note, JSON.stringify(identityOf()))
  return () => rmSync(note, { force: true })
}

function hasUsers(directory: string): boolean {
  const notes = readdirSync(join(directory, 'postgres.users')).map((name) =>
    join(directory, 'postgres.users', name),
  )
  const dead = notes.filter((note) => !isLiving(note))
  for (const note of dead) rmSync(note, { force: true })
  return dead.length < notes.length
}

function isLiving(note: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(note, 'utf8')) as ProcessIdentity)
  } catch {
    return false // its writer was killed while writing it
  }
}
