#!/usr/bin/env node
// keel-dev start, keel-dev run [--check] <script>: for the scripts of a solution's package.json.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runScript, start } from './launch.mjs'

const [, , command, ...words] = process.argv
const root = solutionAbove(process.cwd())
if (root === undefined) {
  process.stderr.write(`${process.cwd()} is in no solution: a package.json with "keel" is at its root\n`)
  process.exit(2)
}
if (command === 'start') await start(root, words)
else if (command === 'run') await runScript(root, words)
else {
  process.stderr.write(`usage: keel-dev start [--watch] [--Section:Key=value …]
       keel-dev run [--check] <script> [arguments]

start runs all of a solution: PostgreSQL, the migrator, the auth server and the API host. run runs one compiled script with the databases.

  --check   calls it first without databases and with KEEL_CHECK_CALL=true: programs of @keel/migrator then refuse a wrong call, or end
`)
  process.exit(command === '--help' || command === '-h' ? 0 : 2)
}

/** The nearest folder whose package.json has a member `keel`. */
function solutionAbove(folder) {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).keel) return folder
  return dirname(folder) === folder ? undefined : solutionAbove(dirname(folder))
}
