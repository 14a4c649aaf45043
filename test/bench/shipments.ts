import { readFileSync } from 'node:fs'
import type { DatabaseServer } from '@keel/framework/data'
import pg from 'pg'
import { prepareSchemas, root, runToEnd, start } from './processes.js'

/** A statement that a host sent. */
export interface SentStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Of a statement that the connection plans once. */
  readonly name?: string
}

/** What a path makes the host send. */
export interface SentForPath {
  /** The last statement of the first request. */
  readonly first: SentStatement
  /** That of a request when everything that the host may keep is warm, rows of pages and plans included. */
  readonly warm: SentStatement
}

/** So often a path is asked: rows are kept from the second request on, and statements have a name when they are sent for the fourth time. */
const timesToWarm = 6

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

/** Starts the host once to hear which statements each path makes it send; paths that send none are left out. */
export async function recordStatements(
  env: Record<string, string>,
  port: number,
  headers: Record<string, string>,
  paths: readonly string[],
  file: string,
): Promise<ReadonlyMap<string, SentForPath>> {
  const host = await start('test/dist/bench/bench-host.js', { ...env, BENCH_STATEMENTS: file }, port)
  const found = new Map<string, SentForPath>()
  const lastSent = () => {
    const last = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).at(-1)
    return last === undefined ? undefined : (JSON.parse(last) as SentStatement)
  }
  for (const path of paths) {
    await fetchBytes(port, path, headers)
    const first = lastSent()
    for (let time = 1; time < timesToWarm; time += 1) await fetchBytes(port, path, headers)
    const warm = lastSent()
    if (first && warm) found.set(path, { first, warm })
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
