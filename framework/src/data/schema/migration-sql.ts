import { readFileSync } from 'node:fs'
import { quote } from '../wire/sql.js'
import {
  type ColumnChange,
  compareModels,
  type ModelChange,
  partsOf,
  type TablePart,
  type TriggerSnapshot,
  triggerName,
} from './model-diff.js'
import { type Rename, renameModel } from './model-renames.js'
import type { ColumnSnapshot, ForeignKeySnapshot, ModelSnapshot, TableSnapshot } from './model-snapshot.js'
import { type PlacedPart, partsInTheWay } from './parts-in-the-way.js'
import { frameworkScripts } from './schema-scripts.js'
import {
  checkDefinition,
  columnDefinition,
  columnList,
  foreignKeyDefinition,
  indexColumns,
  primaryKeyDefinition,
} from './sql-definitions.js'

/** The SQL that turns the schema of one model into that of another: statements in paragraphs, in an order that PostgreSQL accepts. */
export function migrationSql(
  from: ModelSnapshot,
  to: ModelSnapshot,
  renames: readonly Rename[] = [],
): string {
  const changes = compareModels(from, to, renames)
  const added = creationPlan(
    changes.flatMap((change) => (change.kind === 'tableAdded' ? [change.table] : [])),
    (key) => changes.some((change) => changesKey(change, key)),
  )
  const removed = creationPlan(
    changes.flatMap((change) => (change.kind === 'tableRemoved' ? [change.table] : [])),
  )
  const inTheWay = partsInTheWay(renameModel(from, renames), to, changes)
  const gone = [
    ...changes.flatMap((change) =>
      change.kind === 'partRemoved' && !isReplaced(change, changes) ? [change] : [],
    ),
    ...inTheWay,
  ]
  const paragraphs = [
    renames.flatMap((rename) => renameStatements(rename, from)).join('\n'),
    changes
      .flatMap((change) => (change.kind === 'partRenamed' ? [renamePart(change, change.to)] : []))
      .join('\n'),
    [...dropParts(['trigger', 'foreignKey'], gone), ...removed.late.map(dropPart)].join('\n'),
    removed.tables
      .map(({ name }) => `drop table ${quote(name)};`)
      .reverse()
      .join('\n'),
    // The key of a table can go when no table refers to it any more.
    dropParts(['check', 'index', 'primaryKey'], gone).join('\n'),
    isWatched(to) && !isWatched(from) ? createNotifyFunction : '',
    ...added.tables.map((table) => createTable(table, added.late)),
    ...columnChanges(changes),
    addParts([
      ...added.late,
      ...inTheWay,
      ...changes.flatMap((change) => (change.kind === 'partAdded' ? [change] : [])),
    ]).join('\n'),
    isWatched(from) && !isWatched(to)
      ? 'drop function keel_notify_change();\ndrop table "KeelTableVersions";'
      : '',
  ]
  return paragraphs.filter(Boolean).join('\n\n')
}

function renameStatements({ from, to }: Rename, { tables }: ModelSnapshot): string[] {
  const [table = '', column] = to.split('.')
  if (column !== undefined) {
    const old = quote(from.slice(from.indexOf('.') + 1))
    return [`alter table ${quote(table)} rename column ${old} to ${quote(column)};`]
  }
  const renamed = tables.find(({ name }) => name === from)
  const trigger = renamed && partsOf(renamed).find(({ kind }) => kind === 'trigger')
  return [
    `alter table ${quote(from)} rename to ${quote(to)};`,
    ...(trigger ? [renamePart({ table, part: trigger }, triggerName(to))] : []),
  ]
}

/** True when what a foreign key leans on is not there yet, or not yet of its type. */
function changesKey(change: ModelChange, { principalTable, principalColumn }: ForeignKeySnapshot): boolean {
  if (change.kind === 'partAdded') return change.part.kind === 'primaryKey' && change.table === principalTable
  return (
    change.kind === 'columnChanged' && change.table === principalTable && change.to.name === principalColumn
  )
}

/**
 * True when a removed trigger is replaced by the one that is added, which holds up writers alone; dropping it would hold up readers as well.
 * Not where columns of its table change: it may name them.
 */
function isReplaced({ table, part }: PlacedPart, changes: readonly ModelChange[]): boolean {
  const added = changes.some(
    (change) =>
      change.kind === 'partAdded' && change.table === table && change.part.value.name === part.value.name,
  )
  return (
    added &&
    part.kind === 'trigger' &&
    !changes.some((change) => 'column' in change && change.table === table) &&
    !changes.some((change) => change.kind === 'columnChanged' && change.table === table)
  )
}

