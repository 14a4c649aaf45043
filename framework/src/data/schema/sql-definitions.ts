import type { IndexExpression } from '../entities/entity.js'
import { quote } from '../wire/sql.js'
import type {
  CheckSnapshot,
  ColumnSnapshot,
  ForeignKeySnapshot,
  IndexSnapshot,
  KeySnapshot,
} from './model-snapshot.js'

/** The definition of a column that follows its name: `varchar(256) not null default ''`. */
export function columnDefinition({ type, nullable, default: value }: ColumnSnapshot): string {
  return [type, nullable ? '' : 'not null', value === undefined ? '' : `default ${value}`]
    .filter(Boolean)
    .join(' ')
}

/** `primary key ("Id")` */
export function primaryKeyDefinition({ columns }: KeySnapshot): string {
  return `primary key (${columnList(columns)})`
}

/** `foreign key ("UserId") references "AbpUsers" ("Id") on delete cascade`; nothing is said of the default, no action. */
export function foreignKeyDefinition({
  column,
  principalTable,
  principalColumn,
  onDelete,
}: ForeignKeySnapshot): string {
  const references = `foreign key (${quote(column)}) references ${quote(principalTable)} (${quote(principalColumn)})`
  return onDelete === 'no action' ? references : `${references} on delete ${onDelete}`
}

/** `unique index ("Name") where "IsActive"`, as a person reads it. */
export function indexDefinition(index: IndexSnapshot): string {
  return `${index.unique ? 'unique index' : 'index'} ${indexColumns(index)}`
}

/**
 * The definition of an index that follows its table: `using gin ("Name", (lower("Mail"))) include ("Id") nulls not
 * distinct where "IsActive"`.
 */
export function indexColumns({ columns, include, method, nullsNotDistinct, where }: IndexSnapshot): string {
  const keys = columns.map((key) => (typeof key === 'string' ? quote(key) : expressionKey(key)))
  return [
    method ? `using ${method}` : '',
    `(${keys.join(', ')})`,
    include ? `include (${columnList(include)})` : '',
    nullsNotDistinct ? 'nulls not distinct' : '',
    where === undefined ? '' : `where ${where}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** `(lower("Name"))`, `"Name" desc` */
function expressionKey({ sql, order }: IndexExpression): string {
  const isColumn = /^"[^"]+"$/.test(sql)
  return [isColumn ? sql : `(${sql})`, order].filter(Boolean).join(' ')
}

/** `check ("Quantity" > 0)` */
export function checkDefinition({ condition }: CheckSnapshot): string {
  return `check (${condition})`
}

/** Quoted names with commas. */
export function columnList(columns: readonly string[]): string {
  return columns.map(quote).join(', ')
}
