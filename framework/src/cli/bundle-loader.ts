// Copied into each bundle as load.js, so it imports nothing but Node. Files of a bundle are scripts and not modules, because Node 20 has a code cache for scripts alone.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, Script } from 'node:vm'

interface LoadedChunk {
  readonly script: Script
  readonly module: { exports: Record<string, unknown> }
}

const chunks = new Map<string, LoadedChunk>()
const libraryRequire = createRequire(import.meta.url)
/** Chunks are found here; packages that are not in the bundle, and Node's own modules, as from a file of the bundle's folder. */
const require = Object.assign(
  (name: string): unknown => (/^\.\/[^/]+\.cjs$/.test(name) ? load(name.slice(2)) : libraryRequire(name)),
  libraryRequire,
)

/**
 * Runs a chunk of this bundle, the first time, and answers what it exports.
 * @param name of its file
 */
export function load(name: string): Record<string, unknown> {
  const known = chunks.get(name)
  if (known) return known.module.exports
  const filename = join(import.meta.dirname, name)
  // It is written in ASCII: so V8 takes the bytes as they are, and each character takes one.
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    // V8 refuses what another version of it wrote, and compiles the text.
    cachedData: codeCacheOf(filename),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  chunks.set(name, { script, module })
  const run = script.runInThisContext() as (...parameters: unknown[]) => void
  try {
    run(module.exports, require, module, filename, import.meta.dirname, pathToFileURL(filename).href)
  } catch (error) {
    chunks.delete(name)
    throw error
  }
  return module.exports
}

/** Writes what V8 has compiled of the chunks that were loaded, functions included that have run. The next process reads it instead of compiling them. */
export function writeCodeCache(): void {
  for (const [name, { script }] of chunks) {
    const file = join(import.meta.dirname, `${name}.cache`)
    writeFileSync(`${file}.new`, script.createCachedData())
    renameSync(`${file}.new`, file)
  }
}

function codeCacheOf(filename: string): Buffer | undefined {
  try {
    return readFileSync(`${filename}.cache`)
  } catch {
    return undefined // it was not written
  }
}
