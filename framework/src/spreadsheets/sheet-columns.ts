/** The types of cell values in code, by kind of column. */
export interface CellTypes {
  text: string
  number: number
  /** An exact decimal as text, e.g. `"12.50"`. */
  decimal: string
  boolean: boolean
  /** A calendar date, `yyyy-MM-dd`. */
  date: string
  /** A point in time; a sheet shows it in UTC. */
  instant: Date
}

/** The kinds of cells; see {@link CellTypes}. */
export type CellKind = keyof CellTypes

/** A column of a sheet. */
export interface SheetColumn<K extends CellKind = CellKind> {
  /** The text of the header. A column is found by it when a sheet is read, ignoring case. */
  readonly header: string
  readonly kind: K
  /** Width in characters, where the format has one; by the header and the kind when not given. */
  readonly width?: number
}

/**
 * The columns of a sheet from left to right, by the names of their values in code. The same serve for writing
 * and for reading.
 * @example const users = { userName: { header: 'User name', kind: 'text' }, since: { header: 'Since', kind: 'date' } } as const
 */
export type SheetColumns = Readonly<Record<string, SheetColumn>>

/** Columns whose headers are still to be found, in the language of whoever reads the sheet. */
export type UnheadedColumns = Readonly<Record<string, Omit<SheetColumn, 'header'>>>

/** Columns with headers. */
export type WithHeaders<C extends UnheadedColumns> = {
  readonly [N in keyof C]: C[N] & Pick<SheetColumn, 'header'>
}

/**
 * Gives columns their headers.
 * @param headerOf the header of a column by its name in PascalCase
 * @example withHeaders({ userName: { kind: 'text' } }, (name) => localization.find(`DisplayName:${name}`, culture) ?? name)
 */
export function withHeaders<C extends UnheadedColumns>(
  columns: C,
  headerOf: (name: string) => string,
): WithHeaders<C> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => {
      const header = headerOf(name.charAt(0).toUpperCase() + name.slice(1))
      return [name, { ...column, header }]
    }),
  ) as WithHeaders<C>
}

/** The values of a row; what is absent or null is an empty cell. */
export type SheetRow<C extends UnheadedColumns> = {
  readonly [N in keyof C]?: CellTypes[C[N]['kind']] | null | undefined
}

/** Rows, all at once or as they come. */
export type SheetRows<C extends SheetColumns> = Iterable<SheetRow<C>> | AsyncIterable<SheetRow<C>>
