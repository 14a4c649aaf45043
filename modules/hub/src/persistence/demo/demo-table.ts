export type DemoValue = string | number | boolean | Date | null | readonly string[]

/** Rows for one table, made while they are read: iterating twice gives the same rows twice. */
export interface DemoTable {
  table: string
  columns: readonly string[]
  rows: Iterable<readonly DemoValue[]>
  count: number
}

/** A row by column name. All rows of a table name the same columns in the same order. */
export type DemoRow = Readonly<Record<string, DemoValue>>

/** Tells the columns from the first row; columns that no row names take their defaults. */
export function demoTable(table: string, count: number, makeRows: () => Iterable<DemoRow>): DemoTable {
  const [first] = makeRows()
  return {
    table,
    columns: Object.keys(first ?? {}),
    count,
    rows: {
      *[Symbol.iterator]() {
        for (const row of makeRows()) yield Object.values(row)
      },
    },
  }
}
