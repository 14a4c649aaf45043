import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextFreePort } from '@keel/embedded-postgres'
import { isOpen } from '../support/open-port.js'

const program = process.env.RABBITMQ_PATH ?? '/usr/lib/rabbitmq/bin/rabbitmq-server'

/** Why tests with a broker can't run here; undefined when they can. With `CI=true` a missing one is a failure. */
export const noBroker: string | undefined =
  existsSync(program) || process.env.CI === 'true'
    ? undefined
    : `there is no RabbitMQ at ${program} (set RABBITMQ_PATH)`

/** A RabbitMQ of its own. */
export interface Broker {
  /** Settings of a host that uses it. */
  readonly env: Readonly<Record<string, string>>
  /** kill -9, with everything that it has in memory. */
  kill(): Promise<void>
  /** Starts it again on what it had written. */
  start(): Promise<void>
  /** Ends it for good. */
  stop(): Promise<void>
}

/** Starts a RabbitMQ with its files in a temporary folder. */
export async function startBroker(): Promise<Broker> {
  const folder = mkdtempSync(join(tmpdir(), 'keel-broker-'))
  writeFileSync(join(folder, 'plugins'), '[].')
  const port = await nextFreePort(55_600)
  const distributionPort = await nextFreePort(port + 1)
  const epmdPort = await nextFreePort(distributionPort + 1)
  const { PATH = '' } = process.env
  const env = {
    PATH,
    HOME: folder,
    ERL_EPMD_PORT: String(epmdPort),
    RABBITMQ_NODENAME: `keel_${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_CONFIG_FILE: join(folder, 'none'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    // Erlang's schedulers wait for work by asking for it, which takes the processor from the hosts.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+sbwt none +sbwtdcpu none +sbwtdio none',
  }
  // Erlang would start one that outlives it.
  const names = spawn('epmd', ['-port', String(epmdPort), '-address', '127.0.0.1'], { stdio: 'ignore' })
  let server: ChildProcess | undefined
  await start()
  return {
    env: {
      RabbitMQ__Connections__Default__HostName: '127.0.0.1',
      RabbitMQ__Connections__Default__Port: String(port),
    },
    start,
    kill,
    async stop() {
      await kill()
      names.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }

  async function start(): Promise<void> {
    // A group of its own: the server is a child of the script.
    server = spawn(program, [], { env, detached: true, stdio: 'ignore' })
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if (server.exitCode !== null)
        throw new Error(`RabbitMQ ended with ${server.exitCode}: see ${folder}/log`)
      if (await isOpen(port)) return
      await sleep(100)
    }
    throw new Error(`RabbitMQ does not listen on ${port}: see ${folder}/log`)
  }

  async function kill(): Promise<void> {
    if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    process.kill(-server.pid, 'SIGKILL')
    await gone
  }
}
