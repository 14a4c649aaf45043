import type { EntityClass } from '../entities/entity.js'
import { entityMeta } from '../entities/entity.js'
import type { DatabaseSession } from '../wire/session.js'
import { frameworkScripts, pendingScripts, readSchemaHistory, readSchemaScripts } from './schema-scripts.js'

/**
 * The parts that entities and schema scripts of a host expect and a database lacks. All are empty when it is
 * up to date.
 */
export interface SchemaLacks {
  readonly tables: readonly string[]
  /** `Table.Column`, of the tables that are there. */
  readonly columns: readonly string[]
  /** Names of scripts that are not applied. */
  readonly scripts: readonly string[]
  /** Names of migrations of the release that are not applied, in their order. */
  readonly migrations: readonly string[]
}

/** The missing parts of a database as sentences. */
export interface SchemaFault {
  readonly told: string
  /**
   * True when everything that statements name is there all the same: an index, a constraint or a trigger may
   * be missing.
   */
  readonly isUsable: boolean
}

/** The history of migrations: Entity Framework's table, so that a database of ABP keeps one history. */
export const migrationHistory = '__EFMigrationsHistory'

/** Compares a database with the entities and schema scripts that a host knows. Throws `StartupError` when applied scripts were changed since. */
export async function findLacks(
  session: DatabaseSession,
  {
    name,
    entities,
    schemas,
    migrations,
  }: {
    name: string
    entities: readonly EntityClass[]
    schemas: readonly URL[]
    migrations: readonly string[]
  },
): Promise<SchemaLacks> {
  const expected = entities
    .map(entityMeta)
    .flatMap(({ table, columns }) => [...columns.values()].map(({ column }) => ({ table, column })))
  const { rows } = await session.query<{ table: string; column: string; exists: boolean }>(
    `select wanted."table", wanted."column", to_regclass(quote_ident(wanted."table")) is not null as exists
       from unnest($1::text[], $2::text[]) as wanted("table", "column")
       left join pg_attribute a
         on a.attrelid = to_regclass(quote_ident(wanted."table")) and a.attname = wanted."column" and not a.attisdropped
      where a.attname is null order by 1, 2`,
    [expected.map(({ table }) => table), expected.map(({ column }) => column)],
  )
  const scripts = []
  if (schemas.length) {
    const applied = await readSchemaHistory(session)
    for (const folder of [frameworkScripts, ...schemas])
      scripts.push(...pendingScripts(readSchemaScripts(folder), applied, name))
  }
  return {
    tables: [...new Set(rows.filter(({ exists }) => !exists).map(({ table }) => table))],
    columns: rows.filter(({ exists }) => exists).map(({ table, column }) => `${table}.${column}`),
    scripts: scripts.map((script) => script.name),
    migrations: await pendingMigrations(session, migrations),
  }
}

/** True when only migrations are pending, while every table and column of the entities is there. */
export function hasAllColumns({ tables, columns, scripts }: SchemaLacks): boolean {
  return tables.length + columns.length + scripts.length === 0
}

/** Nothing where the host's user may not read the history: that is no fault of the schema. */
async function pendingMigrations(session: DatabaseSession, released: readonly string[]): Promise<string[]> {
  if (released.length === 0) return []
  const table = `"${migrationHistory}"`
  const { rows } = await session.query<{ exists: boolean; readable: boolean }>(
    `select to_regclass($1) is not null as exists,
       coalesce(has_table_privilege(to_regclass($1), 'select'), false) as readable`,
    [table],
  )
  const { exists = false, readable = false } = rows[0] ?? {}
  if (!exists) return [...released]
  if (!readable) return []
  const { rows: applied } = await session.query<{ name: string }>(
    `select "MigrationId" as name from ${table}`,
  )
  const names = new Set(applied.map((row) => row.name))
  return released.filter((migration) => !names.has(migration))
}

/** The missing parts as a sentence: their number and the names of some. Undefined when nothing is missing. */
export function tellLacks({ tables, columns, scripts, migrations }: SchemaLacks): string | undefined {
  const told = [
    tell('table', tables),
    tell('column', columns),
    tell('schema script', scripts),
    tell('migration', migrations),
  ].filter((part) => part !== undefined)
  return told.length ? told.join('; ') : undefined
}

function tell(kind: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')} …` : names.join(', ')
  const verb = kind === 'schema script' || kind === 'migration' ? 'not applied' : 'missing'
  return `${names.length} ${kind}${names.length === 1 ? ' is' : 's are'} ${verb}: ${some}`
}

/** The command that brings a database up to date. */
export function schemaCure(database: string): string {
  return database === 'Default'
    ? 'Run the migrator (npm run migrate).'
    : `Run the schema command (npm run schema -- ${database.toLowerCase()}).`
}
