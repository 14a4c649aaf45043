import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { originOf, type Place } from './bundled-places.js'
import type { Class } from './class.js'

/** Where classes are written, as V8 has it: it takes long to tell a line of a large file, which only messages of faults ask for. */
const places = new WeakMap<object, NodeJS.CallSite>()

/** The place that calls the function which asks: where a decorator is written. Undefined when the stack does not tell. */
export function callingPlace(): NodeJS.CallSite | undefined {
  const { stackTraceLimit, prepareStackTrace } = Error
  // The frames themselves: writing them as text takes longer than all else that a decorator does.
  Error.stackTraceLimit = 3
  Error.prepareStackTrace = (_error, sites) => sites
  const sites = new Error('where').stack as unknown as readonly NodeJS.CallSite[]
  Error.stackTraceLimit = stackTraceLimit
  Error.prepareStackTrace = prepareStackTrace
  // This function, the decorator, and who wrote the decorator.
  return sites[2]
}

/** Remembers where a class is written. */
export function rememberPlace(target: object, place: NodeJS.CallSite | undefined): void {
  if (place !== undefined) places.set(target, place)
}

/** Where a class is written; of a bundle's line that of the file it was made from. Undefined when not known. */
function knownPlaceOf(target: object): Place | undefined {
  const site = places.get(target)
  const file = site?.getFileName()
  return file ? originOf({ file, line: site?.getLineNumber() ?? 1 }) : undefined
}

/** True when a class has one of the framework's class decorators, which remember their file. */
export function isDecorated(target: object): boolean {
  return places.has(target)
}

/**
 * The file that runs, and the source that it was compiled from where that lies in `src` beside `dist`.
 * Undefined when not known.
 */
export function fileOf(target: object): string | undefined {
  const known = knownPlaceOf(target)
  return known && sourceOf(known.file)
}

/** The file that runs: what was compiled, where a class was. Undefined when not known. */
export function runningFileOf(target: object): string | undefined {
  const known = knownPlaceOf(target)
  return known && pathOf(known.file)
}

const pathOf = (known: string): string => (known.startsWith('file:') ? fileURLToPath(known) : known)

function sourceOf(known: string): string | undefined {
  const compiled = pathOf(known)
  const source = compiled.replace(/\/dist\/(.*)\.js$/, '/src/$1.ts')
  return [source, compiled].find((file) => existsSync(file))
}

/**
 * Where a line of a program that names something was written: that line of the source, which names it too,
 * else the line itself.
 */
export function placeOfCompiled(file: string, line: number, name: string): string {
  const source = sourceOf(file) ?? file
  if (!source.endsWith('.ts')) return `${relative(process.cwd(), source)}:${line}`
  const lines = readFileSync(source, 'utf8').split('\n')
  const used = lines.findIndex((text) => new RegExp(`\\b${name}\\b`).test(text) && !/^import\b/.test(text))
  return `${relative(process.cwd(), source)}:${used + 1}`
}

/**
 * Where a class, or one of its methods, is written: `modules/hub/src/application/port-service.ts:42`, seen
 * from the working directory. For messages of faults alone: it reads files. Undefined when that is not known.
 * @param module where to look for a class that no decorator of ours stands on: below the folder of this
 * module
 */
export function placeOf(type: Class, method?: string, module?: Class): string | undefined {
  const file = fileOf(type) ?? (module && declaringFile(type.name, module))
  return file && placeIn(file, type.name, method)
}

/** A line of {@link placeOf}, indented for the end of a message; empty when the place is not known. */
export function atPlaceOf(type: Class, method?: string, module?: Class): string {
  const place = placeOf(type, method, module)
  return place ? `\n  at ${place}` : ''
}

/** Where a class is written in a file. */
export function placeIn(file: string, className: string, method?: string): string {
  const line = lineOf(readFileSync(file, 'utf8').split('\n'), className, method)
  return `${relative(process.cwd(), file)}:${line}`
}

/** The program files below a folder, tests and declarations left out; none where there is no such folder. */
export function programFilesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d|\.test)\.(?:js|ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.slice(folder.length).includes('/node_modules/'))
}

/** The file below a module's folder that declares a class of this name. */
function declaringFile(className: string, module: Class): string | undefined {
  const known = fileOf(module)
  const declaration = new RegExp(`\\bclass ${className}\\b`)
  return (
    known && programFilesBelow(dirname(known)).find((file) => declaration.test(readFileSync(file, 'utf8')))
  )
}

/** The line of a method, else of its class, else the first. */
function lineOf(lines: readonly string[], className: string, method: string | undefined): number {
  const start = Math.max(
    lines.findIndex((line) => new RegExp(`\\bclass ${className}\\b`).test(line)),
    0,
  )
  if (method === undefined) return start + 1
  const within = lines
    .slice(start)
    .findIndex((line) => new RegExp(`^\\s+(@.* )?(async )?${method}\\(`).test(line))
  return start + Math.max(within, 0) + 1
}
