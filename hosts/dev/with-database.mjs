// Runs a script of ours with the development databases: node hosts/dev/with-database.mjs <script> [arguments]
import { build, root } from './build.mjs'

// The output belongs to the script: progress goes to the other stream.
await build(process.stderr)
const { runWithDatabase } = await import('./dist/with-database.js')
const [, , script, ...args] = process.argv
if (!script) {
  console.error('usage: node hosts/dev/with-database.mjs <script> [arguments]')
  process.exit(2)
}
process.exitCode = await runWithDatabase({ root, script, args })
