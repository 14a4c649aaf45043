import { Configuration, createApplication } from '@keel/framework'
import { runSeeders } from '@keel/framework/data'
import { OpenIdModule } from '@keel/openid'
import type { AuthHost } from './auth-host.js'

/** Runs the seeders over clients that are defined like this, as the migrator does. */
export async function seedClients(
  auth: Pick<AuthHost, 'host'>,
  ...definitions: readonly Record<string, unknown>[]
): Promise<void> {
  const configuration = new Configuration('Development').add(
    {
      ConnectionStrings: { Default: auth.host.databaseUrl('Default') },
      Log: { Level: 'fatal' },
      OpenIddict: { Applications: definitions },
    },
    'test',
  )
  const application = await createApplication(OpenIdModule, configuration).start()
  try {
    await runSeeders(application)
  } finally {
    await application.stop()
  }
}
