import { type CsvDelimiter, withFormulaGuards } from './formula-guard.js'
import type { CellKind, SheetColumns, SheetRow, SheetRows } from './sheet-columns.js'
import { ZoneTimes } from './zone-times.js'

/** How a CSV file is written. */
export interface CsvOptions {
  /**
   * The delimiter between cells, by default a comma; `;` suits programs of countries with a decimal comma.
   */
  readonly delimiter?: CsvDelimiter
  /** Begins the file with a byte order mark, by which Excel knows UTF-8; true when not given. */
  readonly byteOrderMark?: boolean
  /** Puts an apostrophe before what a program would compute (`=1+1`, `a;@SUM(…)`); true by default. */
  readonly guardsFormulas?: boolean
  /** IANA name of the zone whose clock time and offset points in time are written with; UTC when not given. */
  readonly timeZone?: string
}

const chunkCharacters = 32 * 1024

/**
 * A CSV file (RFC 4180, UTF-8) as a stream: rows are asked for as the reader takes them, and none is kept.
 * Numbers have a decimal point, points in time are ISO 8601.
 */
export function writeCsv<C extends SheetColumns>(
  columns: C,
  rows: SheetRows<C>,
  options: CsvOptions = {},
): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunksOf(columns, rows, options)) as unknown as ReadableStream<Uint8Array>
}

async function* chunksOf<C extends SheetColumns>(
  columns: C,
  rows: SheetRows<C>,
  { delimiter = ',', byteOrderMark = true, guardsFormulas = true, timeZone = 'UTC' }: CsvOptions,
): AsyncGenerator<Uint8Array> {
  const named = Object.entries(columns)
  const times = new ZoneTimes(timeZone)
  const special = new RegExp(`["\\r\\n${delimiter === '|' ? '\\|' : delimiter}]|^\\s|\\s$`)
  const quoted = (text: string) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const written = (text: string) => quoted(guardsFormulas ? withFormulaGuards(text, delimiter) : text)
  const lineOf = (row: SheetRow<C>) =>
    named.map(([name, { kind }]) => {
      const value = row[name]
      if (value === null || value === undefined) return ''
      return kind === 'text' ? written(value as string) : plainCell(kind, value, times)
    })

  let text = `${byteOrderMark ? '\ufeff' : ''}${named.map(([, { header }]) => written(header)).join(delimiter)}\r\n`
  for await (const row of rows) {
    text += `${lineOf(row).join(delimiter)}\r\n`
    if (text.length < chunkCharacters) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

/** A value that is no text, as CSV has it. */
function plainCell(kind: CellKind, value: string | number | boolean | Date, times: ZoneTimes): string {
  return kind === 'instant' ? times.text(value as Date) : String(value)
}
