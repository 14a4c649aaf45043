import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nextFreePort } from '@keel/embedded-postgres'
import { afterEach, expect, test } from 'vitest'
import { makeDatabase, type Outcome, patientMs } from './migrator-program.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0).reverse()) await end()
})

async function deploy(args: readonly string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawn(process.execPath, [join(root, 'migrator/dist/deploy.js'), ...args], {
    env: { PATH: process.env.PATH, KEEL_ENVIRONMENT: 'Development', ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += String(text)))
  child.stderr.on('data', (text) => (output.stderr += String(text)))
  const [code] = (await once(child, 'close')) as (number | null)[]
  return { code: code ?? null, ...output }
}

/** A place that runs applications with settings, as deployments have one: `set-token`, `start`, `stop` and `delete-token` by name. */
function makePlatform(migratorEnv: Record<string, string>) {
  mkdirSync(join(root, 'test/.generated'), { recursive: true })
  const folder = mkdtempSync(join(root, 'test/.generated/platform-'))
  leftovers.push(() => rmSync(folder, { recursive: true }))
  const file = (name: string) => join(folder, name)
  writeFileSync(
    file('platform.mjs'),
    `import { spawn } from 'node:child_process'
import { appendFileSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
const [, , command] = process.argv
const file = (name) => new URL(name, import.meta.url).pathname
appendFileSync(file('calls'), command + '\\n')
if (command === 'set-token') {
  writeFileSync(file('token'), process.env.PIPELINE_AUTH_TOKEN)
  writeFileSync(file('seen'), process.env.PIPELINE_AUTH_TOKEN)
}
if (command === 'start') {
  const out = openSync(file('log'), 'a')
  const env = { KEEL_ENVIRONMENT: 'Development', ...JSON.parse(readFileSync(file('settings'))), PIPELINE_AUTH_TOKEN: readFileSync(file('token'), 'utf8') }
  const child = spawn(process.execPath, [${JSON.stringify(join(root, 'migrator/dist/main.js'))}, '--enable-api'], { env, detached: true, stdio: ['ignore', out, out] })
  writeFileSync(file('pid'), String(child.pid))
  child.unref()
}
if (command === 'stop') process.kill(Number(readFileSync(file('pid'))), 'SIGTERM')
if (command === 'delete-token') rmSync(file('token'))
`,
  )
  writeFileSync(file('settings'), JSON.stringify(migratorEnv))
  const call = (name: string) => `"${process.execPath}" "${file('platform.mjs')}" ${name}`
  return {
    args: ['set-token', 'start', 'stop', 'delete-token'].flatMap((name) => [`--${name}`, call(name)]),
    read: (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : undefined),
    isRunning: () => {
      try {
        process.kill(Number(readFileSync(file('pid'), 'utf8')), 0)
        return true
      } catch {
        return false
      }
    },
  }
}

test(
  'a pipeline sets a random token of 50 characters, starts, waits for Completed, stops, and deletes the token',
  async () => {
    const database = await makeDatabase('migrated')
    leftovers.push(() => database.drop())
    const PORT = String(await nextFreePort(55_100))
    const platform = makePlatform({ ...database.env, PORT })
    const url = `http://127.0.0.1:${PORT}/migration/status`
    const { code, stdout, stderr } = await deploy(
      [...platform.args, '--status-url', url, '--poll', '0.2'],
      {},
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/Completed\ndeploy {3}the migration is completed\n$/)
    expect(platform.read('calls')).toBe('set-token\nstart\nstop\ndelete-token\n')
    const token = platform.read('seen') ?? ''
    expect(token).toMatch(/^[A-Za-z0-9]{50}$/)
    expect(stdout + platform.read('log')).not.toContain(token)
    expect(platform.read('token')).toBeUndefined()
    await expect.poll(platform.isRunning, { timeout: 10_000 }).toBe(false)
  },
  patientMs,
)

test(
  'a pipeline aborts when the migration failed, with its exception, and stops and deletes all the same',
  async () => {
    const PORT = String(await nextFreePort(55_200))
    const nowhere = 'postgres://nobody:s3cr3t@127.0.0.1:1/none'
    const platform = makePlatform({ ConnectionStrings__Default: nowhere, PORT })
    const url = `http://127.0.0.1:${PORT}/migration/status`
    const { code, stdout, stderr } = await deploy(
      [...platform.args, '--status-url', url, '--poll', '0.2'],
      {},
    )
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^The migration failed: The Default database does not answer.*ECONNREFUSED/s,
      ),
    })
    expect(stdout + stderr + platform.read('log')).not.toContain('s3cr3t')
    expect(platform.read('calls')).toBe('set-token\nstart\nstop\ndelete-token\n')
    await expect.poll(platform.isRunning, { timeout: 10_000 }).toBe(false)
  },
  patientMs,
)

test(
  'without commands the migrator runs beside the script, and one that ends by itself is not waited for',
  async () => {
    const database = await makeDatabase('migrated')
    leftovers.push(() => database.drop())
    expect(await deploy(['--poll', '0.2'], database.env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the migration is completed'),
    })
    expect(await deploy(['--poll', '0.2'], { PORT: 'none' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The migrator ended by itself (3)'),
    })
    expect(await deploy(['--start', 'true'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--start needs --status-url/),
    })
  },
  patientMs,
)
