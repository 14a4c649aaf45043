// node standby.js <libraries|packages|program> <folders> <script> [arguments]: loads what is named, and runs the script when its parent sends the
// variables of the environment that are left to set.
import { delimiter } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StandbyKind } from './child.js'
import { loadStandby } from './standby-modules.js'

const [, , kind = '', folders = '', script = '', ...args] = process.argv
const preload = { kind: kind as StandbyKind, folders: folders.split(delimiter).filter(Boolean) }
const endWithParent = () => process.exit()
process.once('disconnect', endWithParent)
const begun = new Promise<NodeJS.ProcessEnv>((resolve) => {
  process.once('message', (env) => {
    process.off('disconnect', endWithParent)
    // In a later turn: Node still works with the channel when it has delivered a message.
    setImmediate(() => {
      process.disconnect()
      resolve(env as NodeJS.ProcessEnv)
    })
  })
})
// A module that can't be loaded is told by the script, which loads it again.
const scripts = await loadStandby(preload, script).catch(() => undefined)
if (process.connected) process.send?.('loaded')
Object.assign(process.env, await begun)
// The script sees the command line that it has without a standby.
process.argv.splice(1, Infinity, script, ...args)
if (await scripts?.refresh()) await scripts?.run()
else await import(pathToFileURL(script).href)
