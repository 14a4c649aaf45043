import { type Configuration, hostDirectory, loadConfiguration } from '@keel/framework'
import { endIfOnlyChecked } from './checked-call.js'
import type { CommandCall, MigratorProgram } from './command.js'
import { type CommandLine, readCommandLine, usage } from './command-line.js'
import { exceptionText, masker, messagesOf } from './error-text.js'
import { exitCodeOf, isExplained } from './exit-codes.js'
import { Steps } from './steps.js'

/** Does what the command line asks for, and ends the process: with 0, or with the exit code of what went wrong and the reason on stderr. */
export async function runMigrator(program: MigratorProgram): Promise<never> {
  let mask = (text: string): string => text
  let call: CommandCall | undefined
  try {
    const line = readCommandLine(process.argv.slice(2))
    if (line.values.help) {
      process.stdout.write(usage())
      process.exit(0)
    }
    endIfOnlyChecked()
    const configuration = configurationOf(program, line)
    mask = masker(configuration)
    call = callOf(program, line, configuration, mask)
    const { command } = await line.entry.load()
    await command.run(call)
    if (call.json) call.steps.tell({ step: 'end', state: 'done', message: 'done', exitCode: 0 })
    process.exit(0)
  } catch (error) {
    const exitCode = exitCodeOf(error)
    const message = messagesOf(error)
    if (call?.json) call.steps.tell({ step: 'end', state: 'failed', message, exitCode })
    process.stderr.write(`${mask(isExplained(error) ? message : exceptionText(error))}\n`)
    process.exit(exitCode)
  }
}

function configurationOf({ caller }: MigratorProgram, { values }: CommandLine): Configuration {
  const configuration = loadConfiguration({ directory: hostDirectory(caller) })
  if (values['disable-redis']) configuration.add({ Redis: { IsEnabled: false } }, '--disable-redis')
  // Steps tell what happens; log lines would only come between them.
  if (configuration.get('Log:Level') === undefined)
    configuration.add({ Log: { Level: 'warn' } }, 'the migrator')
  return configuration
}

function callOf(
  program: MigratorProgram,
  { values, positionals }: CommandLine,
  configuration: Configuration,
  mask: (text: string) => string,
): CommandCall {
  const json = values.json === true || values['enable-api'] === true
  const { stdout, stderr } = process
  const steps = new Steps({ format: json ? 'json' : 'text', stdout, stderr, mask })
  const print = (text: string): void => {
    stdout.write(mask(text))
  }
  return { program, configuration, values, positionals, json, steps, print }
}
