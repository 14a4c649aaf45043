import { loadConfig } from './config.js'
import { callbackPath, Session } from './session.js'
import { showStartFailure } from './start-failure.js'

/** The sign-in comes first and needs little code; React and the pages follow once somebody is signed in. */
async function main(): Promise<void> {
  const config = await loadConfig()
  const session = new Session(config)
  if (location.pathname === callbackPath) history.replaceState(null, '', await session.finishSignIn())
  else if (!(await session.isSignedIn())) return session.signIn()
  const { startApp } = await import('./app.js')
  await startApp(config, session)
}

main().catch(showStartFailure)
