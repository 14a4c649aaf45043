// node standby.js <libraries|ahead|program> <avoided places> <script> [arguments]: loads what is named, and runs the script when its parent sends the
// variables of the environment that are left to set.
import { delimiter } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LoadedMessage, StandbyKind } from './child.js'
import { loadStandby } from './standby-modules.js'

const [, , kind = '', avoided = '', script = '', ...args] = process.argv
const preload = { kind: kind as StandbyKind, avoided: avoided.split(delimiter).filter(Boolean) }
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
const { scripts, ran } = await loadStandby(preload, script).catch(() => ({ scripts: undefined, ran: [] }))
if (process.connected) process.send?.({ ran } satisfies LoadedMessage)
Object.assign(process.env, await begun)
// The script sees the command line that it has without a standby.
process.argv.splice(1, Infinity, script, ...args)
if (await scripts?.refresh()) await scripts?.run()
else await import(pathToFileURL(script).href)
