import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { StandbyKind } from './child.js'

/** Loads what a standby of this kind holds. Rejects when a module of the framework or of the script can't be loaded. */
export async function loadStandby(kind: StandbyKind | string, script: string): Promise<void> {
  const url = pathToFileURL(script).href
  const preload = new URL('preload.js', url)
  if (kind === 'program' && existsSync(preload)) await import(preload.href)
  else if (kind === 'program') {
    const files = importsOf(url).map((name) => fileOf(name, url))
    await Promise.all(files.map((file) => import(file)))
  } else if (kind === 'framework') await import('./standby-framework.js')
  else for (const name of librariesOf(url)) await import(name).catch(() => undefined)
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

/** The modules that a compiled file imports, also those that it loads later. */
function importsOf(url: string): string[] {
  return namesIn(url, /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g)
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
