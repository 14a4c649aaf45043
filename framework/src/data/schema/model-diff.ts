import { type Rename, renameModel } from './model-renames.js'
import type {
  CheckSnapshot,
  ColumnSnapshot,
  ForeignKeySnapshot,
  IndexSnapshot,
  KeySnapshot,
  ModelSnapshot,
  TableSnapshot,
} from './model-snapshot.js'
import {
  checkDefinition,
  columnDefinition,
  columnList,
  foreignKeyDefinition,
  indexDefinition,
  primaryKeyDefinition,
} from './sql-definitions.js'

/** The parts of a table that are named and never altered: a different one is dropped and made anew. */
export type TablePart =
  | { readonly kind: 'primaryKey'; readonly value: KeySnapshot }
  | { readonly kind: 'foreignKey'; readonly value: ForeignKeySnapshot }
  | { readonly kind: 'index'; readonly value: IndexSnapshot }
  | { readonly kind: 'check'; readonly value: CheckSnapshot }
  | { readonly kind: 'trigger'; readonly value: TriggerSnapshot }

/** The change trigger of a table, and the columns whose updates it announces; all where none are given. */
export interface TriggerSnapshot {
  readonly name: string
  readonly columns?: readonly string[]
  /** It announces deleted rows alone. */
  readonly deletesOnly?: boolean
  /** It fires for `truncate` too, and also for sessions that replicate or restore. */
  readonly always?: boolean
}

/** One difference between two models. */
export type ModelChange = RenameChange | TableChange | ColumnChange | PartChange
/** A table or column that has another name and keeps its rows. */
export interface RenameChange {
  readonly kind: 'renamed'
  readonly rename: Rename
}
/** A table that one of the snapshots lacks. */
export type TableChange =
  | { readonly kind: 'tableAdded'; readonly table: TableSnapshot }
  | { readonly kind: 'tableRemoved'; readonly table: TableSnapshot }
/** A column that one of the snapshots lacks, or that differs between them. */
export type ColumnChange =
  | { readonly kind: 'columnAdded'; readonly table: string; readonly column: ColumnSnapshot }
  | { readonly kind: 'columnRemoved'; readonly table: string; readonly column: ColumnSnapshot }
  | {
      readonly kind: 'columnChanged'
      readonly table: string
      readonly from: ColumnSnapshot
      readonly to: ColumnSnapshot
    }
/** A key, index, check or trigger that one of the snapshots lacks, or that has another name. */
export type PartChange =
  | { readonly kind: 'partAdded'; readonly table: string; readonly part: TablePart }
  | { readonly kind: 'partRemoved'; readonly table: string; readonly part: TablePart }
  | {
      readonly kind: 'partRenamed'
      readonly table: string
      readonly part: TablePart
      readonly to: string
    }

/**
 * Everything in which `to` differs from `from`; nothing for models that ask for the same schema. The order of columns is not a difference.
 * What was renamed is told first, and the rest under the new names.
 */
export function compareModels(
  from: ModelSnapshot,
  to: ModelSnapshot,
  renames: readonly Rename[] = [],
): ModelChange[] {
  const renamed = renameModel(from, renames)
  return [
    ...renames.map((rename) => ({ kind: 'renamed', rename }) as const),
    ...pairs(renamed.tables, to.tables).flatMap(([before, after]): ModelChange[] => {
      if (!before) return after ? [{ kind: 'tableAdded', table: after }] : []
      if (!after) return [{ kind: 'tableRemoved', table: before }]
      return [...compareColumns(before, after), ...compareParts(before, after)]
    }),
  ]
}

/** A difference in one line for a person: the place, what was, what is to be. */
export function describeChange(change: ModelChange): string {
  switch (change.kind) {
    case 'renamed':
      return `${change.rename.from}: renamed → ${change.rename.to}`
    case 'tableAdded':
      return `${change.table.name}: no table → ${change.table.columns.length} columns`
    case 'tableRemoved':
      return `${change.table.name}: ${change.table.columns.length} columns → no table`
    case 'columnAdded':
      return `${change.table}.${change.column.name}: no column → ${columnDefinition(change.column)}`
    case 'columnRemoved':
      return `${change.table}.${change.column.name}: ${columnDefinition(change.column)} → no column`
    case 'columnChanged':
      return `${change.table}.${change.to.name}: ${columnDefinition(change.from)} → ${columnDefinition(change.to)}`
    case 'partAdded':
      return `${change.table}.${change.part.value.name}: none → ${partDefinition(change.part)}`
    case 'partRemoved':
      return `${change.table}.${change.part.value.name}: ${partDefinition(change.part)} → none`
    case 'partRenamed':
      return `${change.table}.${change.part.value.name}: renamed → ${change.to}`
  }
}

/** A difference as a sentence: `from` are the tables that are there, `to` those that entity classes declare. */
export function tellChange(change: ModelChange): string {
  switch (change.kind) {
    case 'renamed':
      return `${change.rename.from} is to be renamed to ${change.rename.to}.`
    case 'tableAdded':
      return `The table ${change.table.name} is missing.`
    case 'tableRemoved':
      return `No entity class declares the table ${change.table.name}.`
    case 'columnAdded':
      return `${change.table} lacks the column ${change.column.name} (${columnDefinition(change.column)}).`
    case 'columnRemoved':
      return `No entity class declares the column ${change.column.name} of ${change.table} (${columnDefinition(change.column)}).`
    case 'columnChanged':
      return `${change.table}.${change.to.name} is ${columnDefinition(change.from)}, but the entity class declares ${columnDefinition(change.to)}.`
    case 'partAdded':
      return `${change.table} lacks the ${partNames[change.part.kind]} ${change.part.value.name}: ${partDefinition(change.part)}.`
    case 'partRemoved':
      return `No entity class declares the ${partNames[change.part.kind]} ${change.part.value.name} of ${change.table}: ${partDefinition(change.part)}.`
    case 'partRenamed':
      return `The ${partNames[change.part.kind]} ${change.part.value.name} of ${change.table} is called ${change.to} by the entity class.`
  }
}

