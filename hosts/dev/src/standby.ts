// node standby.js <script> [arguments]: loads the framework, with the libraries that it uses, and runs the script when its parent sends a message.
import { pathToFileURL } from 'node:url'
import '@keel/framework'
import '@keel/framework/auditing'
import '@keel/framework/blobs'
import '@keel/framework/caching'
import '@keel/framework/data'
import '@keel/framework/events'
import '@keel/framework/http'
import '@keel/framework/jobs'
import '@keel/framework/mail'
import '@keel/framework/odata'
import '@keel/framework/security'
import '@keel/framework/telemetry'

const [, , script = '', ...args] = process.argv
const endWithParent = () => process.exit()
process.once('disconnect', endWithParent)
process.once('message', () => {
  process.off('disconnect', endWithParent)
  // In a later turn: Node still works with the channel when it has delivered a message.
  setImmediate(() => {
    process.disconnect()
    // The script sees the command line that it has without a standby.
    process.argv.splice(1, Infinity, script, ...args)
    void import(pathToFileURL(script).href)
  })
})
