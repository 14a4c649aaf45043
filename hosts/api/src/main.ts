import { runHost } from '@keel/framework'
import { ApiHost } from './api-host.js'

await runHost(ApiHost, import.meta.url)
