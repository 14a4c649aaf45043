import { runHost } from '@keel/framework'
import { ProducerHost } from './numbers.js'

await runHost(ProducerHost, import.meta.url)
