import type { FileContent } from '../contracts/index.js'
import { type CsvReadOptions, csvLines, readCsv } from './csv-reader.js'
import { type CsvOptions, writeCsv } from './csv-writer.js'
import type { SheetColumns, SheetRows } from './sheet-columns.js'
import { type ReadRow, type SheetLine, unreadable } from './table-reading.js'
import { readXlsx, type XlsxReadOptions, xlsxLines } from './xlsx-reader.js'
import { writeXlsx, type XlsxOptions } from './xlsx-writer.js'

/** The formats of spreadsheets, by the endings of their files. */
export const spreadsheetTypes = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

/** A format of spreadsheets. */
export type SpreadsheetFormat = keyof typeof spreadsheetTypes

/**
 * A file of rows for an operation to give out: it is written while it is sent, whatever its size.
 * @param name without its ending
 * @example return spreadsheetFile('xlsx', 'shipments', shipmentColumns, rows)
 */
export function spreadsheetFile<C extends SheetColumns>(
  format: SpreadsheetFormat,
  name: string,
  columns: C,
  rows: SheetRows<C>,
  options: CsvOptions & XlsxOptions = {},
): FileContent {
  return {
    name: `${name}.${format}`,
    type: format === 'csv' ? `${spreadsheetTypes.csv}; charset=utf-8` : spreadsheetTypes.xlsx,
    stream: () => (format === 'csv' ? writeCsv : writeXlsx)(columns, rows, { sheetName: name, ...options }),
  }
}

/** Reads a CSV file or workbook, told apart by the first bytes. See {@link readCsv}, {@link readXlsx}. */
export async function* readSpreadsheet<C extends SheetColumns>(
  columns: C,
  file: FileContent,
  options: CsvReadOptions & XlsxReadOptions = {},
): AsyncGenerator<ReadRow<C>> {
  yield* (await isZip(file)) ? readXlsx(columns, file, options) : readCsv(columns, file, options)
}

/**
 * The rows with content of a CSV file or workbook as they stand in it, told apart by the first bytes: for readers that find out
 * the columns themselves. None is kept. Throws a `ValidationError` for a file that cannot be read.
 */
export async function* readLines(
  file: FileContent,
  options: CsvReadOptions & XlsxReadOptions = {},
): AsyncGenerator<SheetLine> {
  const { maxLines: most = Number.POSITIVE_INFINITY } = options
  let lines = 0
  for await (const line of (await isZip(file)) ? xlsxLines(file, options) : csvLines(file, options)) {
    lines += 1
    if (lines > most) throw unreadable(options, 'TooManyRows', { most })
    yield line
  }
}

async function isZip(file: FileContent): Promise<boolean> {
  if (file.size !== undefined && file.size < 2) return false
  if (!file.slice) return file.name.toLowerCase().endsWith('.xlsx')
  const begin: number[] = []
  for await (const chunk of file.slice(0, 2).stream() as unknown as AsyncIterable<Uint8Array>)
    begin.push(...chunk)
  return begin[0] === 0x50 && begin[1] === 0x4b
}
