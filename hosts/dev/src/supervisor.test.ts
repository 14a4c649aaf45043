import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { identityOf, isRunning, nextFreePort } from '@keel/embedded-postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AlreadyRunningError, ProcessRecord } from './process-record.js'
import { ChildFailedError, Supervisor } from './supervisor.js'
import { Terminal } from './terminal.js'

let directory: string
let shown: string[]
let failures: ChildFailedError[]
let record: ProcessRecord
let supervisor: Supervisor

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keel-dev-'))
  shown = []
  failures = []
  const output = new PassThrough().on('data', (text) => shown.push(String(text)))
  record = await ProcessRecord.claim(directory, () => undefined)
  supervisor = new Supervisor({
    directory,
    env: process.env,
    terminal: new Terminal(output),
    record,
    onFailure: (error) => failures.push(error),
  })
})

afterEach(async () => {
  await supervisor.stop()
  record.release()
  rmSync(directory, { recursive: true, force: true })
})

test('a host is ready when its address answers 200, shows its lines and ends in peace', async () => {
  const port = await nextFreePort(46_000)
  const script = write(
    'host.mjs',
    `import { createServer } from 'node:http'
     let asked = 0
     createServer((_, response) => { response.statusCode = ++asked > 2 ? 200 : 503; response.end() }).listen(${port})
     console.log('hello ' + process.env.GREETED)
     process.on('SIGTERM', () => { console.log('bye'); process.exit() })`,
  )
  await supervisor.start({ name: 'api', script, env: { GREETED: 'world' } }, `http://localhost:${port}`)
  expect(recordedChildren()).toMatchObject([{ name: 'api', script }])

  await supervisor.stop()
  expect(shown.join('')).toBe('api      │ hello world\napi      │ bye\n')
  expect(failures).toEqual([])
  expect(recordedChildren()).toEqual([])
})

test('a host that dies before it is ready fails with its last lines', async () => {
  const script = write('host.mjs', `console.log('no such setting'); process.exitCode = 3`)
  const start = supervisor.start({ name: 'api', script }, 'http://localhost:1')
  const error = (await start.catch((error) => error)) as ChildFailedError
  expect(error).toBeInstanceOf(ChildFailedError)
  expect(error.message).toBe('api ended with exit code 3')
  expect(error.child.lastLines).toEqual(['no such setting'])
  // The caller of `start` got the error already.
  expect(failures).toEqual([])
})

test.each([
  ['while the old one answers its last requests', 'server.close()'],
  ['once more when the old one still listened', ''],
])('a host is replaced %s', { timeout: 9000 }, async (_, onStop) => {
  const port = await nextFreePort(46_100)
  const script = write(
    'host.mjs',
    `import { createServer } from 'node:http'
     import { appendFileSync, readFileSync } from 'node:fs'
     const starts = ${JSON.stringify(join(directory, 'starts'))}
     const started = () => readFileSync(starts, 'utf8').length
     appendFileSync(starts, '.')
     const own = started()
     const server = createServer((_, response) => response.end(String(own)))
     server.on('error', () => { console.log('Port ${port} is in use.'); process.exitCode = 1 })
     server.listen(${port})
     process.on('SIGTERM', () => {
       ${onStop}
       if (own > 1) process.exit()
       setInterval(() => started() > own && setTimeout(() => process.exit(), 300), 20)
     })`,
  )
  const url = `http://localhost:${port}`
  await supervisor.start({ name: 'api', script }, url)
  await supervisor.restart('api')
  expect(await (await fetch(url)).text()).toBe(onStop ? '2' : '3')
  expect(failures).toEqual([])
})

test('a program that was prepared has loaded its modules, gets its variables at its start and shows its lines from then on', async () => {
  write('part.mjs', `console.log('loaded'); export const part = 1`)
  const script = write(
    'run.mjs',
    `import { part } from './part.mjs'
     console.log(JSON.stringify({ level: 'warn', time: 'x', msg: [part, process.env.GREETED, ...process.argv.slice(2)].join(' ') }))`,
  )
  const program = { name: 'schema', script, args: ['--a=b'] }
  supervisor.prepare(program, { kind: 'program' })
  supervisor.prepare(program, { kind: 'program' })
  expect(recordedChildren()).toHaveLength(1)
  const [{ pid }] = recordedChildren() as [{ pid: number }]
  await supervisor.run({ ...program, env: { GREETED: 'world' } })
  expect(shown).toEqual(['schema   │ warn  1 world --a=b\n'])
  expect(isRunning({ pid, startedAt: '' })).toBe(false)
  expect(recordedChildren()).toEqual([])
})

