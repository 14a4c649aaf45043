// Plain JavaScript, because in this repository it compiles the rest.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, compilerOf } from './build.mjs'

const asksForHelp = (words) => words.some((word) => word === '--help' || word === '-h')

/**
 * Starts everything that a solution consists of, until it is stopped.
 * @param {string} root the folder of the solution
 * @param {string[]} words the command line
 */
export async function start(root, words) {
  if (asksForHelp(words)) {
    process.stdout.write(`usage: npm start [-- --Section:Key=value …]

Compiles what changed, starts PostgreSQL (unless ConnectionStrings are configured), brings the databases up to date, seeds them, and starts the
auth server and the API host. Settings are passed on to every process, e.g. npm start -- --Log:Level=debug. Ctrl-C stops it.

  --watch   compiles what changes, and starts the hosts anew that use it; PostgreSQL and the others go on
`)
    process.exit(0)
  }
  const unknown = words.find((word) => word !== '--watch' && !/^--[^=]+:[^=]+=/.test(word))
  if (unknown !== undefined) {
    process.stderr.write(
      unknown.startsWith('-')
        ? `There is no option ${unknown}: settings are written --Section:Key=value. --help tells more.\n`
        : `There is no use for ${unknown}. --help tells more.\n`,
    )
    process.exit(2)
  }
  const parent = process.ppid
  const sources = await build(root, process.stdout)
  // npm was told to stop while the compiler ran; afterwards runPlatform looks after that.
  if (process.env.npm_lifecycle_event && process.ppid !== parent) process.exit(143)
  const { runPlatform } = await import('./dist/main.js')
  await runPlatform({ root, compiler: compilerOf(root), sources, words })
}

/**
 * Runs a script of a solution with its development databases.
 * @param {string} root the folder of the solution
 * @param {string[]} words the script, from the root, and its arguments. Behind `--check` the script is run twice, first without databases and with
 *   `KEEL_CHECK_CALL=true`: it then ends with 0 once it has read its arguments, and no database is started for a wrong call
 */
export async function runScript(root, words) {
  const isChecked = words[0] === '--check'
  const [script, ...args] = isChecked ? words.slice(1) : words
  // The output belongs to the script: progress goes to the other stream.
  await build(root, process.stderr)
  if (!script) {
    console.error('usage: <script> [arguments]')
    process.exit(2)
  }
  const run = (variables) => {
    const env = { ...process.env, ...variables }
    return spawnSync(process.execPath, [join(root, script), ...args], { stdio: 'inherit', env }).status ?? 1
  }
  const isHelp = asksForHelp(args)
  // Nothing is opened for help, nor for a wrong call.
  if (isHelp || (isChecked && args.length > 0))
    process.exitCode = run(isHelp ? {} : { KEEL_CHECK_CALL: 'true' })
  if (!isHelp && !process.exitCode) {
    const { runWithDatabase } = await import('./dist/with-database.js')
    process.exitCode = await runWithDatabase({ root, script: join(root, script), args })
  }
}
