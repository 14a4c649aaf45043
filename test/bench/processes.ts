import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type DatabaseServer, ensureDatabases } from '@keel/framework/data'

/** This checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Every process that was started, to be stopped in the end. */
export const children: ChildProcess[] = []

/**
 * Starts a host and waits until it is ready. With arguments for Node it can be sent messages, too.
 * @param tree the checkout that the program is of, with a slash at its end
 */
export async function start(
  program: string,
  env: Record<string, string>,
  port: number,
  nodeArgs: readonly string[] = [],
  tree = root,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...nodeArgs, tree + program], {
    env: {
      KEEL_ENVIRONMENT: 'Development',
      ...process.env,
      RateLimits__AnonymousPermitsPerMinute: '0',
      ...env,
      Log__Requests: 'false',
    },
    stdio: ['ignore', 'ignore', 'inherit', ...(nodeArgs.length > 0 ? ['ipc' as const] : [])],
  })
  children.push(child)
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    const ready = await fetch(`http://localhost:${port}/health/ready`).catch(() => undefined)
    if (ready?.ok) return child
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Arguments for Node with which a process answers {@link memoryOf}. */
export const tellsMemory: readonly string[] = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(
    'process.on("message", () => { gc(); gc(); process.send(process.memoryUsage()) })',
  )}`,
]

/** The memory of a process, in bytes, after a collection: what it keeps, not what it has not tidied up yet. */
export async function memoryOf(child: ChildProcess): Promise<NodeJS.MemoryUsage> {
  const answer = once(child, 'message') as Promise<[NodeJS.MemoryUsage]>
  child.send('collect')
  const [memory] = await answer
  return memory
}

/** Runs a program to its end. See {@link start} for `tree`. */
export function runToEnd(
  program: string,
  programArgs: readonly string[],
  env: Record<string, string>,
  tree = root,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tree + program, ...programArgs], {
      env: { KEEL_ENVIRONMENT: 'Development', ...process.env, ...env, Log__Level: 'warn' },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))))
  })
}

/** The databases of benchmarks by connection name. */
export const databaseNames = { Default: 'bench_default', Hub: 'bench_hub', Pricing: 'bench_pricing' } as const

/** The addresses of the databases as environment variables. */
export function connectionsTo(urlOf: (database: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(databaseNames).map(([name, database]) => [`ConnectionStrings__${name}`, urlOf(database)]),
  )
}

/** Brings the databases up to the schemas and seeds of a checkout; answers {@link connectionsTo} them. */
export async function prepareSchemas(server: DatabaseServer, tree = root): Promise<Record<string, string>> {
  await ensureDatabases(server, Object.values(databaseNames))
  const env = connectionsTo((database) => server.urlOf(database))
  await runToEnd('hosts/schema/dist/main.js', [], env, tree)
  await runToEnd('migrator/dist/main.js', [], env, tree)
  return env
}

/** Ends the hosts that were started, also those that are paused, and waits for them. */
export async function stopChildren(): Promise<void> {
  await Promise.all(
    children
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map(async (child) => {
        const ended = once(child, 'exit')
        child.kill('SIGCONT')
        child.kill('SIGTERM')
        const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
        await ended
        clearTimeout(late)
      }),
  )
}

/** What a host needs besides to take the tokens of a test issuer. */
export function trustIn(authority: string): Record<string, string> {
  return {
    AuthServer__Authority: authority,
    AuthServer__RequireHttpsMetadata: 'false',
    KEEL_ENVIRONMENT: 'Production',
    App__DrainDelayMs: '0',
  }
}
