import { runHost } from '@keel/framework'
import { WorkModule } from './work.js'

await runHost(WorkModule, import.meta.url)
