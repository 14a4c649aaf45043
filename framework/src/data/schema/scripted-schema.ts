import { type DatabaseSession, runSqlScript } from '../wire/session.js'
import { readLiveSchema, readSchemaOf, rollingBack } from './live-schema.js'
import { migrationSql } from './migration-sql.js'
import { compareModels, type ModelChange, sameParts, tellChange } from './model-diff.js'
import { type Rename, renameModel } from './model-renames.js'
import type { ColumnSnapshot, ModelSnapshot, TableSnapshot } from './model-snapshot.js'
import { frameworkScripts, readSchemaScripts, type SchemaScript } from './schema-scripts.js'
import { columnDefinition } from './sql-definitions.js'

/** The differences between the tables that schema scripts make and those that entity classes declare. */
export interface ScriptDifferences {
  /** The tables that the scripts make. */
  readonly scripted: ModelSnapshot
  /** The tables that the entity classes declare, with expressions as PostgreSQL prints them. */
  readonly declared: ModelSnapshot
  readonly changes: readonly ModelChange[]
  /** A sentence for each change, and for each part of a table that no entity class can declare. */
  readonly told: readonly string[]
  /** The SQL of a script that makes the changes; empty without one. */
  readonly sql: string
}

/**
 * Compares schema scripts with entity classes. The scripts are run in a schema of their own, and the tables of the entity classes are made in
 * another one; PostgreSQL then prints both, and everything is rolled back. Tables of the framework are left out. The session must not be in a
 * transaction and needs the right to create a schema.
 */
export async function compareScripts(
  session: DatabaseSession,
  { scripts, model, renames }: ScriptComparison,
): Promise<ScriptDifferences> {
  let frameworkTables: ReadonlySet<string> = new Set()
  const [scripted, declared] = await rollingBack(session, async () => [
    await readSchemaOf(session, 'keel_scripted', async () => {
      await runScripts(session, readSchemaScripts(frameworkScripts))
      const { tables } = (await readLiveSchema(session)).model
      frameworkTables = new Set(tables.map(({ name }) => name))
      await runScripts(session, scripts)
    }),
    await readSchemaOf(session, 'keel_declared', () => session.query(migrationSql({ tables: [] }, model))),
  ])
  const ofModule = ({ tables }: ModelSnapshot): ModelSnapshot => ({
    tables: tables.filter(({ name }) => !frameworkTables.has(name)),
  })
  const [from, to] = [ofModule(scripted.model), ofModule(declared.model)]
  const given = renames?.(from, to) ?? []
  const changes = compareModels(from, to, given)
  const others = scripted.others.filter((place) => !frameworkTables.has(place.slice(0, place.indexOf('.'))))
  const target = { tables: to.tables.map((table) => asDeclared(table, renameModel(from, given), model)) }
  return {
    scripted: from,
    declared: to,
    changes,
    told: [...changes.map(tellChange), ...others.map((place) => `No entity class can declare ${place}.`)],
    sql: migrationSql(from, target, given),
  }
}

async function runScripts(session: DatabaseSession, scripts: readonly SchemaScript[]): Promise<void> {
  for (const { name, text } of scripts) await runSqlScript(session, name, text)
}

/** The sides of a comparison. */
export interface ScriptComparison {
  readonly scripts: readonly SchemaScript[]
  /** The tables of the entity classes. */
  readonly model: ModelSnapshot
  /** The renames among the differences, given both sides as {@link ScriptDifferences} has them. */
  readonly renames?: (scripted: ModelSnapshot, declared: ModelSnapshot) => readonly Rename[]
}

/**
 * A table with the words of its entity class wherever it differs from the scripts: a person reads them in the next script. Unchanged parts
 * keep PostgreSQL's words, by which they are recognized as unchanged.
 */
function asDeclared(table: TableSnapshot, from: ModelSnapshot, model: ModelSnapshot): TableSnapshot {
  const before = from.tables.find(({ name }) => name === table.name)
  const declared = model.tables.find(({ name }) => name === table.name)
  if (!declared) return table
  if (!before) return declared
  const named = <T extends { readonly name: string }>(parts: readonly T[], name: string): T | undefined =>
    parts.find((part) => part.name === name)
  const column = (one: ColumnSnapshot): ColumnSnapshot => {
    const old = named(before.columns, one.name)
    const isKept = old !== undefined && columnDefinition(old) === columnDefinition(one)
    return isKept ? one : (named(declared.columns, one.name) ?? one)
  }
  const kept = sameParts(before, table)
  return {
    ...table,
    columns: table.columns.map(column),
    indexes: table.indexes.map((one) => (kept.has(one) ? one : (named(declared.indexes, one.name) ?? one))),
    checks: (table.checks ?? []).map((one) =>
      kept.has(one) ? one : (named(declared.checks ?? [], one.name) ?? one),
    ),
  }
}
