// Starts everything of this repository.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from './launch.mjs'

await start(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), process.argv.slice(2))
