import pg from 'pg'

/** A PostgreSQL server on which this process may create databases. */
export interface DatabaseServer {
  /** The address, with user and password, of one of its databases. */
  urlOf(database: string): string
}

/** Creates those of the databases that do not exist yet; others may do the same at the same time. */
export async function ensureDatabases(server: DatabaseServer, names: readonly string[]): Promise<void> {
  await administer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    for (const name of names) {
      if (rows.some((row) => row.datname === name)) continue
      await client.query(`create database ${pg.escapeIdentifier(name)}`).catch(ignoreDuplicate)
    }
  })
}

/** Creates a database, as a copy of `template` when one is given (nobody may be connected to that). Refuses an existing one. */
export async function createDatabase(
  server: DatabaseServer,
  name: string,
  options: { template?: string } = {},
): Promise<void> {
  const template = options.template ? ` template ${pg.escapeIdentifier(options.template)}` : ''
  await administer(server, (client) =>
    client.query(`create database ${pg.escapeIdentifier(name)}${template}`),
  )
}

/** Drops a database and throws out whoever is connected to it; one that does not exist is fine. */
export async function dropDatabase(server: DatabaseServer, name: string): Promise<void> {
  await administer(server, (client) =>
    client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
  )
}

async function administer(
  server: DatabaseServer,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: server.urlOf('postgres') })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function ignoreDuplicate(error: Error & { code?: string }): void {
  // 42P04: it existed; 23505: someone else was creating it at this moment.
  if (error.code !== '42P04' && error.code !== '23505') throw error
}
