import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Configuration,
  type Constructor,
  createApplication,
  type KeelModule,
  StartupError,
} from '@keel/framework'
import { schemaModules } from './modules.js'
import { asksForHelp, runCommand, wordsOf } from './program.js'
import { bringUp } from './schema-run.js'

const known = Object.keys(schemaModules)

const usage = `usage: npm run schema [-- <module> …] [--Section:Key=value …]
       npm run schema -- add <module> <what-changes> [--rename Table.Old=New]

Brings the databases of these modules up to their schema scripts, of all when none is named: ${known.join(', ')}.

add writes the next script of a module from what its entity classes declare and its scripts do not make yet. --rename names a column
(Table.Old=New) or a table (Old=New) that only gets another name, and keeps its values.

example: npm run schema -- hub
         npm run schema -- add hub warehouse-capacity
`

/**
 * `node dist/main.js [hub] [pricing]`: brings up the databases of these modules, of all when none is named.
 * `node dist/main.js add hub what-changes`: writes the next script of a module.
 */
await runCommand(import.meta.url, async (configuration) => {
  const words = wordsOf(process.argv.slice(2))
  if (asksForHelp(words)) process.stdout.write(usage)
  else if (words[0] === 'add') await add(words.slice(1), configuration)
  else await bringUpAll(words, configuration)
})

async function bringUpAll(names: readonly string[], configuration: Configuration): Promise<void> {
  for (const name of names) moduleNamed(name)
  for (const [name, module] of Object.entries(schemaModules)) {
    if (names.length === 0 || names.includes(name)) await bringUp(module, configuration)
  }
}

async function add(args: string[], configuration: Configuration): Promise<void> {
  const { positionals, values } = readArguments(args)
  const [name, title, ...more] = positionals
  if (name === undefined || title === undefined || more.length) throw new StartupError(usage)
  const module = moduleNamed(name)
  const { addScript } = await import('./script-add.js')
  const application = createApplication(module, configuration)
  const script = await addScript(application, { module, title, renames: values.rename ?? [] })
  process.stdout.write(
    script
      ? `${script.text}\nWrote ${relative(process.cwd(), script.path)}. Read it, then run npm run schema -- ${name}.\n`
      : `The scripts of ${name} make what its entity classes declare: there is nothing to write.\n`,
  )
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { rename: { type: 'string', multiple: true } },
      allowPositionals: true,
    })
  } catch (cause) {
    throw new StartupError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function moduleNamed(name: string): Constructor<KeelModule> {
  const module = schemaModules[name]
  if (module) return module
  throw new StartupError(`There is no schema of ${name}, only of ${known.join(' and ')}. --help tells more.`)
}
