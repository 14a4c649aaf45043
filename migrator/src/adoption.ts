import {
  type ColumnSnapshot,
  columnList,
  compareModels,
  type DatabaseSession,
  describeChange,
  foreignKeyDefinition,
  type IndexSnapshot,
  indexDefinition,
  inTransaction,
  type LiveSchema,
  type ModelSnapshot,
  migrationSql,
  quote,
  readExpectedSchema,
  readLiveSchema,
  runSqlScript,
  type TableSnapshot,
} from '@keel/framework/data'
import { type Fit, fitColumn } from './adopted-column.js'
import { Refusal } from './exit-codes.js'
import type { MigrationSet } from './migration.js'
import { createHistory, historyTable, productVersion } from './migration-history.js'
import { waitForTheDeadSql } from './run-lock.js'
import { limitsSql, type RunLimits } from './run-settings.js'

/** How a database that others made becomes ours. */
export interface Adoption {
  /** Adds what is missing and widens what is narrow. Drops no table, column or row. */
  readonly sql: string
  /** The changes that it makes, one per line. */
  readonly changes: readonly string[]
  /** Why it can't be done, one line for each; then nothing is done. */
  readonly faults: readonly string[]
}

/**
 * Makes a database that ABP made ours: its tables are kept with every row and column, what is missing is added, and all migrations count as
 * applied. All of it in one transaction. Refuses, with a list, where something does not fit.
 */
export async function adoptDatabase(
  session: DatabaseSession,
  set: MigrationSet,
  limits: RunLimits,
): Promise<Adoption> {
  const adoption = await planAdoption(session, set.snapshot)
  if (adoption.faults.length) throw refusalOf(adoption)
  await inTransaction(session, async () => {
    const { lockTimeoutMs, statementTimeoutMs } = limits
    await session.query(limitsSql({ lock_timeout: lockTimeoutMs, statement_timeout: statementTimeoutMs }))
    await session.query(waitForTheDeadSql)
    await runSqlScript(session, 'adoption', adoption.sql)
    await session.query(createHistory)
    await session.query(
      `insert into ${quote(historyTable)} ("MigrationId", "ProductVersion") select unnest($1::text[]), $2`,
      [set.migrations.map(({ name }) => name), productVersion],
    )
  })
  return adoption
}

/** The refusal of a database that does not fit. */
export const refusalOf = ({ faults }: Adoption): Refusal =>
  new Refusal(
    'adoptionRefused',
    `This database has tables of ABP that do not fit, and nothing was done to it:${faults.map((fault) => `\n  ${fault}`).join('')}`,
  )

/** Computes how a database would be adopted. Reads it only. */
export async function planAdoption(session: DatabaseSession, model: ModelSnapshot): Promise<Adoption> {
  const live = await readLiveSchema(session)
  const expected = await readExpectedSchema(session, model)
  const known = live.model.tables.filter(({ name }) =>
    expected.model.tables.some((table) => table.name === name),
  )
  const faults: string[] = []
  const filled: TableSnapshot[] = []
  const final: TableSnapshot[] = []
  for (const table of expected.model.tables) {
    const own = known.find(({ name }) => name === table.name)
    if (!own) {
      filled.push(table)
      final.push(table)
      continue
    }
    const { fits, others } = fitColumns(own, table, live)
    faults.push(...others)
    faults.push(...(await rowFaults(session, own, table)))
    filled.push(
      merge(
        own,
        table,
        fits.map((fit) => fit.filled),
      ),
    )
    final.push(
      merge(
        own,
        table,
        fits.map((fit) => fit.final),
      ),
    )
  }
  const from = { tables: known }
  // A required column is added with a value for the rows that are there, which is then not its default any more.
  const steps = [migrationSql(from, { tables: filled }), migrationSql({ tables: filled }, { tables: final })]
  return {
    sql: steps.filter(Boolean).join('\n\n'),
    changes: compareModels(from, { tables: final }).map(describeChange),
    faults,
  }
}

/** Columns as they are to be: those that are there in their order, then the missing ones. */
function fitColumns(
  own: TableSnapshot,
  table: TableSnapshot,
  { others }: LiveSchema,
): { fits: { filled: ColumnSnapshot; final: ColumnSnapshot }[]; others: string[] } {
  const faults: string[] = []
  const take = (fit: Fit): { filled: ColumnSnapshot; final: ColumnSnapshot } => {
    if (fit.fault) faults.push(`${table.name}.${fit.final.name}: ${fit.fault}`)
    return fit
  }
  const fits = own.columns.map((column) => {
    const wanted = table.columns.find(({ name }) => name === column.name)
    const isMade = others.some((line) => line.startsWith(`${table.name}.${column.name}: generated`))
    return take(fitColumn(column, wanted, isMade))
  })
  const missing = table.columns.filter(({ name }) => !own.columns.some((column) => column.name === name))
  return {
    fits: [...fits, ...missing.map((column) => take(fitColumn(undefined, column, false)))],
    others: faults,
  }
}

