import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nextFreePort } from '@keel/embedded-postgres'
import { programIn } from '@keel/framework'
import pg from 'pg'
import { hasCopies } from './copies.js'
import { type RoundRobinProxy, startRoundRobinProxy } from './round-robin-proxy.js'
import { copyDatabases } from './spare-databases.js'
import { testServer } from './test-databases.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** API host and auth server as the processes they are in production, on databases of their own. */
export interface Platform {
  readonly apiUrl: string
  readonly authUrl: string
  /** Where the clients `admin` and `Core_App` may return to: nothing listens there until a test starts it. */
  readonly adminUrl: string
  /** The processes, by what they are. */
  readonly processIds: { readonly api: readonly number[]; readonly auth: number }
  /** Everything both processes printed so far. */
  readonly log: () => string
  /** Runs a statement in the database of a connection name, beside the hosts. Answers its rows. */
  execute(connection: string, statement: string): Promise<readonly object[]>
  close(): Promise<void>
}

/**
 * Starts both programs on free ports and waits until they are ready; the docs UI's client follows the API's address. Where hosts have copies
 * the API host is two processes behind a proxy.
 */
export async function startPlatform(settings: Record<string, string> = {}): Promise<Platform> {
  const databases = await copyDatabases()
  // Apart from each other, from what other test files take meanwhile, and below the ports that Linux gives to outgoing connections.
  const base = 20_000 + Math.floor(Math.random() * 12_000)
  const apiPort = await nextFreePort(base)
  const authPort = await nextFreePort(apiPort + 1)
  const apiUrl = `http://localhost:${apiPort}`
  const authUrl = `http://localhost:${authPort}`
  const adminPort = await nextFreePort(authPort + 10)
  const adminUrl = `http://localhost:${adminPort}`
  const database = databases.names.Default ?? ''
  await allowRedirectTo('Core_App', adminUrl, database)
  await allowRedirectTo('api', `${apiUrl}/swagger/oauth2-redirect.html`, database)
  await allowRedirectTo('admin', `${adminUrl}/authentication/login-callback`, database, `${adminUrl}/`)
  const env = {
    ...process.env,
    ...databases.env,
    AuthServer__Authority: authUrl,
    App__CorsOrigins: `${apiUrl},${adminUrl},http://localhost:4200`,
    KEEL_ENVIRONMENT: 'Development',
    RateLimits__AnonymousPermitsPerMinute: '0',
    ...settings,
  }
  let said = ''
  let proxy: RoundRobinProxy | undefined
  const apiPorts = hasCopies ? [await nextFreePort(authPort + 1)] : [apiPort]
  if (hasCopies) apiPorts.push(await nextFreePort((apiPorts[0] as number) + 1))
  const apiUrls = apiPorts.map((port) => `http://localhost:${port}`)
  const children = [
    start('hosts/auth', { ...env, PORT: String(authPort), App__SelfUrl: authUrl }),
    ...apiPorts.map((port) => start('hosts/api', { ...env, PORT: String(port), App__SelfUrl: apiUrl })),
  ]
  try {
    await Promise.all([authUrl, ...apiUrls].map(isReady))
    if (hasCopies) proxy = await startRoundRobinProxy(apiUrls, apiPort)
  } catch (error) {
    await close()
    throw error
  }
  const [auth = 0, ...api] = children.map(({ pid = 0 }) => pid)
  return { apiUrl, authUrl, adminUrl, processIds: { api, auth }, log: () => said, execute, close }

  async function execute(connection: string, statement: string): Promise<readonly object[]> {
    const database = databases.names[connection] ?? ''
    const client = new pg.Client({ connectionString: testServer.urlOf(database) })
    await client.connect()
    return (await client.query(statement).finally(() => client.end())).rows
  }

  function start(folder: string, childEnv: NodeJS.ProcessEnv): ChildProcess {
    const child = spawn(process.execPath, [programIn(root + folder)], { env: childEnv })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    return child
  }

  async function isReady(url: string): Promise<void> {
    for (const end = Date.now() + 90_000; Date.now() < end; ) {
      const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
      if (answer?.ok) return
      if (children.some(({ exitCode }) => exitCode !== null)) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${url} did not get ready:\n${said}`)
  }

  async function close(): Promise<void> {
    await proxy?.close()
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(
      children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))),
    )
    await databases.drop()
  }
}

/** Lets a client return to further addresses. */
async function allowRedirectTo(client: string, url: string, database: string, afterSignOut?: string) {
  const connection = new pg.Client({ connectionString: testServer.urlOf(database) })
  await connection.connect()
  const more = (column: string, place: string) =>
    `"${column}" = (coalesce("${column}", '[]')::jsonb || ${place}::jsonb)::text`
  await connection.query(
    `update "OpenIddictApplications" set ${more('RedirectUris', '$1')}, ${more('PostLogoutRedirectUris', '$2')} where "ClientId" = $3`,
    [JSON.stringify([url]), JSON.stringify(afterSignOut ? [afterSignOut] : []), client],
  )
  await connection.end()
}