const partNames: Readonly<Record<TablePart['kind'], string>> = {
  primaryKey: 'primary key',
  foreignKey: 'foreign key',
  index: 'index',
  check: 'check',
  trigger: 'trigger',
}

/** The parts of `after` that `before` has too, under any name. */
export function sameParts(before: TableSnapshot, after: TableSnapshot): ReadonlySet<TablePart['value']> {
  const known = new Set(partsOf(before).map((part) => `${part.kind} ${partDefinition(part)}`))
  return new Set(
    partsOf(after)
      .filter((part) => known.has(`${part.kind} ${partDefinition(part)}`))
      .map(({ value }) => value),
  )
}

/** The parts of a table beside its columns. */
export function partsOf(table: TableSnapshot): TablePart[] {
  return [
    // Only a table that others made has none.
    ...(table.primaryKey.columns.length ? [{ kind: 'primaryKey', value: table.primaryKey } as const] : []),
    ...table.foreignKeys.map((value) => ({ kind: 'foreignKey', value }) as const),
    ...table.indexes.map((value) => ({ kind: 'index', value }) as const),
    ...(table.checks ?? []).map((value) => ({ kind: 'check', value }) as const),
    ...(table.watched || table.tellsDeletes ? [{ kind: 'trigger', value: triggerOf(table) } as const] : []),
  ]
}

/** The name of a table's change trigger. */
export const triggerName = (table: string): string => `TR_${table}_NotifyChange`

function triggerOf({ name, watchedColumns, tellsDeletes, tellsAlways }: TableSnapshot): TriggerSnapshot {
  return {
    name: triggerName(name),
    // Their order is no difference.
    ...(watchedColumns && { columns: [...watchedColumns].sort() }),
    ...(tellsDeletes && { deletesOnly: true }),
    ...(tellsAlways && { always: true }),
  }
}

function compareColumns(before: TableSnapshot, after: TableSnapshot): ModelChange[] {
  const table = after.name
  return pairs(before.columns, after.columns).flatMap(([from, to]): ModelChange[] => {
    if (!from) return to ? [{ kind: 'columnAdded', table, column: to }] : []
    if (!to) return [{ kind: 'columnRemoved', table, column: from }]
    return columnDefinition(from) === columnDefinition(to) ? [] : [{ kind: 'columnChanged', table, from, to }]
  })
}

function compareParts(before: TableSnapshot, after: TableSnapshot): ModelChange[] {
  const table = after.name
  const old = partsOf(before)
  const current = partsOf(after)
  const removed = old.filter((part) => !current.some((other) => isSamePart(part, other)))
  const added = current.filter((part) => !old.some((other) => isSamePart(part, other)))
  // A part that only got another name is not made anew: that would build an index or check all rows again.
  const renamed = removed.flatMap((part) => {
    const other = added.find(
      (candidate) =>
        candidate.kind === part.kind &&
        partDefinition(candidate) === partDefinition(part) &&
        !old.some(({ value }) => value.name === candidate.value.name),
    )
    if (!other) return []
    added.splice(added.indexOf(other), 1)
    return [{ kind: 'partRenamed', table, part, to: other.value.name } as const]
  })
  return [
    ...removed
      .filter((part) => !renamed.some((change) => change.part === part))
      .map((part) => ({ kind: 'partRemoved', table, part }) as const),
    ...renamed,
    ...added.map((part) => ({ kind: 'partAdded', table, part }) as const),
  ]
}

const isSamePart = (part: TablePart, other: TablePart): boolean =>
  part.kind === other.kind &&
  part.value.name === other.value.name &&
  partDefinition(part) === partDefinition(other)

function partDefinition({ kind, value }: TablePart): string {
  switch (kind) {
    case 'primaryKey':
      return primaryKeyDefinition(value)
    case 'foreignKey':
      return foreignKeyDefinition(value)
    case 'index':
      return indexDefinition(value)
    case 'check':
      return checkDefinition(value)
    case 'trigger':
      return triggerDefinition(value)
  }
}

function triggerDefinition({ columns, deletesOnly, always }: TriggerSnapshot): string {
  const events = deletesOnly ? ' (deletes)' : columns ? ` (${columnList(columns)})` : ''
  return `change trigger${events}${always ? '' : ', not always'}`
}

/** Things of the same name side by side: those of `from` first, then those that are only in `to`. */
function pairs<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
): [T | undefined, T | undefined][] {
  const others = new Map(to.map((thing) => [thing.name, thing]))
  const known = new Set(from.map(({ name }) => name))
  return [
    ...from.map((thing): [T, T | undefined] => [thing, others.get(thing.name)]),
    ...to.filter(({ name }) => !known.has(name)).map((thing): [undefined, T] => [undefined, thing]),
  ]
}
