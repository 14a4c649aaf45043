import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedPostgres, ensurePostgres } from '@keel/embedded-postgres'
import { ensureDatabases, parseConnectionString } from '@keel/framework/programs'
import pg from 'pg'
import {
  type Connections,
  configuredConnections,
  connectionVariables,
  missingConnections,
} from './connections.js'
import { databaseName, type Solution } from './solution.js'

export interface Databases {
  connections: Connections
  /** The embedded server, when something was not configured. */
  server?: EmbeddedPostgres
}

/** The configured databases, and embedded ones for what is not configured. */
export async function openDatabases(options: {
  solution: Solution
  directory: string
  env: NodeJS.ProcessEnv
  args: readonly string[]
  log: (message: string) => void
}): Promise<Databases> {
  const { solution } = options
  const configured = configuredConnections(solution.databases, options.env, options.args)
  const missing = missingConnections(solution.databases, configured)
  if (missing.length === 0) return { connections: configured }
  const server = await ensurePostgres({ directory: options.directory, log: options.log })
  await ensureDatabases(
    server,
    missing.map((name) => databaseName(solution, name)),
  )
  const embedded = Object.fromEntries(
    missing.map((name) => [name, server.urlOf(databaseName(solution, name))]),
  )
  return { connections: { ...embedded, ...configured }, server }
}

/**
 * Writes the addresses, with passwords, and the environment to a file that only its owner can read and a
 * shell can source: a host that is started with it is one of this platform.
 */
export function writeConnections(file: string, connections: Connections, environment: string): void {
  const variables = { ...connectionVariables(connections), KEEL_ENVIRONMENT: environment }
  const lines = Object.entries(variables).map(([key, value]) => `${key}='${value}'`)
  rmSync(file, { force: true }) // an old one could be readable by others
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** Where {@link writeConnections} puts the addresses. */
export function connectionsFile(directory: string): string {
  return join(directory, 'databases.env')
}

/** True when the Hub database holds a shipment. */
export async function hasShipments({ Hub, Default }: Connections): Promise<boolean> {
  return withClient(Hub ?? Default ?? '', 'Hub', async (client) => {
    const { rows } = await client.query<{ any: boolean }>('select exists (select from "HubShipments") as any')
    return rows[0]?.any === true
  })
}

/** What asks a database. */
export type DatabaseClient = Pick<pg.Client, 'query'>

/** Does `work` with a connection of its own. */
export async function withClient<T>(
  connection: string,
  name: string,
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(parseConnectionString(connection, `ConnectionStrings:${name}`))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Calls `onLost` when the server ends under us; the answer stops watching. */
export async function watchServer(
  server: EmbeddedPostgres,
  onLost: () => void,
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: server.urlOf('postgres') })
  let watching = true
  client.on('error', () => undefined)
  client.on('end', () => watching && onLost())
  await client.connect()
  return async () => {
    watching = false
    await client.end()
  }
}
