import { administrators, demoUsers, seededPassword } from '@keel/identity/seeded-users'
import type { Terminal } from './terminal.js'

export interface RunningPlatform {
  api: string
  auth: string
  /** Undefined when it could not be built. */
  admin?: string
  /** Where the databases are, for people. */
  databases: string
  isDevelopment: boolean
  /** The path of a call to show. */
  firstCall: string | undefined
  startedInMs: number
}

/** Where everything is, who can log in, and a first call to paste. */
export function summaryOf(platform: RunningPlatform, terminal: Terminal): string {
  const { api, auth, admin } = platform
  const row = (name: string, value: string) => `  ${name.padEnd(10)} ${value}`
  const rows = [
    ...(admin ? [row('Admin UI', admin)] : []),
    row('Docs UI', `${api}/swagger`),
    row('API', api),
    row('OpenAPI', `${api}/swagger/v1/swagger.json`),
    row('Health', `${api}/health-status, ${auth}/health/ready`),
    row('Auth', `${auth}/.well-known/openid-configuration`),
    row('Database', platform.databases),
  ]
  // The seeded passwords are for Development alone.
  if (platform.isDevelopment) {
    rows.push(...logins(row))
    if (platform.firstCall) rows.push('', ...firstCall(api, auth, platform.firstCall))
  }
  const title = terminal.bold(`Keel is running, ready after ${(platform.startedInMs / 1000).toFixed(1)} s.`)
  return ['', title, '', ...rows, '', '  Ctrl-C stops it.', ''].join('\n')
}

const [administrator] = administrators

function logins(row: (name: string, value: string) => string): string[] {
  const others = demoUsers.map(({ userName, role }) => `${userName} (${role.name})`)
  return [
    row('Login', `${administrator?.userName} / ${seededPassword}`),
    row('', `the same password for ${others.slice(0, 4).join(', ')},`),
    row('', others.slice(4).join(', ')),
  ]
}

function firstCall(api: string, auth: string, path: string): string[] {
  const readToken = `node -pe 'JSON.parse(fs.readFileSync(0)).access_token'`
  return [
    '  A first call, to paste into a shell:',
    '',
    `TOKEN=$(curl -s ${auth}/connect/token -d grant_type=password -d client_id=Core_App -d scope=Core \\`,
    `  -d username=${administrator?.userName} --data-urlencode 'password=${seededPassword}' | ${readToken})`,
    `curl -s "${api}${path}" -H "Authorization: Bearer $TOKEN"`,
  ]
}
