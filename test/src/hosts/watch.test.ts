import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cloneOfRepository, plainEnvironment } from '../support/repository-clone.js'

test('while the sources are watched a change is served by the hosts that use it, and a fault waits for its cure', {
  timeout: 300_000,
}, async () => {
  const clone = cloneOfRepository('watch')
  const platform = spawn('bash', ['-c', 'exec npm start -- --watch'], {
    cwd: clone,
    env: plainEnvironment,
    detached: true,
  })
  let said = ''
  for (const stream of [platform.stdout, platform.stderr]) stream.on('data', (text) => (said += text))
  onTestFinished(async () => {
    const ended = new Promise((resolve) => platform.once('exit', resolve))
    if (platform.exitCode === null && platform.pid) {
      process.kill(-platform.pid, 'SIGTERM')
      await ended
    }
    rmSync(clone, { recursive: true, force: true })
  })
  const says = (text: string | RegExp, timeout = 30_000) =>
    expect
      .poll(
        () => {
          if (platform.exitCode !== null) throw new Error(said)
          return said
        },
        { timeout, interval: 10 },
      )
      .toMatch(text)
  await says('Keel is running', 120_000)
  const api = /API +(http:\/\/localhost:\d+)/.exec(said)?.[1]
  const auth = () => processes(clone).find(({ name }) => name === 'auth')?.pid
  const before = auth()

  const file = join(clone, 'modules/hub/src/contracts/ports.ts')
  const source = readFileSync(file, 'utf8')
  // The longest name of a port that the document tells.
  const longest = async (): Promise<number | undefined> => {
    const response = await fetch(`${api}/swagger/v1/swagger.json`).catch(() => undefined)
    // biome-ignore lint/suspicious/noExplicitAny: one number of a large document
    const document: any = await response?.json().catch(() => undefined)
    return document?.components.schemas['Hub.PortDto'].properties.name.maxLength
  }
  expect(await longest()).toBe(100)
  const changed = source.replace(
    'name: z.string().trim().min(1).max(100)',
    'name: z.string().trim().min(1).max(77)',
  )
  expect(changed).not.toBe(source)
  const began = performance.now()
  writeFileSync(file, changed)
  await expect.poll(longest, { timeout: 15_000, interval: 20 }).toBe(77)
  console.info(`The change was served after ${Math.round(performance.now() - began)} ms.`)
  expect(auth()).toBe(before)

  writeFileSync(file, `${changed}\nconst = 1\n`)
  await says(/ports\.ts:\d+ .*expected/)
  expect(await longest()).toBe(77)

  writeFileSync(file, source)
  await expect.poll(longest, { timeout: 15_000, interval: 20 }).toBe(100)
})

function processes(clone: string): { name: string; pid: number }[] {
  return JSON.parse(readFileSync(join(clone, '.keel/processes.json'), 'utf8')).children
}
