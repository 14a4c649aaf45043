import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextFreePort } from '@keel/embedded-postgres'
import { isOpen } from './open-port.js'

const program = process.env.REDIS_PATH ?? '/usr/bin/redis-server'

/** Why tests with Redis can't run here; undefined when they can. With `CI=true` a missing one is a failure. */
export const noRedis: string | undefined =
  existsSync(program) || process.env.CI === 'true'
    ? undefined
    : `there is no Redis at ${program} (set REDIS_PATH)`

/** A Redis of its own, which keeps nothing on disk. */
export interface RedisServer {
  /** As `Redis:Configuration`. */
  readonly configuration: string
  start(): Promise<void>
  /** kill -9 */
  kill(): Promise<void>
  /** It answers nobody until it thaws. */
  freeze(): void
  thaw(): void
}

/** Starts a Redis that wants a password. */
export async function startRedis(): Promise<RedisServer> {
  const port = await nextFreePort(56_300)
  const password = 'a-secret-of-course'
  let server: ChildProcess | undefined
  await start()
  return {
    configuration: `127.0.0.1:${port},password=${password},abortConnect=false`,
    start,
    kill,
    freeze,
    thaw,
  }

  async function start(): Promise<void> {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', password]
    server = spawn(program, options, { stdio: 'ignore' })
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if (server.exitCode !== null) throw new Error(`Redis ended with ${server.exitCode}`)
      if (await isOpen(port)) return
      await sleep(50)
    }
    throw new Error(`Redis does not listen on ${port}`)
  }

  function freeze(): void {
    server?.kill('SIGSTOP')
  }

  function thaw(): void {
    server?.kill('SIGCONT')
  }

  async function kill(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }
}
