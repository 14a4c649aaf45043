import { type FileBytes, faultOf, ValidationError, type ValidationFault } from '../contracts/index.js'
import type { CellKind, CellTypes, SheetColumns } from './sheet-columns.js'

/** How a sheet is read. */
export interface ReadOptions {
  /** The member of the input that faults of the whole file belong to; `file` when not given. */
  readonly member?: string
  /** Columns that the sheet must have, by name; all of them when not given. */
  readonly required?: readonly string[]
  /** Rows with content that are read at most, the header left out; 100,000 when not given. */
  readonly maxRows?: number
  /** Rows with content that `readLines` reads at most, whatever is made of them; any number when not given. */
  readonly maxLines?: number
}

/** A row that was read. */
export interface ReadRow<C extends SheetColumns> {
  /** Where it stands, the header being line 1. */
  readonly line: number
  /** The values of its cells; null where a cell is empty, invalid or missing in this sheet. */
  readonly values: { readonly [N in keyof C]: CellTypes[C[N]['kind']] | null }
  /** Cells that do not hold what their column does, by the column's name. */
  readonly faults: readonly ValidationFault[]
}

/** A cell as it is found in a file: text, or what the format itself knows of it. */
export type RawCell = string | number | boolean

/** How the cells of a format become values. */
export interface CellReader {
  read(kind: CellKind, cell: RawCell): CellTypes[CellKind] | undefined
}

/** A row of a sheet as it stands in the file, for readers that find out the columns themselves. */
export interface SheetLine extends CellReader {
  /** The line in the file. */
  readonly line: number
  /** The name of the sheet; undefined in CSV. */
  readonly sheet?: string | undefined
  /** Empty cells are undefined or blank texts. Of longer texts and rows the beginning is kept. */
  readonly cells: readonly (RawCell | undefined)[]
}

/** The longest text of a cell, as Excel has it. */
export const maxCellCharacters = 32_767
/** Cells of a row that are looked at. */
export const maxColumns = 1000
const defaultMaxRows = 100_000
/** Rows without any content that are passed over; a file can have very many of them. */
const maxEmptyRows = 10_000

/** The keys of the texts that refuse a cell, by what its column holds. */
export const cellFaultKeys: Record<CellKind, string> = {
  text: 'ThisFieldIsNotValid.',
  number: 'Validation:Number',
  decimal: 'Validation:Decimal',
  boolean: 'Validation:Boolean',
  date: 'Validation:CalendarDate',
  instant: 'Validation:Instant',
}

/** A {@link ValidationError} about a file as a whole. */
export function unreadable(
  { member = 'file' }: ReadOptions,
  key: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): ValidationError {
  return new ValidationError([faultOf(member, `Spreadsheet:${key}`, data)], { cause })
}

/** Tells rows without content, which the readers of both formats leave out as soon as they see one. */
export class EmptyRows {
  private count = 0

  constructor(private readonly options: ReadOptions) {}

  /** True for a row without content. Throws a `ValidationError` for one too many. */
  take(cells: readonly (RawCell | undefined)[]): boolean {
    if (!cells.every(isEmpty)) return false
    this.count += 1
    const { maxRows: most = defaultMaxRows } = this.options
    if (this.count > maxEmptyRows) throw unreadable(this.options, 'TooManyRows', { most })
    return true
  }
}

/** Makes typed rows of raw ones, of which the first has the headers. */
export async function* readTable<C extends SheetColumns>(
  columns: C,
  lines: AsyncIterable<{ readonly line: number; readonly cells: readonly (RawCell | undefined)[] }>,
  reader: CellReader,
  options: ReadOptions,
): AsyncGenerator<ReadRow<C>> {
  const { maxRows = defaultMaxRows } = options
  let places: ReadonlyMap<string, number> | undefined
  let rows = 0
  for await (const { line, cells } of lines) {
    if (!places) {
      places = placesOf(columns, cells, options)
      continue
    }
    rows += 1
    if (rows > maxRows) throw unreadable(options, 'TooManyRows', { most: maxRows })
    yield rowOf(columns, places, line, cells, reader)
  }
  if (!places) throw unreadable(options, 'NoHeader', { headers: headersOf(columns) })
}

/** Where each column stands in this sheet. */
function placesOf(
  columns: SheetColumns,
  cells: readonly (RawCell | undefined)[],
  options: ReadOptions,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [index, cell] of cells.entries()) {
    const header = String(cell ?? '')
      .trim()
      .toLowerCase()
    const name = Object.keys(columns).find((name) => columns[name]?.header.trim().toLowerCase() === header)
    if (name === undefined) continue
    if (found.has(name)) throw unreadable(options, 'ColumnTwice', { header: columns[name]?.header })
    found.set(name, index)
  }
  const missing = (options.required ?? Object.keys(columns)).filter((name) => !found.has(name))
  if (missing.length)
    throw unreadable(options, 'ColumnsMissing', {
      headers: missing.map((name) => columns[name]?.header ?? name).join(', '),
    })
  return found
}

function rowOf<C extends SheetColumns>(
  columns: C,
  places: ReadonlyMap<string, number>,
  line: number,
  cells: readonly (RawCell | undefined)[],
  reader: CellReader,
): ReadRow<C> {
  const faults: ValidationFault[] = []
  const values = Object.entries(columns).map(([name, { kind }]) => {
    const place = places.get(name)
    const cell = place === undefined ? undefined : cells[place]
    if (cell === undefined || isEmpty(cell)) return [name, null]
    const value = reader.read(kind, cell)
    if (value === undefined) faults.push(faultOf(name, cellFaultKeys[kind]))
    return [name, value ?? null]
  })
  return { line, values: Object.fromEntries(values), faults }
}

/** True for a cell without content. */
export function isEmpty(cell: RawCell | undefined): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '')
}

function headersOf(columns: SheetColumns): string {
  return Object.values(columns)
    .map(({ header }) => header)
    .join(', ')
}

/** Reads the chunks of a file; cancels the source when the reader stops early. */
export function chunksOf(file: FileBytes): AsyncIterable<Uint8Array> {
  return file.stream() as unknown as AsyncIterable<Uint8Array>
}
