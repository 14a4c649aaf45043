import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** True for a program that runs from its bundle. That writes the address of the original file for `import.meta.url`, and nothing for the other one. */
export const isBundled = import.meta.filename !== fileURLToPath(import.meta.url)

/** In the folder of a bundle: its {@link BundleRecord}. */
export const recordFile = 'bundle.json'

/** What `bundle/bundle.json` says of the bundle of a program (`keel bundle`). */
export interface BundleRecord {
  /** Last modification (ms) of each file of ours that went into it, by its path from the package's folder. */
  readonly inputs: Readonly<Record<string, number>>
  /** Last modification (ms) of the list of installed packages; 0 where there is none. */
  readonly libraries: number
  /** The files of the bundle, by their names. */
  readonly chunks: Readonly<Record<string, ChunkOrigins>>
}

/** From which files the lines of a chunk come. */
export interface ChunkOrigins {
  /** Paths from the folder of the bundle. */
  readonly files: readonly string[]
  /**
   * For each run of lines that follow each other in one file: the first line of the chunk, the index in
   * `files` (-1: not ours), and the line there. Ascending.
   */
  readonly runs: readonly (readonly [line: number, file: number, line: number])[]
}

/** A line of a file. */
export interface Place {
  readonly file: string
  readonly line: number
}

/** Records by the folder of the bundle; undefined for folders that are none. */
const records = new Map<string, BundleRecord | undefined>()

/**
 * The place that a line of a bundle was made from; the place itself where the file is none of a bundle's, or
 * the line comes from nowhere.
 * @param place its file as a path or a `file:` URL
 */
export function originOf(place: Place): Place {
  const path = place.file.startsWith('file:') ? fileURLToPath(place.file) : place.file
  const folder = dirname(path)
  if (!records.has(folder)) records.set(folder, folder.endsWith('bundle') ? readRecord(folder) : undefined)
  const chunk = records.get(folder)?.chunks[path.slice(folder.length + 1)]
  const run = chunk && runAt(chunk.runs, place.line)
  const file = run && chunk.files[run[1]]
  return run && file ? { file: resolve(folder, file), line: run[2] + place.line - run[0] } : place
}

/** The record of a bundle's folder; undefined where there is no bundle. */
export function readRecord(folder: string): BundleRecord | undefined {
  const file = join(folder, recordFile)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BundleRecord) : undefined
}

function runAt(runs: ChunkOrigins['runs'], line: number): ChunkOrigins['runs'][number] | undefined {
  let low = 0
  let high = runs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((runs[middle] as readonly [number, number, number])[0] <= line) low = middle + 1
    else high = middle
  }
  return runs[low - 1]
}

/** Lets stacks name the files that a bundle was made from, when a stack is asked for. */
export function traceOrigins(): void {
  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${describeSite(site)}`)].join('\n')
}

function describeSite(site: NodeJS.CallSite): string {
  const file = site.getFileName()
  const line = site.getLineNumber()
  const text = String(site)
  if (!file || !line) return text
  const origin = originOf({ file, line })
  return origin.file === file
    ? text
    : text.replace(`${file}:${line}:${site.getColumnNumber()}`, `${origin.file}:${origin.line}`)
}

/**
 * The file to start a program with: its bundle where one was made of the very files that are there now, else
 * `dist/main.js`.
 * @param folder of its package
 */
export function programIn(folder: string): string {
  return isFresh(folder) ? join(folder, 'bundle', 'main.js') : join(folder, 'dist', 'main.js')
}

/** True when a package has a bundle, and nothing that went into it has changed since. */
export function isFresh(folder: string): boolean {
  const record = readRecord(join(folder, 'bundle'))
  return (
    record !== undefined &&
    record.libraries === stampOfLibraries(folder) &&
    Object.entries(record.inputs).every(([file, stamp]) => stampOf(join(folder, file)) === stamp)
  )
}

/** When a file was changed last (ms); 0 where there is none. */
export function stampOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** When packages were installed last, for the nearest folder above that holds some. */
export function stampOfLibraries(folder: string): number {
  const list = stampOf(join(folder, 'node_modules', '.package-lock.json'))
  return list || dirname(folder) === folder ? list : stampOfLibraries(dirname(folder))
}
