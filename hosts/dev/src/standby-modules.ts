import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Preload } from './child.js'
import { isInOneOf, ModuleScripts } from './module-scripts.js'

/** What a standby has loaded. */
interface Loaded {
  /** The modules that are left to run, where each has a script; else the program runs from its modules. */
  readonly scripts?: ModuleScripts | undefined
  /** The compiled files, or folders of them, that have run. */
  readonly ran: readonly string[]
}

/** Loads what a standby holds. Rejects when a module of it can't be loaded. */
export async function loadStandby({ kind, avoided = [] }: Preload, script: string): Promise<Loaded> {
  const url = pathToFileURL(script).href
  const preload = new URL('preload.js', url)
  if (kind === 'program') {
    const files = existsSync(preload) ? [preload.href] : importsOf(script).map((name) => fileOf(name, url))
    await Promise.all(files.map((file) => import(file)))
    return { ran: [] }
  }
  for (const name of librariesOf(url)) await import(name).catch(() => undefined)
  const scripts = await ModuleScripts.load(process.cwd(), script)
  if (kind === 'libraries') return { scripts, ran: [] }
  if (scripts) return { scripts, ran: scripts.runAhead(avoided) }
  const framework = join(process.cwd(), 'framework')
  if (avoided.some((place) => isInOneOf(place, [framework]))) return { ran: [] }
  await import('./standby-framework.js')
  return { ran: [framework] }
}

/**
 * The modules from npm that a script loads when it starts, itself or through modules of this repository. `reflect-metadata` is the first:
 * libraries with decorators need it.
 * @param url of the compiled script
 */
export function librariesOf(url: string): string[] {
  const libraries = new Set(['reflect-metadata'])
  const files = new Set([url])
  // A set goes on to what is added to it meanwhile.
  for (const file of files)
    for (const name of importsAtLoad(file)) {
      if (name.startsWith('.')) files.add(new URL(name, file).href)
      else if (name.startsWith('@keel/')) files.add(import.meta.resolve(name))
      else if (!name.startsWith('node:')) libraries.add(name)
    }
  return [...libraries]
}

/** What an import of a compiled file leads to; packages are found from the file. */
function fileOf(name: string, url: string): string {
  if (name.startsWith('.')) return new URL(name, url).href
  return name.startsWith('node:') ? name : pathToFileURL(createRequire(url).resolve(name)).href
}

/** The modules that a compiled file imports, also those that it loads later; texts that look like an import are among them. */
export function importsOf(file: string): string[] {
  return namesIn(pathToFileURL(file).href, /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g)
}

/** The modules that a compiled file imports when it is loaded. */
function importsAtLoad(url: string): string[] {
  return namesIn(
    url,
    /^(?:import\s+(?:[^'"();=]*?\sfrom\s+)?|export\s+[^'"();=]*?\sfrom\s+)(['"])([^'"\n]+)\1/gm,
  )
}

function namesIn(url: string, pattern: RegExp): string[] {
  return [...readFileSync(fileURLToPath(url), 'utf8').matchAll(pattern)].map(([, , name = '']) => name)
}
