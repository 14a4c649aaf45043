import pg from 'pg'

/** A PostgreSQL server on which this process may create databases. */
export interface DatabaseServer {
  /** The address, with user and password, of one of its databases. */
  urlOf(database: string): string
}

/** Creates the databases that do not exist yet. Safe when several processes call it at the same time. */
export async function ensureDatabases(server: DatabaseServer, names: readonly string[]): Promise<void> {
  await administer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    for (const name of names) {
      if (rows.some((row) => row.datname === name)) continue
      await createEmpty(client, name).catch(ignoreDuplicate)
    }
  })
}

/**
 * Creates a database, as a copy of `template` when one is given (which must have no connections). Fails when
 * the database exists.
 */
export async function createDatabase(
  server: DatabaseServer,
  name: string,
  options: { template?: string } = {},
): Promise<void> {
  const { template } = options
  await administer(server, (client) =>
    template === undefined ? createEmpty(client, name) : createCopy(client, name, template),
  )
}

/**
 * Creates several databases as copies of templates, over one connection.
 * @param copies from the name of each copy to that of its template
 */
export async function createCopies(
  server: DatabaseServer,
  copies: ReadonlyMap<string, string>,
): Promise<void> {
  if (copies.size === 0) return
  await administer(server, async (client) => {
    for (const [name, template] of copies) await createCopy(client, name, template)
  })
}

/** Copies files instead of writing each page to the log, which takes half the time for some megabytes. */
async function createCopy(client: pg.Client, name: string, template: string): Promise<void> {
  const create = `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`
  try {
    await client.query(`${create} strategy file_copy`)
  } catch (error) {
    // 42601: servers before 15 know no other way, and no word for it.
    if ((error as { code?: string }).code !== '42601') throw error
    await client.query(create)
  }
}

/**
 * Texts are sorted by the database's collation, in lists and in OData alike, and its indexes have the same
 * order. CLDR's root order is people's (`apple`, `Äpfel`, `Zebra`), is the same on every system and fits
 * texts of many languages. A server without ICU gets its own default.
 */
const peoplesOrder = `template template0 encoding 'UTF8' locale_provider icu icu_locale 'und' lc_collate 'C' lc_ctype 'C'`

async function createEmpty(client: pg.Client, name: string): Promise<void> {
  const create = `create database ${pg.escapeIdentifier(name)}`
  try {
    await client.query(`${create} ${peoplesOrder}`)
  } catch (error) {
    // 0A000: the server was built without ICU.
    if ((error as { code?: string }).code !== '0A000') throw error
    await client.query(create)
  }
}

/** Drops databases over one connection and ends theirs. Does nothing for names of no database. */
export async function dropDatabase(server: DatabaseServer, ...names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await administer(server, async (client) => {
    for (const name of names)
      await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
  })
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
