import { runHost } from '@keel/framework'
import { ConsumerHost } from './numbers.js'

await runHost(ConsumerHost, import.meta.url)
