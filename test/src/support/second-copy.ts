import { ApiHost } from '@keel/api-host'
import { Configuration, createApplication } from '@keel/framework'
import { HttpHost } from '@keel/framework/http'

/** The API host as a process of its own with exactly these settings: started by `copies.ts`, which says them and ends it. */
process.once('message', (settings: Record<string, string>) => void start(settings))
process.once('disconnect', () => process.exit())

async function start(settings: Record<string, string>): Promise<void> {
  const application = createApplication(
    ApiHost,
    new Configuration('Development').add(settings, 'the first copy'),
  )
  await application.start()
  process.once('message', () => void application.stop().then(() => process.disconnect()))
  process.send?.(application.get(HttpHost).address)
}
