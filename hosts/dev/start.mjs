// Starts everything. Plain JavaScript, because it compiles the rest.
import { build } from './build.mjs'

const words = process.argv.slice(2)
if (words.some((word) => word === '--help' || word === '-h')) {
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
    `npm start knows no ${unknown}: settings are written --Section:Key=value. npm start -- --help tells more.\n`,
  )
  process.exit(2)
}
const parent = process.ppid
await build(process.stdout)
// npm was told to stop while the compiler ran; afterwards main.js looks after that.
if (process.env.npm_lifecycle_event && process.ppid !== parent) process.exit(143)
await import('./dist/main.js')
