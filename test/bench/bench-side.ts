import type { ChildProcess } from 'node:child_process'
import { ensurePostgres, nextFreePort } from '@keel/embedded-postgres'
import type { TokenIssuer } from '@keel/framework/testing'
import pg from 'pg'
import type { Called } from './frequent-requests.js'
import { root, start, trustIn } from './processes.js'
import { prepareShipments } from './shipments.js'

/** The bench's host of a checkout, on a PostgreSQL of its own that the checkout's own programs filled. */
export interface BenchSide extends Called {
  /** Of the embedded PostgreSQL. */
  readonly directory: string
  readonly host: ChildProcess
  /** Stops PostgreSQL; hosts end with {@link stopChildren}. */
  stop(): Promise<unknown>
}

/**
 * Starts a {@link BenchSide} that answers an administrator.
 * @param options.tree the checkout that the programs are of, with a slash at its end
 * @param options.nodeArgs see {@link start}
 */
export async function startBenchSide(
  issuer: TokenIssuer,
  options: {
    directory: string
    databasePort: number
    shipments: number
    tree?: string
    nodeArgs?: readonly string[]
  },
): Promise<BenchSide> {
  const { directory, databasePort, shipments, tree = root, nodeArgs = [] } = options
  const server = await ensurePostgres({ directory, port: databasePort })
  try {
    const env = await prepareShipments(server, shipments, tree)
    const ids = await query<{ Id: string }>(
      server.urlOf('bench_hub'),
      'select "Id" from "HubShipments" where "IsDeleted" = false order by md5("Id"::text) limit 2000',
    )
    const [admin] = await query<{ Id: string }>(
      server.urlOf('bench_default'),
      `select "Id" from "AbpUsers" where "UserName" = 'admin'`,
    )
    const port = await nextFreePort(databasePort - 50_000)
    const host = await start(
      'test/dist/bench/bench-host.js',
      { ...env, PORT: String(port), OData__MaxConcurrency: '100', ...trustIn(issuer.address) },
      port,
      nodeArgs,
      tree,
    )
    const token = await issuer.token({ subject: admin?.Id ?? '', expiresIn: 86_400 })
    return {
      directory,
      port,
      host,
      ids: ids.map(({ Id }) => Id),
      headers: { authorization: `Bearer ${token}` },
      stop: () => server.stop(),
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function query<R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}
