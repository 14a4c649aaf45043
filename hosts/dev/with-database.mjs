// Runs a script of ours with the development databases: node hosts/dev/with-database.mjs [--check] <script> [arguments]
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runScript } from './launch.mjs'

await runScript(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv.slice(2))
