import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ApiHost } from '@keel/api-host'
import type { Constructor, KeelModule } from '@keel/framework'
import { type ManualClock, startTestHost, type TestHost } from '@keel/framework/testing'
import { reachedAt } from './reached-at.js'
import { startRoundRobinProxy } from './round-robin-proxy.js'
import { templates, testServer } from './test-databases.js'

/** Whether every test host gets a second copy of itself, and the requests of its callers go to each in turn. */
export const hasCopies = process.env.KEEL_TEST_COPIES === '2'

/**
 * Copies of a host are of one build: that of the tests is not compiled, that of the process beside them is. So their stacks differ, and errors
 * tell none.
 */
export const sameBuild = { 'App:BuildDate': '2026-11-20 08:00:00', 'App:SendExceptionDetails': 'false' }

/** What a test of the details of errors gives its host: they are told by default, but not by copies. */
export const detailedErrors: Record<string, string> = hasCopies ? { 'App:SendExceptionDetails': 'true' } : {}

/** A running copy. */
interface Copy {
  readonly url: string
  close(): Promise<void>
}

/**
 * A host behind a proxy that sends every other request to a second copy: a process of its own, or for a host or a clock that only the test
 * knows, one beside it in this process. What a test takes from the container is the first copy's.
 */
export async function behindProxy(
  host: TestHost,
  root: Constructor<KeelModule>,
  settings: Readonly<Record<string, string>>,
  clock?: ManualClock,
): Promise<TestHost> {
  const isOnlyHere = root !== ApiHost || clock
  const copy = isOnlyHere
    ? await startBeside(host, root, settings, clock)
    : await startProcess(host, settings)
  const proxy = await startRoundRobinProxy([copy.url, host.url])
  return reachedAt(host, proxy.url, async () => {
    await proxy.close()
    await copy.close()
    await host.close()
  })
}

function startBeside(
  host: TestHost,
  root: Constructor<KeelModule>,
  settings: Readonly<Record<string, string>>,
  clock: ManualClock | undefined,
): Promise<Copy> {
  return startTestHost(root, {
    server: testServer,
    templates,
    beside: host,
    ...(clock && { clock }),
    settings: { 'Blobs:Folder': settingOf(host, 'Blobs:Folder'), ...settings },
  })
}

/** What every test host is given. */
const sharedKeys = [
  ...Object.keys(templates).map((connection) => `ConnectionStrings:${connection}`),
  'App:SelfUrl',
  'AuthServer:Authority',
  'AuthServer:RequireHttpsMetadata',
  'Blobs:Folder',
  'Database:MaxPoolSize',
  'Log:Level',
  'RateLimits:AnonymousPermitsPerMinute',
]

async function startProcess(host: TestHost, settings: Readonly<Record<string, string>>): Promise<Copy> {
  const shared = Object.fromEntries(
    sharedKeys.map((key) => [key, settingOf(host, key)]).filter(([, value]) => value !== ''),
  )
  const child = fork(fileURLToPath(new URL('../../dist/src/support/second-copy.js', import.meta.url)), {
    execArgv: [],
    env: { PATH: process.env.PATH },
  })
  const ended = once(child, 'exit')
  child.send({ ...shared, ...settings, PORT: '0' })
  const [url] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`The second copy ended with ${code}`)
    }),
  ])) as string[]
  return {
    url: url as string,
    async close() {
      child.send('stop')
      await ended
    },
  }
}

const settingOf = ({ application }: TestHost, key: string): string => application.configuration.get(key) ?? ''
