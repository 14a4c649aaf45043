import { readFileSync } from 'node:fs'
import type { DatabaseServer } from '@keel/framework/data'
import pg from 'pg'
import { prepareSchemas, root, runToEnd, start } from './processes.js'

/** A statement that a host sent. */
export interface SentStatement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Databases with this many shipments, vacuumed and analyzed; answers how to reach them. */
export async function prepareShipments(
  server: DatabaseServer,
  shipments: number,
  tree = root,
): Promise<Record<string, string>> {
  const env = await prepareSchemas(server, tree)
  const client = new pg.Client({ connectionString: server.urlOf('bench_hub') })
  await client.connect()
  await removeCreated(client)
  const { rows } = await client.query<{ n: string }>('select count(*) as n from "HubShipments"')
  if (Number(rows[0]?.n) !== shipments) {
    process.stdout.write(`Loading ${shipments} shipments …\n`)
    await runToEnd('hosts/schema/dist/demo.js', ['--shipments', String(shipments), '--reset'], env, tree)
  }
  await client.query('vacuum analyze')
  await client.end()
  return env
}

/**
 * Deletes the shipments that the demo data does not have, with all that refers to them: those that benchmarks created, and those that Hub makes of
 * the accepted quotes of the demo data when a host runs for the first time. PostgreSQL does not look for references row by row meanwhile: the
 * indexes of several tables leave deleted rows out, so that it would read these tables whole each time.
 */
export async function removeCreated(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select conrelid::regclass::text as table, quote_ident(attname) as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = '"HubShipments"'::regclass`)
  await client.query(
    [
      'begin',
      'set local session_replication_role = replica',
      `create temporary table "Created" on commit drop as
        select "Id" from "HubShipments" where "ShipmentReference" !~ '^S[0-9]{8}$'`,
      ...rows.map(({ table, column }) => `delete from ${table} where ${column} in (table "Created")`),
      'delete from "HubShipments" where "Id" in (table "Created")',
      'commit',
    ].join(';\n'),
  )
}

/** Starts the host once to hear which statement each path sends when everything it may keep is warm. */
export async function recordStatements(
  env: Record<string, string>,
  port: number,
  headers: Record<string, string>,
  paths: readonly string[],
  file: string,
): Promise<ReadonlyMap<string, SentStatement>> {
  const host = await start('test/dist/bench/bench-host.js', { ...env, BENCH_STATEMENTS: file }, port)
  const found = new Map<string, SentStatement>()
  for (const path of paths) {
    await fetchBytes(port, path, headers)
    await fetchBytes(port, path, headers)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const last = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).at(-1)
    if (last) found.set(path, JSON.parse(last) as SentStatement)
  }
  host.kill('SIGTERM')
  await new Promise((resolve) => host.once('exit', resolve))
  return found
}

/** The body of an answer; anything but success stops the benchmark. */
export async function fetchBytes(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<Buffer> {
  const response = await fetch(`http://localhost:${port}${path}`, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${bytes}`)
  return bytes
}
