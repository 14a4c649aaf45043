import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Application, createApplication } from '../modularity/application.js'
import type { Constructor } from '../modularity/class.js'
import { Configuration } from '../modularity/configuration.js'
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
    throw new StartupError(`${host} is neither a file nor a package that can be found from ${directory}`, {
      cause,
    })
  }
}
