import { ApiHost } from '@keel/api-host'
import type { ManualClock } from '@keel/framework/testing'
import { createMailFolder, type MailFolder } from '../account/mails.js'
import { type AuthHost, startAuthHost } from '../auth/auth-host.js'
import { type App, startApp } from './app.js'

/** The API host and the auth server on the same databases, and the folder that both write their mails to. */
export interface AppWithAuth {
  readonly app: App
  readonly auth: AuthHost
  readonly mails: MailFolder
  close(): Promise<void>
}

/** Starts both hosts with the same settings, by the system's clock or by one that the test sets. */
export async function startAppWithAuth(
  settings: Readonly<Record<string, string>> = {},
  clock?: ManualClock,
): Promise<AppWithAuth> {
  const mails = await createMailFolder()
  const shared = { 'Mail:Folder': mails.path, 'AuthServer:RequireHttpsMetadata': 'false', ...settings }
  const app = await startApp(ApiHost, shared, clock)
  const closeApp = async () => {
    await app.close()
    await mails.remove()
  }
  const options = { settings: shared, beside: app, ...(clock && { clock }) }
  const auth = await startAuthHost(options).catch(async (error: unknown) => {
    await closeApp()
    throw error
  })
  const close = async () => {
    await auth.close()
    await closeApp()
  }
  return { app, auth, mails, close }
}
