import { runHost } from '@keel/framework'
import { AuthHost } from './auth-host.js'

await runHost(AuthHost, import.meta.url)
