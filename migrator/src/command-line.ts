import { InputError, nearestName, readArguments } from '@keel/framework'
import type { CommandCall } from './command.js'
import { type CommandEntry, commands, sharedOptions } from './commands.js'
import { exitCodes } from './exit-codes.js'

/** The parsed arguments of the migrator. */
export interface CommandLine {
  readonly entry: CommandEntry
  readonly values: CommandCall['values']
  /** The words behind the command's name. */
  readonly positionals: readonly string[]
}

/** How the migrator is called. */
export function usage(): string {
  const calls = Object.entries(commands).map(([name, { words, options = {}, help }]): [string, string] => [
    ['migrator', name === 'run' ? '' : name, words, ...Object.keys(options).map((option) => `[--${option}]`)]
      .filter(Boolean)
      .join(' '),
    help,
  ])
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `${code} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
  )
  const width = Math.max(...calls.map(([call]) => call.length))
  return `usage: npm run migrate [-- <command>], or node dist/main.js [<command>]

${calls.map(([call, help]) => `${call.padEnd(width)}  ${help}`).join('\n')}

--allow-destructive    let rows and columns be lost
--enable-api           serve GET /migration/status (port 4003 or PORT) and stay up
--json                 one JSON line per step on stdout
--disable-redis        run without the distributed cache
--Section:Key=value    a setting, e.g. --ConnectionStrings:Default=postgres://…
VALIDATE_MIGRATIONS_ONLY=true in the environment: check, never write

Ends with 0 when all is done, else with the number of the reason, which README.md explains: ${codes.join(', ')}
`
}

/** Reads the command line. Throws for a word or switch that nobody knows; settings (with a colon) are the configuration's business. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const words = argv.filter((word) => !/^--[^=]+:[^=]+=/.test(word))
  const place = words.findIndex((word) => !word.startsWith('-'))
  const name = place < 0 ? 'run' : (words[place] as string)
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) {
    const near = nearestName(name, Object.keys(commands))
    const hint = near ? `. Did you mean ${near}?` : ''
    throw new InputError(`There is no command ${name}${hint}\n\n${usage()}`)
  }
  const { values, positionals } = parse(entry, words.toSpliced(place, place < 0 ? 0 : 1))
  const wanted = entry.words ? entry.words.split(' ') : []
  if (positionals.length !== wanted.length && !values.help)
    throw new InputError(`${name} takes ${entry.words || 'no words'}\n\n${usage()}`)
  return { entry, values, positionals }
}

function parse({ options }: CommandEntry, args: string[]) {
  const config = { args, allowPositionals: true, options: { ...sharedOptions, ...options } }
  const { values, positionals } = readArguments(config, usage())
  return { values: values as CommandLine['values'] & { help: boolean }, positionals }
}
