// Starts everything. Plain JavaScript, because it compiles the rest.
import { build } from './build.mjs'

await build(process.stdout)
await import('./dist/main.js')
