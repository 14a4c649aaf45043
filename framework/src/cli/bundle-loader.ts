// Copied into each bundle as load.js, so it imports nothing but Node. Files of a bundle are scripts and not modules, because Node 20 has a code cache for scripts alone.
import { closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
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
  const script = new Script(contentOf(filename).toString('latin1'), {
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
    return contentOf(`${filename}.cache`)
  } catch {
    return undefined // it was not written
  }
}

/**
 * A file in memory pages of its own, as V8 makes them for a buffer that may change its length; they go back to the system when it is collected. Of one
 * that malloc gave and took back, glibc learns that blocks of megabytes are usual: it takes them from its heap from then on, and keeps that.
 */
function contentOf(filename: string): Buffer {
  const file = openSync(filename, 'r')
  try {
    const length = fstatSync(file).size
    const content = Buffer.from(
      Reflect.construct(ArrayBuffer, [length, { maxByteLength: length }]) as ArrayBuffer,
    )
    for (let read = 0; read < length; ) {
      const count = readSync(file, content, read, length - read, read)
      if (count === 0) throw new Error(`${filename} became shorter while it was read.`)
      read += count
    }
    return content
  } finally {
    closeSync(file)
  }
}
