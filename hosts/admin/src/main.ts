import { join } from 'node:path'
import { explainAndExit, hostDirectory, loadConfiguration } from '@keel/framework'
import { createAdminServer } from './admin-host.js'

const directory = hostDirectory(import.meta.url)
if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
  process.stdout.write(`usage: node ${process.argv[1]} [--Section:Key=value …]

Serves the admin UI until it is told to stop (SIGTERM, SIGINT). Settings, beside PORT (4002):
  AuthServer:Authority
  Admin:ClientId
  Admin:LogoUrl
  Admin:PrimaryColor
  Admin:Title
  App:ApiUrl
  App:SelfUrl
`)
  process.exit(0)
}
try {
  const configuration = loadConfiguration({ directory })
  const server = createAdminServer(configuration, join(directory, 'ui', 'dist'))
  server.once('error', (error) => explainAndExit('AdminHost', error))
  const stop = () => {
    server.close(() => process.exit(0))
    server.closeIdleConnections()
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  server.listen(Number(process.env.PORT ?? 4002))
} catch (error) {
  explainAndExit('AdminHost', error)
}
