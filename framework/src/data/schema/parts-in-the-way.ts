import { quote } from '../wire/sql.js'
import { type ModelChange, partsOf, type TablePart } from './model-diff.js'
import type { ModelSnapshot, TableSnapshot } from './model-snapshot.js'

/** A part and the table it is of. */
export interface PlacedPart {
  readonly table: string
  readonly part: TablePart
}

/**
 * Parts that stay as they are but hang on a column whose type changes: PostgreSQL would refuse the change, or could not read a condition on
 * the new type. They are dropped before and made again after. A plain index is not among them: it is built anew by itself. `from` goes by
 * the names of `to`.
 */
export function partsInTheWay(
  from: ModelSnapshot,
  to: ModelSnapshot,
  changes: readonly ModelChange[],
): PlacedPart[] {
  const retyped = new Set(
    changes.flatMap((change) =>
      change.kind === 'columnChanged' && change.from.type !== change.to.type
        ? [`${change.table}.${change.to.name}`]
        : [],
    ),
  )
  if (retyped.size === 0) return []
  const isMade = (table: string, { kind, value }: TablePart): boolean =>
    changes.some(
      (change) =>
        change.kind === 'partAdded' &&
        change.table === table &&
        change.part.kind === kind &&
        change.part.value.name === value.name,
    )
  const kept = to.tables.filter((table) => from.tables.some(({ name }) => name === table.name))
  return kept.flatMap((table) =>
    partsOf(table)
      .filter((part) => !isMade(table.name, part) && hangsOn(part, table, retyped))
      .map((part) => ({ table: table.name, part })),
  )
}

function hangsOn({ kind, value }: TablePart, table: TableSnapshot, retyped: ReadonlySet<string>): boolean {
  const isRetyped = (column: string): boolean => retyped.has(`${table.name}.${column}`)
  const names = (sql = ''): boolean =>
    table.columns.some(({ name }) => isRetyped(name) && sql.includes(quote(name)))
  switch (kind) {
    case 'primaryKey':
      return false
    case 'foreignKey':
      return isRetyped(value.column) || retyped.has(`${value.principalTable}.${value.principalColumn}`)
    case 'index':
      return names(value.where) || value.columns.some((key) => typeof key !== 'string' && names(key.sql))
    case 'check':
      return names(value.condition)
    case 'trigger':
      return value.columns?.some(isRetyped) ?? false
  }
}
