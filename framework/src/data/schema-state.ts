import type { EntityClass } from './entity.js'
import { entityMeta } from './entity.js'
import { pendingScripts, readSchemaHistory, readSchemaScripts } from './schema-scripts.js'
import type { DatabaseSession } from './session.js'

/** What a database lacks of what the entities and schema scripts of a host expect. All are empty when it is up to date. */
export interface SchemaLacks {
  readonly tables: readonly string[]
  /** `Table.Column`, of the tables that are there. */
  readonly columns: readonly string[]
  /** Names of scripts that are not applied. */
  readonly scripts: readonly string[]
}

/** Compares a database with the entities and schema scripts that a host knows. Throws `StartupError` when applied scripts were changed since. */
export async function findLacks(
  session: DatabaseSession,
  { name, entities, schemas }: { name: string; entities: readonly EntityClass[]; schemas: readonly URL[] },
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
    for (const folder of schemas) scripts.push(...pendingScripts(readSchemaScripts(folder), applied, name))
  }
  return {
    tables: [...new Set(rows.filter(({ exists }) => !exists).map(({ table }) => table))],
    columns: rows.filter(({ exists }) => exists).map(({ table, column }) => `${table}.${column}`),
    scripts: scripts.map((script) => script.name),
  }
}

/** What is missing, in words: how many with the names of some; undefined when nothing is. */
export function tellLacks({ tables, columns, scripts }: SchemaLacks): string | undefined {
  const told = [tell('table', tables), tell('column', columns), tell('schema script', scripts)].filter(
    (part) => part !== undefined,
  )
  return told.length ? told.join('; ') : undefined
}

function tell(kind: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')} …` : names.join(', ')
  const verb = kind === 'schema script' ? 'not applied' : 'missing'
  return `${names.length} ${kind}${names.length === 1 ? ' is' : 's are'} ${verb}: ${some}`
}

/** The command that brings a database up to date. */
export function schemaCure(database: string): string {
  return database === 'Default'
    ? 'Run the migrator (npm run migrate).'
    : `Run the schema command (npm run schema -- ${database.toLowerCase()}).`
}
