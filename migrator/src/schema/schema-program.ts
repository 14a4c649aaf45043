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
import { endIfOnlyChecked } from '../checked-call.js'
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
  return runCommand(caller, async (words) => {
    const modules = await load()
    if (asksForHelp(words)) return async () => void process.stdout.write(usageOf(modules))
    return words[0] === 'add' ? add(words.slice(1), modules) : bringUpAll(words, modules)
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

function bringUpAll(names: readonly string[], modules: SchemaModules): CommandWork {
  for (const name of names) moduleNamed(modules, name)
  return async (configuration) => {
    for (const [name, module] of Object.entries(modules)) {
      if (names.length === 0 || names.includes(name)) await bringUp(module, modules, configuration)
    }
  }
}

function add(args: readonly string[], modules: SchemaModules): CommandWork {
  const options = { rename: { type: 'string', multiple: true } } as const
  const { positionals, values } = readArguments(
    { args: [...args], options, allowPositionals: true },
    usageOf(modules),
  )
  const [name, title, ...more] = positionals
  if (name === undefined || title === undefined || more.length)
    throw new InputError(`add takes a module and what changes\n\n${usageOf(modules)}`)
  const module = moduleNamed(modules, name)
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(title))
    throw new InputError(`"${title}" is no name for a script: say what it changes, like warehouse-capacity`)
  return async (configuration) => {
    const { addScript } = await import('./script-add.js')
    const application = createApplication(hostOf(modules), configuration)
    const script = await addScript(application, { module, title, renames: values.rename ?? [] })
    process.stdout.write(
      script
        ? `${script.text}\nWrote ${relative(process.cwd(), script.path)}. Read it, then run npm run schema -- ${name}.\n`
        : `The scripts of ${name} make what its entity classes declare: there is nothing to write.\n`,
    )
  }
}

/** True when a command line asks for help alone. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => word === '--help' || word === '-h')
}

/** The work that a command line asks for. */
export type CommandWork = (configuration: Configuration) => Promise<void>

/**
 * Does what the command line asks for and ends the process: with 0, or with the reason on stderr and 2 for a wrong call, else 1.
 * @param read answers the work of the words of the command line, without settings such as `--ConnectionStrings:Hub=…`. Throws for a wrong call, and
 *   opens nothing
 */
export async function runCommand(
  caller: string,
  read: (words: readonly string[]) => CommandWork | Promise<CommandWork>,
): Promise<never> {
  try {
    const work = await read(process.argv.slice(2).filter((word) => !/^--[^=]+:[^=]+=/.test(word)))
    endIfOnlyChecked()
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
