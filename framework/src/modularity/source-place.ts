import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Constructor } from './module.js'

const files = new WeakMap<object, string>()

/** The file that calls the function which asks: where a decorator is written. Undefined when the stack does not tell. */
export function callingFile(): string | undefined {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 3
  const { stack = '' } = new Error('where')
  Error.stackTraceLimit = limit
  // The message, this function, the decorator, and who wrote the decorator.
  return /\(?((?:file:\/\/)?\/[^()]+?):\d+:\d+\)?$/.exec(stack.split('\n')[3] ?? '')?.[1]
}

/** Remembers where a class is written. */
export function rememberFile(target: object, file: string | undefined): void {
  if (file !== undefined) files.set(target, file)
}

/**
 * Where a class, or one of its methods, is written: `modules/hub/src/application/port-service.ts:42`, seen from the working directory. For
 * messages of faults alone: it reads the file. Undefined when that is not known.
 */
export function placeOf(service: Constructor, method?: string): string | undefined {
  const known = files.get(service)
  if (known === undefined) return undefined
  const compiled = known.startsWith('file:') ? fileURLToPath(known) : known
  const source = compiled.replace(/\/dist\/(.*)\.js$/, '/src/$1.ts')
  const file = existsSync(source) ? source : compiled
  if (!existsSync(file)) return undefined
  const line = lineOf(readFileSync(file, 'utf8').split('\n'), service.name, method)
  return `${relative(process.cwd(), file)}:${line}`
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
