import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { type CsvError, type Options, Parser } from 'csv-parse'
import type { FileBytes } from '../contracts/index.js'
import { valueOfText } from './cell-texts.js'
import { type CsvDelimiter, csvDelimiters, withoutFormulaGuards } from './formula-guard.js'
import type { SheetColumns } from './sheet-columns.js'
import {
  chunksOf,
  EmptyRows,
  maxCellCharacters,
  maxColumns,
  type RawCell,
  type ReadOptions,
  type ReadRow,
  readTable,
  type SheetLine,
  unreadable,
} from './table-reading.js'

/** How a CSV file is read. */
export interface CsvReadOptions extends ReadOptions {
  /** Between cells; found out from the first line when not given. */
  readonly delimiter?: CsvDelimiter
  /** The encoding, e.g. `windows-1252`; UTF-8 by default. A byte order mark takes precedence. */
  readonly encoding?: string
}

/** A row beyond it is taken for a file with a quote that never closes. */
const maxRecordCharacters = 256 * 1024
/** Commas and the like in a line, those inside of quotes among them: a reader of cells would make as many cells of them. */
const maxDelimiters = 50_000
/** The parser makes all rows of a piece at once: a reader that stops after some of them has paid for few others. */
const pieceCharacters = 8 * 1024

/** How cells of a file are read. */
function readerOf(rows: CsvRows) {
  return {
    read: (kind: Parameters<typeof valueOfText>[0], cell: RawCell) =>
      valueOfText(kind, withoutFormulaGuards(String(cell), rows.delimiter)),
  }
}

/**
 * Reads a CSV file (RFC 4180) row by row; none is kept. Cells that do not hold what their column does are
 * told with their row; a file that is no CSV, or lacks a column, throws a `ValidationError`.
 * @example for await (const { line, values, faults } of readCsv(users, file)) …
 */
export function readCsv<C extends SheetColumns>(
  columns: C,
  file: FileBytes,
  options: CsvReadOptions = {},
): AsyncGenerator<ReadRow<C>> {
  const rows = new CsvRows(options)
  return readTable(columns, linesOf(file, options, rows), readerOf(rows), options)
}

/** The rows of a CSV file as they stand in it, without those that have no content. Throws like {@link readCsv}, but not for columns. */
export async function* csvLines(file: FileBytes, options: CsvReadOptions = {}): AsyncGenerator<SheetLine> {
  const rows = new CsvRows(options)
  const reader = readerOf(rows)
  for await (const { line, cells } of linesOf(file, options, rows)) yield { line, cells, ...reader }
}

async function* textsOf(file: FileBytes, options: CsvReadOptions): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  try {
    for await (const chunk of chunksOf(file)) {
      decoder ??= new TextDecoder(markedEncoding(chunk) ?? options.encoding ?? 'utf-8', { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw unreadable(options, 'Encoding', { encoding: decoder?.encoding }, error)
  }
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** The text of a file in small pieces. Throws before it gives a piece with a line that is too long to be parsed. */
async function* piecesOf(file: FileBytes, options: CsvReadOptions): AsyncGenerator<string> {
  let line = 1
  let characters = 0
  let delimiters = 0
  let before = 0
  for await (const text of textsOf(file, options)) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code === lineFeed || code === carriageReturn) {
        if (code === carriageReturn || before !== carriageReturn) line++
        characters = 0
        delimiters = 0
      } else {
        characters++
        if (delimiterCodes.has(code)) delimiters++
        if (characters > maxRecordCharacters || delimiters > maxDelimiters)
          throw unreadable(options, 'RowTooLong', { line })
      }
      before = code
    }
    for (let from = 0; from < text.length; from += pieceCharacters)
      yield text.slice(from, from + pieceCharacters)
  }
}

const lineFeed = 10
const carriageReturn = 13

/** A row of a CSV file. */
interface CsvLine {
  readonly line: number
  readonly cells: readonly string[]
}

/** RFC 4180, section 2, with any line ending. */
async function* linesOf(file: FileBytes, options: CsvReadOptions, rows: CsvRows): AsyncGenerator<CsvLine> {
  try {
    yield* await recordsOf(piecesOf(file, options), rows)
  } catch (error) {
    const key = faultKeys[(error as Partial<CsvError>).code ?? '']
    throw key ? unreadable(options, key, { line: rows.line }, error) : error
  }
}

/** Makes rows of the records of the parser, inside of it: whatever leaves it costs several times as much. */
class CsvRows {
  /** Where the next row begins. */
  line = 1
  private readonly empty: EmptyRows
  private found: CsvDelimiter | undefined

  constructor(private readonly options: CsvReadOptions) {
    this.empty = new EmptyRows(options)
  }

  /** Known before the first row. */
  get delimiter(): CsvDelimiter {
    return this.found ?? ','
  }

  /** Takes the delimiter that was asked for, else the one of the beginning of the file. */
  begin(text: string): void {
    this.found = this.options.delimiter ?? likelyDelimiter(text)
  }

  /** The row of a record, with the line that it begins on; null for one without content. */
  take(record: readonly string[]): CsvLine | null {
    const { line } = this
    for (const cell of record) if (cell !== '') this.line += cell.match(/\r\n|\r|\n/g)?.length ?? 0
    this.line += 1
    if (this.empty.take(record)) return null
    return { line, cells: record.slice(0, maxColumns).map((cell) => cell.slice(0, maxCellCharacters)) }
  }
}

const faultKeys: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'Quote',
  CSV_MAX_RECORD_SIZE: 'RowTooLong',
}

/** The rows of a CSV text. Its source is closed when the reader stops early. */
async function recordsOf(texts: AsyncGenerator<string>, rows: CsvRows): Promise<AsyncIterable<CsvLine>> {
  let beginning = ''
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    beginning += next.value
    if (/[\r\n]/.test(beginning) || beginning.length > maxRecordCharacters) break
  }
  rows.begin(beginning)
  const parser = new RowParser(rows, {
    delimiter: rows.delimiter,
    max_record_size: maxRecordCharacters,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
  })
  const whole = async function* () {
    yield beginning
    yield* texts
  }
  // The reader of the parser gets every error.
  return pipeline(Readable.from(whole()), parser, () => undefined)
}

/**
 * The parser, with rows instead of records. Its option `on_record` would do, but describes the state of the parser for each record, which takes longer
 * than an empty row does otherwise.
 */
class RowParser extends Parser {
  constructor(
    private readonly rows: CsvRows,
    options: Options,
  ) {
    super(options)
  }

  override push(record: readonly string[] | null): boolean {
    if (record === null) return super.push(null)
    if (this.destroyed) return false
    // A record that has more or fewer cells than the first makes csv-parse build an error, also where that is allowed: as costly as dozens of records.
    const info = this.info as { records: number }
    info.records = 0
    try {
      const row = this.rows.take(record)
      return row === null || super.push(row)
    } catch (error) {
      this.destroy(error as Error)
      return false
    }
  }
}

const delimiterCodes = new Set(csvDelimiters.map((delimiter) => delimiter.charCodeAt(0)))

/** The most frequent delimiter of the first line, outside of quotes. */
function likelyDelimiter(text: string): CsvDelimiter {
  const [line = ''] = text.split(/[\r\n]/, 1)
  const plain = line.replace(/"[^"]*"/g, '')
  const counted = csvDelimiters.map((delimiter) => ({
    delimiter,
    times: plain.split(delimiter).length,
  }))
  return counted.reduce((best, next) => (next.times > best.times ? next : best)).delimiter
}
