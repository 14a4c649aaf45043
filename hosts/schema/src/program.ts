import { type Configuration, hostDirectory, loadConfiguration, StartupError } from '@keel/framework'

/** The words of a command line without settings such as `--ConnectionStrings:Hub=…`. */
export function wordsOf(argv: readonly string[]): string[] {
  return argv.filter((word) => !/^--[^=]+:[^=]+=/.test(word))
}

/** True when a command line asks for help alone. */
export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => word === '--help' || word === '-h')
}

/** Does the work of a command and ends the process: with 0, or with 1 and the reason on stderr. */
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
    process.exit(1)
  }
  process.exit(0)
}