/**
 * The order in which tables can be created, and the foreign keys that must wait: those that point forward in it, because tables refer to
 * each other in a circle, and those that are `late` for another reason.
 */
function creationPlan(
  tables: readonly TableSnapshot[],
  isLate: (key: ForeignKeySnapshot) => boolean = () => false,
): { tables: TableSnapshot[]; late: PlacedPart[] } {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered: TableSnapshot[] = []
  const seen = new Set<string>()
  for (const table of tables) visit(table)
  const places = new Map(ordered.map(({ name }, place) => [name, place]))
  const late = ordered.flatMap((table, place) =>
    table.foreignKeys
      .filter((key) => (places.get(key.principalTable) ?? -1) > place || isLate(key))
      .map((value): PlacedPart => ({ table: table.name, part: { kind: 'foreignKey', value } })),
  )
  return { tables: ordered, late }

  function visit(table: TableSnapshot): void {
    if (seen.has(table.name)) return
    seen.add(table.name)
    for (const { principalTable } of table.foreignKeys) {
      const principal = byName.get(principalTable)
      if (principal) visit(principal)
    }
    ordered.push(table)
  }
}

function createTable(table: TableSnapshot, late: readonly PlacedPart[]): string {
  const foreignKeys = table.foreignKeys.filter((key) => !late.some(({ part }) => part.value === key))
  const lines = [
    ...table.columns.map((column) => `${quote(column.name)} ${columnDefinition(column)}`),
    `constraint ${quote(table.primaryKey.name)} ${primaryKeyDefinition(table.primaryKey)}`,
    ...foreignKeys.map((key) => `constraint ${quote(key.name)} ${foreignKeyDefinition(key)}`),
    ...(table.checks ?? []).map((check) => `constraint ${quote(check.name)} ${checkDefinition(check)}`),
  ]
  const rest = partsOf(table).filter(({ kind }) => kind === 'index' || kind === 'trigger')
  return [
    `create table ${quote(table.name)} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`,
    ...rest.map((part) => addPart({ table: table.name, part })),
  ].join('\n')
}

const dropParts = (kinds: readonly TablePart['kind'][], parts: readonly PlacedPart[]): string[] =>
  kinds.flatMap((kind) => parts.filter(({ part }) => part.kind === kind)).map(dropPart)

/** Foreign keys come after the keys they lean on. */
const addParts = (parts: readonly PlacedPart[]): string[] =>
  (['primaryKey', 'index', 'check', 'foreignKey', 'trigger'] as const)
    .flatMap((kind) => parts.filter(({ part }) => part.kind === kind))
    .map(addPart)

function renamePart({ table, part }: PlacedPart, to: string): string {
  const name = quote(part.value.name)
  if (part.kind === 'index') return `alter index ${name} rename to ${quote(to)};`
  if (part.kind === 'trigger') return `alter trigger ${name} on ${quote(table)} rename to ${quote(to)};`
  return `alter table ${quote(table)} rename constraint ${name} to ${quote(to)};`
}

function addPart({ table, part }: PlacedPart): string {
  const name = quote(part.value.name)
  switch (part.kind) {
    case 'primaryKey':
      return `alter table ${quote(table)} add constraint ${name} ${primaryKeyDefinition(part.value)};`
    case 'foreignKey':
      return `alter table ${quote(table)} add constraint ${name} ${foreignKeyDefinition(part.value)};`
    case 'check':
      return `alter table ${quote(table)} add constraint ${name} ${checkDefinition(part.value)};`
    case 'index': {
      const kind = part.value.unique ? 'unique index' : 'index'
      const create = `create ${kind} ${name} on ${quote(table)} ${indexColumns(part.value)};`
      return part.value.extension === undefined ? create : whereInstalled(part.value.extension, create)
    }
    case 'trigger': {
      const create = `create or replace trigger ${name} after ${eventsOf(part.value)} on ${quote(table)}\n  for each statement execute function keel_notify_change();`
      const always = `\nalter table ${quote(table)} enable always trigger ${name};`
      return part.value.always ? create + always : create
    }
  }
}

