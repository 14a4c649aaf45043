import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Application, createApplication } from '../modularity/application.js'
import type { Constructor } from '../modularity/class.js'
import { Configuration, loadConfiguration } from '../modularity/configuration.js'
import { withoutRunning } from '../modularity/host.js'
import { moduleListingOf } from '../modularity/loaded-module.js'
import type { KeelModule } from '../modularity/module.js'
import { StartupError } from '../modularity/startup-error.js'

/** Composes the host whose root module a package or a file exports, without starting it. */
export async function loadComposition(host: string, directory: string): Promise<Application> {
  return createApplication((await loadRoot(host, directory)).root, new Configuration())
}

/** The root module that a package or a file exports, and the file. */
export async function loadRoot(
  host: string,
  directory: string,
): Promise<{ root: Constructor<KeelModule>; file: string }> {
  const file = fileOf(host, directory)
  const { run, result } = await withoutRunning(() => import(pathToFileURL(file).href) as Promise<object>)
  return { root: run ?? rootOf(Object.values(result), host), file }
}

/** A host with the settings that it would start with. */
export interface HostToCompose {
  readonly root: Constructor<KeelModule>
  readonly configuration: Configuration
  /** The file that its databases are taken from: those of an `npm start`. */
  readonly databasesFile: string | undefined
}

/** The root module of a host with its configuration. Settings of the command line may follow in `argv`. */
export async function hostToCompose(
  host: string,
  directory: string,
  argv: readonly string[],
): Promise<HostToCompose> {
  const { root, file } = await loadRoot(host, directory)
  const running = runningDatabases(directory, argv)
  const env = { ...running?.env, ...process.env }
  const configuration = loadConfiguration({ directory: join(dirname(file), '..'), env, argv })
  return { root, configuration, databasesFile: running?.file }
}

/**
 * The databases of an `npm start` in this folder or one above, which the hosts get from it alone; undefined
 * where there are none, and where others are configured.
 */
function runningDatabases(
  directory: string,
  argv: readonly string[],
): { file: string; env: Record<string, string> } | undefined {
  const isConfigured = (key: string): boolean => /^(--)?connectionstrings(__|:)/i.test(key)
  if ([...Object.keys(process.env), ...argv].some(isConfigured)) return undefined
  const file = join(directory, '.keel', 'databases.env')
  if (!existsSync(file))
    return dirname(directory) === directory ? undefined : runningDatabases(dirname(directory), argv)
  const lines = readFileSync(file, 'utf8').matchAll(/^(\w+)='(.*)'$/gm)
  return { file, env: Object.fromEntries([...lines].map(([, key = '', value = '']) => [key, value])) }
}

/** The one module among the exported values that no other of them depends on. */
export function rootOf(exported: readonly unknown[], host: string): Constructor<KeelModule> {
  const modules = exported.filter(isModule)
  const roots = modules.filter(
    (module) => !modules.some((other) => moduleListingOf(other)?.dependsOn?.includes(module)),
  )
  const [root] = roots
  if (root && roots.length === 1) return root
  throw new StartupError(
    roots.length
      ? `${host} exports several root modules: ${roots.map(({ name }) => name).join(', ')}. Name a file that exports one.`
      : `${host} exports no module: name a file that exports a class with @Module({ … })`,
  )
}

function isModule(value: unknown): value is Constructor<KeelModule> {
  return typeof value === 'function' && moduleListingOf(value) !== undefined
}

function fileOf(host: string, directory: string): string {
  const file = resolve(directory, host)
  if (existsSync(file)) return file
  try {
    return createRequire(join(directory, 'package.json')).resolve(host)
  } catch (cause) {
    // Node.js tells the path of a package that is installed while the file that it exports is missing.
    const isInstalled = (cause as { path?: string }).path !== undefined
    throw new StartupError(
      isInstalled
        ? `${host} is not compiled: npm run build compiles it`
        : `${host} is neither a file nor a package that can be found from ${directory}`,
      { cause },
    )
  }
}