test('a program whose prepared process can not load what it imports fails with the reason', async () => {
  const script = write('run.mjs', `import './missing.mjs'`)
  supervisor.prepare({ name: 'api', script }, { kind: 'program' })
  const error = (await supervisor
    .start({ name: 'api', script }, 'http://localhost:1')
    .catch((e) => e)) as ChildFailedError
  expect(error).toBeInstanceOf(ChildFailedError)
  expect(error.child.lastLines.join('\n')).toContain('missing.mjs')
})

test('processes that have loaded what has changed are ended, and the one with libraries alone is begun', async () => {
  const script = write(
    'run.mjs',
    `import './part.mjs'; console.log(JSON.stringify({ level: 'warn', time: 'x', msg: 'ran' }))`,
  )
  write('part.mjs', '')
  const program = { name: 'schema', script }
  supervisor.prepare(program, { kind: 'libraries' })
  supervisor.prepare(program, { kind: 'program' })
  const [libraries] = recordedChildren() as [{ pid: number }]
  supervisor.discardStale([script])
  await expect.poll(recordedChildren).toEqual([libraries])
  const run = supervisor.run(program)
  expect(recordedChildren()).toEqual([libraries])
  await run
  expect(shown).toEqual(['schema   │ warn  ran\n'])
})

test('a process in which modules have run is kept for changes of others, and while it loads for changes of what it avoids', async () => {
  const script = write('run.mjs', '')
  const program = { name: 'schema', script }
  const framework = join(directory, 'framework')
  const avoided = join(directory, 'modules/hub')
  const child = supervisor.prepare(program, { kind: 'ahead', avoided: [avoided] })
  supervisor.discardStale([join(avoided, 'dist/ports.js')])
  expect(recordedChildren()).toHaveLength(1)
  await child?.loaded
  expect(child?.ran).toEqual([framework])
  supervisor.discardStale([join(directory, 'modules/pricing/dist/rates.js')])
  expect(recordedChildren()).toHaveLength(1)
  supervisor.discardStale([join(framework, 'dist/http/server/pipeline.js')])
  await expect.poll(recordedChildren).toEqual([])
  supervisor.prepare(program, { kind: 'ahead', avoided: [avoided] })
  supervisor.discardStale([join(directory, 'modules/pricing/dist/rates.js')])
  await expect.poll(recordedChildren).toEqual([])
})

test('a program that succeeds shows its warnings alone', async () => {
  const lines = ['info', 'warn'].map((level) => JSON.stringify({ level, time: 'x', msg: `a ${level}` }))
  await supervisor.run({
    name: 'schema',
    script: write('run.mjs', `console.log(${JSON.stringify(lines.join('\n'))})`),
  })
  expect(shown).toEqual(['schema   │ warn  a warn\n'])
})

test('a program that fails throws', async () => {
  const script = write('run.mjs', 'process.exitCode = 2')
  await expect(supervisor.run({ name: 'migrator', script })).rejects.toThrow(
    'migrator ended with exit code 2',
  )
})

test('the folder belongs to one living process', async () => {
  await expect(ProcessRecord.claim(directory, () => undefined)).rejects.toBeInstanceOf(AlreadyRunningError)
})

test('the children of a killed process are ended, a stranger that got the number of one is not', async () => {
  const script = write('host.mjs', 'setInterval(() => undefined, 1000)')
  const [orphan, stranger] = [spawn(process.execPath, [script]), spawn(process.execPath, [script])]
  const [orphanIdentity, strangerIdentity] = [identityOf(orphan.pid), identityOf(stranger.pid)]
  if (!orphanIdentity || !strangerIdentity) return expect.unreachable()
  const children = [
    { ...orphanIdentity, name: 'api', script },
    { ...strangerIdentity, startedAt: 'before', name: 'auth', script },
  ]
  const owner = { pid: 1, startedAt: 'before' }
  record.release()
  writeFileSync(
    join(directory, 'processes.json'),
    JSON.stringify({ owner, since: '', addresses: {}, children }),
  )

  const gone = once(orphan, 'exit')
  const ended: string[] = []
  record = await ProcessRecord.claim(directory, (name) => ended.push(name))
  await gone
  expect(ended).toEqual(['api'])
  expect(isRunning(strangerIdentity)).toBe(true)
  stranger.kill('SIGKILL')
})

function write(name: string, code: string): string {
  const file = join(directory, name)
  writeFileSync(file, code)
  return file
}

function recordedChildren(): unknown[] {
  return JSON.parse(readFileSync(join(directory, 'processes.json'), 'utf8')).children
}