/** Runs a statement only in a database that has an extension. */
const whereInstalled = (extension: string, statement: string): string => `do $$
begin
  if exists (select from pg_extension where extname = '${extension.replaceAll("'", "''")}') then
    ${statement}
  end if;
end
$$;`

function eventsOf({ columns, deletesOnly, always }: TriggerSnapshot): string {
  const ends = always ? 'delete or truncate' : 'delete'
  return deletesOnly ? ends : `insert or update${columns ? ` of ${columnList(columns)}` : ''} or ${ends}`
}

function dropPart({ table, part }: PlacedPart): string {
  const name = quote(part.value.name)
  if (part.kind === 'index') return `drop index ${name};`
  if (part.kind === 'trigger') return `drop trigger ${name} on ${quote(table)};`
  return `alter table ${quote(table)} drop constraint ${name};`
}

/** One paragraph for each table whose columns change. */
function columnChanges(changes: readonly ModelChange[]): string[] {
  const paragraphs = new Map<string, string[]>()
  for (const change of changes) {
    if (!('column' in change || 'from' in change)) continue
    paragraphs.set(change.table, [...(paragraphs.get(change.table) ?? []), ...columnStatements(change)])
  }
  return [...paragraphs.values()].map((statements) => statements.join('\n'))
}

function columnStatements(change: ColumnChange): string[] {
  switch (change.kind) {
    case 'columnAdded':
      return addColumn(change.table, change.column)
    case 'columnRemoved':
      return [`alter table ${quote(change.table)} drop column ${quote(change.column.name)};`]
    case 'columnChanged':
      return alterColumn(change.table, change.from, change.to)
  }
}

function addColumn(table: string, column: ColumnSnapshot): string[] {
  const statement = `alter table ${quote(table)} add column ${quote(column.name)} ${columnDefinition(column)};`
  const needsValues = !column.nullable && column.default === undefined
  return needsValues
    ? [
        `-- Fails when ${table} has rows: they need a value. Add the column without "not null", fill it, then set it.`,
        statement,
      ]
    : [statement]
}

function alterColumn(table: string, from: ColumnSnapshot, to: ColumnSnapshot): string[] {
  const column = quote(to.name)
  const alter = `alter table ${quote(table)} alter column ${column}`
  const retyped = from.type !== to.type
  const redefaulted = retyped || from.default !== to.default
  const statements: string[] = []
  if (redefaulted && from.default !== undefined) statements.push(`${alter} drop default;`)
  if (retyped) statements.push(`${alter} type ${to.type}${conversion(column, from.type, to.type)};`)
  if (redefaulted && to.default !== undefined) statements.push(`${alter} set default ${to.default};`)
  if (from.nullable && !to.nullable) {
    const fill =
      to.default === undefined
        ? `-- Fails when rows have no ${to.name}: fill them first.`
        : `update ${quote(table)} set ${column} = default where ${column} is null;`
    statements.push(fill, `${alter} set not null;`)
  }
  if (!from.nullable && to.nullable) statements.push(`${alter} drop not null;`)
  return statements
}

/**
 * How values get over to another type. Within one, and to text, PostgreSQL knows by itself, and fails rather than cut what is too long.
 * Where it has no cast at all, values go by their text.
 */
function conversion(column: string, from: string, to: string): string {
  const old = familyOf(from)
  const current = familyOf(to)
  if (old === current || current === 'text') return ''
  const isCast = old === 'text' || casts.some((family) => family.includes(old) && family.includes(current))
  return isCast ? ` using ${column}::${to}` : ` using ${column}::text::${to}`
}

const familyOf = (type: string): string =>
  type.replace(/\(.*\)/, '').replace(/^(varchar|char|citext)$/, 'text')

/** Types that PostgreSQL casts to each other. */
const casts: readonly (readonly string[])[] = [
  ['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision'],
  ['boolean', 'integer'],
  ['date', 'timestamp without time zone', 'timestamp with time zone'],
  ['json', 'jsonb'],
]

/** True when any table tells of its changes. */
export const isWatched = ({ tables }: ModelSnapshot): boolean =>
  tables.some(({ watched, tellsDeletes }) => watched || tellsDeletes)

/** Creates the function behind the change triggers and its table, as the framework's scripts do elsewhere. */
export const createNotifyFunction = ['0001-change-feed.sql', '0004-changes-announced-by-hosts.sql']
  .map((name) => readFileSync(new URL(name, frameworkScripts), 'utf8').replaceAll('\r\n', '\n').trimEnd())
  .join('\n\n')