/** A table that keeps what it has and gets what ours have; what is only named differently is renamed. */
function merge(own: TableSnapshot, table: TableSnapshot, columns: readonly ColumnSnapshot[]): TableSnapshot {
  const extraIndexes = own.indexes.filter(
    (index) =>
      !table.indexes.some((wanted) => wanted.name === index.name || isSame(indexDefinition, wanted, index)),
  )
  const extraKeys = own.foreignKeys.filter(
    (key) => !table.foreignKeys.some((wanted) => wanted.name === key.name || wanted.column === key.column),
  )
  const extraChecks = (own.checks ?? []).filter(
    (check) => !table.checks?.some(({ name }) => name === check.name),
  )
  const checks = [...(table.checks ?? []), ...extraChecks]
  return {
    ...table,
    columns,
    foreignKeys: [...table.foreignKeys, ...extraKeys],
    indexes: [...table.indexes, ...extraIndexes],
    ...(checks.length > 0 && { checks }),
  }
}

const isSame = <T>(define: (value: T) => string, one: T, other: T): boolean => define(one) === define(other)

/** The conflicts of a table's rows and keys with our constraints, each with the number of rows. */
async function rowFaults(
  session: DatabaseSession,
  own: TableSnapshot,
  table: TableSnapshot,
): Promise<string[]> {
  const faults: string[] = []
  const has = (column: string): boolean => own.columns.some(({ name }) => name === column)
  const count = async (from: string, fault: (rows: string) => string): Promise<void> => {
    const { rows } = await session.query<{ count: string }>(`select count(*) from ${from}`)
    if (rows[0]?.count !== '0') faults.push(`${table.name}${fault(rows[0]?.count ?? '')}`)
  }
  if (own.primaryKey.columns.join() !== table.primaryKey.columns.join())
    faults.push(
      `${table.name}: its primary key is (${own.primaryKey.columns.join(', ') || 'none'}), not (${table.primaryKey.columns.join(', ')})`,
    )
  for (const { name, nullable } of table.columns)
    if (!nullable && own.columns.some((column) => column.name === name && column.nullable))
      await count(
        `${quote(table.name)} where ${quote(name)} is null`,
        (rows) => `.${name}: ${rows} rows have no value`,
      )
  for (const index of table.indexes) {
    const keys = keysOf(index)
    if (
      !index.unique ||
      !keys.every(has) ||
      own.indexes.some((known) => isSame(indexDefinition, known, index))
    )
      continue
    const conditions = [
      index.where,
      ...(index.nullsNotDistinct ? [] : keys.map((key) => `${quote(key)} is not null`)),
    ]
    const where = conditions
      .filter(Boolean)
      .map((condition) => `(${condition})`)
      .join(' and ')
    await count(
      `(select from ${quote(table.name)} ${where && `where ${where}`} group by ${columnList(keys)} having count(*) > 1) t`,
      (rows) =>
        `: ${rows} times several rows have the same ${keys.join(', ')}${index.where ? ` where ${index.where}` : ''}`,
    )
  }
  for (const key of table.foreignKeys) {
    const isThere = own.foreignKeys.some((known) => isSame(foreignKeyDefinition, known, key))
    if (isThere || !has(key.column)) continue
    const { rows } = await session.query<{ yes: boolean }>('select to_regclass($1) is not null as yes', [
      quote(key.principalTable),
    ])
    const missing = rows[0]?.yes
      ? `and not exists (select from ${quote(key.principalTable)} p where p.${quote(key.principalColumn)} = t.${quote(key.column)})`
      : ''
    await count(
      `${quote(table.name)} t where t.${quote(key.column)} is not null ${missing}`,
      (found) => `.${key.column}: ${found} rows point at no row of ${key.principalTable}`,
    )
  }
  for (const { name, condition } of table.checks ?? [])
    if (table.columns.every((column) => has(column.name) || !condition.includes(quote(column.name))))
      await count(
        `${quote(table.name)} where not (${condition})`,
        (rows) => `: ${rows} rows break ${name}: ${condition}`,
      )
  return faults
}

/** The columns of an index; one with an expression is left to PostgreSQL. */
function keysOf({ columns }: IndexSnapshot): string[] {
  return columns.flatMap((key) => (typeof key === 'string' ? [key] : []))
}
