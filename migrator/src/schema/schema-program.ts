import { relative } from 'node:path'
import {
  type Configuration,
  createApplication,
  hostDirectory,
  InputError,
  loadConfiguration,
  readArguments,
  StartupError,
} from '@keel/framework'
import type { SchemaModules } from './schema-modules.js'
import { bringUp, hostOf, moduleNamed } from './schema-run.js'

/** A program that brings up the databases of modules. */
export interface SchemaProgram {
  /** The modules; loaded first of all, because they are most of the program. */
  load(): Promise<SchemaModules>
  /** `import.meta.url` of the main file, in `dist/` of the package that holds `appsettings.json`. */
  readonly caller: string
}

/**
 * Does what the command line asks for, and ends the process: with 0, or with the reason on stderr and 2 for a wrong call, else 1. Without
 * words, or with names of modules: brings up their databases, of all when none is named. With `add <module> <what-changes>`: writes the next
 * script of a module.
 * @example
 * await runSchema({
 *   caller: import.meta.url,
 *   load: async () => schemaModulesOf((await import('@acme/api-host')).ApiHost),
 * })
 */
export async function runSchema({ load, caller }: SchemaProgram): Promise<never> {
  return runCommand(caller, async (configuration) => {
    const modules = await load()
    const words = wordsOf(process.argv.slice(2))
    if (asksForHelp(words)) process.stdout.write(usageOf(modules))
    else if (words[0] === 'add') await add(words.slice(1), modules, configuration)
    else await bringUpAll(words, modules, configuration)
  })
}

function usageOf(modules: SchemaModules): string {
  const known = Object.keys(modules)
  return `usage: npm run schema [-- <module> …] [--Section:Key=value …]
       npm run schema -- add <module> <what-changes> [--rename Table.Old=New]

Brings the databases of these modules up to their schema scripts, of all when none is named: ${known.join(', ')}.

add writes the next script of a module from what its entity classes declare and its scripts do not make yet. --rename names a column
(Table.Old=New) or a table (Old=New) that only gets another name, and keeps its values.

example: npm run schema -- ${known[0] ?? 'fleet'}
         npm run schema -- add ${known[0] ?? 'fleet'} warehouse-capacity
`
}

async function bringUpAll(
  names: readonly string[],
  modules: SchemaModules,
  configuration: Configuration,
): Promise<void> {
  for (const name of names) moduleNamed(modules, name)
  for (const [name, module] of Object.entries(modules)) {
    if (names.length === 0 || names.includes(name)) await bringUp(module, modules, configuration)
  }
}

async function add(args: string[], modules: SchemaModules, configuration: Configuration): Promise<void> {
  const options = { rename: { type: 'string', multiple: true } } as const
  const { positionals, values } = readArguments({ args, options, allowPositionals: true }, usageOf(modules))
  const [name, title, ...more] = positionals
  if (name === undefined || title === undefined || more.length)
    throw new InputError(`add takes a module and what changes\n\n${usageOf(modules)}`)
  const module = moduleNamed(modules, name)
  const { addScript } = await import('./script-add.js')
  const application = createApplication(hostOf(modules), configuration)
  const script = await addScript(application, { module, title, renames: values.rename ?? [] })
  process.stdout.write(
    script
      ? `${script.text}\nWrote ${relative(process.cwd(), script.path)}. Read it, then run npm run schema -- ${name}.\n`
      : `The scripts of ${name} make what its entity classes declare: there is nothing to write.\n`,
  )
}

/** The words of a command line without settings such as `--ConnectionStrings:Hub=…`. */
export function wordsOf(argv: readonly string[]): string[] {
  return argv.filter((word) => !/^--[^=]+:[^=]+=/.test(word))
}

/** True when a command line asks for help alone. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => word === '--help' || word === '-h')
}

/** Does the work of a command and ends the process: with 0, or with the reason on stderr and 2 for a wrong call, else 1. */
export async function runCommand(
  caller: string,
  work: (configuration: Configuration) => Promise<void>,
): Promise<never> {
  try {
    await work(loadConfiguration({ directory: hostDirectory(caller) }))
  } catch (error) {
    const reason =
      error instanceof StartupError
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error)
    process.stderr.write(`${reason}\n`)
    process.exit(error instanceof InputError ? 2 : 1)
  }
  process.exit(0)
}
