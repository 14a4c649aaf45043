// Runs a script of ours with the development databases: node hosts/dev/with-database.mjs <script> [arguments]
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, root } from './build.mjs'

const [, , script, ...args] = process.argv
const asksForHelp = args.some((word) => word === '--help' || word === '-h')
// The output belongs to the script: progress goes to the other stream.
await build(process.stderr)
if (!script) {
  console.error('usage: node hosts/dev/with-database.mjs <script> [arguments]')
  process.exit(2)
}
if (asksForHelp) {
  // Nothing is opened for that.
  process.exitCode =
    spawnSync(process.execPath, [join(root, script), ...args], { stdio: 'inherit' }).status ?? 1
} else {
  const { runWithDatabase } = await import('./dist/with-database.js')
  process.exitCode = await runWithDatabase({ root, script, args })
}
