import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createDatabase, dropDatabase, ensureDatabases } from '@keel/framework/data'
import pg from 'pg'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, ensurePostgres } from './embedded-postgres.js'
import { nextFreePort } from './free-port.js'

// One server folder for the whole file: making one takes most of a second.
describe('the embedded PostgreSQL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keel-postgres-'))
  const serverDirectory = join(directory, 'server')
  let port: number

  beforeAll(async () => {
    port = await nextFreePort(55_000 + (process.pid % 5000))
    await compileForChildProcesses(directory)
  })
  afterAll(async () => {
    // A failed test has not let go of its server.
    rmSync(join(serverDirectory, 'postgres.users'), { recursive: true, force: true })
    await (await ensurePostgres({ directory: serverDirectory, port })).stop()
    rmSync(directory, { recursive: true, force: true })
  })

  test('is started once by three processes that ask for it at the same moment', async () => {
    const users = await Promise.all([1, 2, 3].map(() => startUser()))
    expect(users.map((user) => user.started).sort()).toEqual([false, false, true])
    expect(users.map((user) => user.port)).toEqual([port, port, port])

    const ends: boolean[] = []
    for (const user of users) ends.push(await user.stop())
    expect(ends).toEqual([false, false, true])
  })

  test('keeps committed rows when the server and the process that started it are killed', async () => {
    const user = await startUser()
    const before = await ensurePostgres({ directory: serverDirectory, port })
    await query(before, 'create table kept as select generate_series(1, 1000) as id')
    process.kill(postmaster(), 'SIGKILL')
    user.kill()

    const after = await ensurePostgres({ directory: serverDirectory, port })
    expect(after.started).toBe(true)
    expect(await query(after, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }])
    await before.stop()
    expect(await after.stop()).toBe(true)
  })

  test('starts although the number of the killed server belongs to another process now', async () => {
    writeFileSync(pidFile(), `${process.pid}\n${serverDirectory}/postgres\n0\n${port}\n`)
    const server = await ensurePostgres({ directory: serverDirectory, port })
    expect(server.started).toBe(true)
    await server.stop()
  })

  test('leaves a port to the program that has it and says so', async () => {
    const foreigner = createServer().listen(port, '127.0.0.1')
    await once(foreigner, 'listening')
    const said: string[] = []
    const server = await ensurePostgres({
      directory: serverDirectory,
      port,
      log: (message) => said.push(message),
    })
    foreigner.close()
    expect(server.port).toBeGreaterThan(port)
    expect(said).toContain(`uses port ${server.port}, because another program has ${port}`)
    await server.stop()
  })

  test('lets nobody in without the password, which only its owner can read', async () => {
    const server = await ensurePostgres({ directory: serverDirectory, port })
    const client = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      user: 'postgres',
      password: 'guess',
    })
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
    if (process.platform !== 'win32') {
      expect(statSync(join(serverDirectory, 'postgres.json')).mode & 0o777).toBe(0o600)
    }
    await server.stop()
  })

  test('gives itself a new password when the old one was lost', async () => {
    const before = await ensurePostgres({ directory: serverDirectory, port })
    rmSync(join(serverDirectory, 'postgres.json'))
    const after = await ensurePostgres({ directory: serverDirectory, port })
    expect(after.password).not.toBe(before.password)
    expect(await query(after, 'select 1 as one')).toEqual([{ one: 1 }])
    await before.stop()
    await after.stop()
  })

  test('creates databases once, copies them from a template and drops them in use', async () => {
    const server = await ensurePostgres({ directory: serverDirectory, port })
    await Promise.all([ensureDatabases(server, ['one', 'two']), ensureDatabases(server, ['one', 'two'])])
    await query(server, 'create table words as select 7 as seven', 'one')
    await createDatabase(server, 'copy', { template: 'one' })
    expect(await query(server, 'select seven from words', 'copy')).toEqual([{ seven: 7 }])

    const connected = new pg.Client({ connectionString: server.urlOf('copy') })
    await connected.connect()
    connected.on('error', () => undefined)
    const thrownOut = new Promise((resolve) => connected.once('end', resolve))
    await dropDatabase(server, 'copy')
    await thrownOut
    await dropDatabase(server, 'copy')
    const names = await query(
      server,
      "select datname from pg_database where datname in ('one', 'two', 'copy')",
    )
    expect(names).toHaveLength(2)
    await server.stop()
  })

  function pidFile() {
    return join(serverDirectory, 'postgres', 'postmaster.pid')
  }

  function postmaster() {
    return Number(readFileSync(pidFile(), 'utf8').split('\n')[0])
  }

  /** A process of its own that uses the server until told to stop. */
  async function startUser() {
    const child = spawn(process.execPath, [join(directory, 'user.mjs'), serverDirectory, String(port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const told = JSON.parse((await lines.next()).value) as { started: boolean; port: number }
    return {
      ...told,
      kill: () => child.kill('SIGKILL'),
      stop: async () => {
        child.stdin.end()
        return JSON.parse((await lines.next()).value) as boolean
      },
    }
  }
})

async function query(server: EmbeddedPostgres, sql: string, database = 'postgres'): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Node 20 reads no TypeScript. */
async function compileForChildProcesses(directory: string): Promise<void> {
  const nodeModules = resolve(import.meta.dirname, '../../../node_modules')
  if (!existsSync(join(directory, 'node_modules')))
    symlinkSync(nodeModules, join(directory, 'node_modules'), 'junction')
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: join(import.meta.dirname, 'embedded-postgres.ts'),
      outDir: directory,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'embedded-postgres.mjs' } },
    },
  })
  const user = `
    import { ensurePostgres } from './embedded-postgres.mjs'
    const [, , directory, port] = process.argv
    const server = await ensurePostgres({ directory, port: Number(port) })
    console.log(JSON.stringify({ started: server.started, port: server.port }))
    process.stdin.resume().on('end', async () => console.log(await server.stop()))`
  writeFileSync(join(directory, 'user.mjs'), user)
}
