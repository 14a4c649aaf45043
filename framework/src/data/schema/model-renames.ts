import { quote } from '../wire/sql.js'
import type { ModelSnapshot, TableSnapshot } from './model-snapshot.js'

/** A table or a column under its names in the old and in the new model: `AppPets` and `AppAnimals`, `AppPets.Name` and `AppAnimals.Title`. */
export interface Rename {
  readonly from: string
  readonly to: string
}

/** The way back. */
export const undoRenames = (renames: readonly Rename[]): Rename[] =>
  renames.map(({ from, to }) => ({ from: to, to: from }))

/** A model under the new names. PostgreSQL carries them into keys, conditions and expressions by itself, and so does this. */
export function renameModel(model: ModelSnapshot, renames: readonly Rename[]): ModelSnapshot {
  if (renames.length === 0) return model
  const tableName = (name: string): string => renames.find(({ from }) => from === name)?.to ?? name
  const columnName = (table: string, name: string): string =>
    lastPart(renames.find(({ from }) => from === `${table}.${name}`)?.to ?? name)
  const tables = model.tables.map((table): TableSnapshot => {
    const column = (name: string): string => columnName(table.name, name)
    const text = (sql: string): string =>
      table.columns.reduce((all, { name }) => all.replaceAll(quote(name), quote(column(name))), sql)
    return {
      ...table,
      name: tableName(table.name),
      columns: table.columns.map((one) => ({ ...one, name: column(one.name) })),
      primaryKey: { ...table.primaryKey, columns: table.primaryKey.columns.map(column) },
      foreignKeys: table.foreignKeys.map((key) => ({
        ...key,
        column: column(key.column),
        principalTable: tableName(key.principalTable),
        principalColumn: columnName(key.principalTable, key.principalColumn),
      })),
      indexes: table.indexes.map((index) => ({
        ...index,
        columns: index.columns.map((key) =>
          typeof key === 'string' ? column(key) : { ...key, sql: text(key.sql) },
        ),
        ...(index.include && { include: index.include.map(column) }),
        ...(index.where !== undefined && { where: text(index.where) }),
      })),
      ...(table.checks && {
        checks: table.checks.map((check) => ({ ...check, condition: text(check.condition) })),
      }),
      ...(table.watchedColumns && { watchedColumns: table.watchedColumns.map(column) }),
    }
  })
  return { tables }
}

const lastPart = (path: string): string => path.slice(path.indexOf('.') + 1)
