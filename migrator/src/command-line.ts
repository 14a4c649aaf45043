import { parseArgs } from 'node:util'
import { StartupError } from '@keel/framework'

/** What the migrator was asked for. */
export interface Command {
  /** The name of a migration to write; undefined for a run. */
  readonly add: string | undefined
  readonly enableApi: boolean
  readonly disableRedis: boolean
  readonly help: boolean
}

export const usage = `migrator               bring the Default database up to date and seed it
migrator add NAME      write a migration for what changed in the model

--enable-api           serve GET /migration/status (port 4003 or PORT) and stay up
--disable-redis        run without the distributed cache
--Section:Key=value    a setting, e.g. --ConnectionStrings:Default=postgres://…
VALIDATE_MIGRATIONS_ONLY=true in the environment: check, never write
`

/** Reads the command line. Throws for a word or switch that nobody knows; settings (with a colon) are the configuration's business. */
export function readCommandLine(argv: readonly string[]): Command {
  const words = argv.filter((word) => !/^--[^=]+:[^=]+=/.test(word))
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        'enable-api': { type: 'boolean', default: false },
        'disable-redis': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    return {
      add: readPositionals(positionals),
      enableApi: values['enable-api'],
      disableRedis: values['disable-redis'],
      help: values.help,
    }
  } catch (cause) {
    throw new StartupError(`${(cause as Error).message}\n\n${usage}`, { cause })
  }
}

function readPositionals([command, name, ...more]: readonly string[]): string | undefined {
  if (command === undefined) return undefined
  if (command !== 'add') throw new StartupError(`There is no command ${command}`)
  if (name === undefined || more.length) throw new StartupError('add takes one name')
  return name
}
