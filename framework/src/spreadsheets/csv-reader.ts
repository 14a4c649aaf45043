import { TextDecoder } from 'node:util'
import type { FileBytes } from '../contracts/index.js'
import { valueOfText } from './cell-texts.js'
import type { SheetColumns } from './sheet-columns.js'
import {
  chunksOf,
  maxCellCharacters,
  maxColumns,
  type RawCell,
  type ReadOptions,
  type ReadRow,
  readTable,
  unreadable,
} from './table-reading.js'

/** How a CSV file is read. */
export interface CsvReadOptions extends ReadOptions {
  /** Between cells; found out from the first line when not given. */
  readonly delimiter?: ',' | ';' | '\t' | '|'
  /** The encoding, e.g. `windows-1252`; UTF-8 by default. A byte order mark takes precedence. */
  readonly encoding?: string
}

/** A row beyond it is taken for a file with a quote that never closes. */
const maxRecordCharacters = 256 * 1024

const reader = {
  read: (kind: Parameters<typeof valueOfText>[0], cell: RawCell) =>
    valueOfText(kind, unguarded(String(cell))),
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
  return readTable(columns, linesOf(textsOf(file, options), options), reader, options)
}

/** Takes away the apostrophe that guards a text that looks like a formula. */
function unguarded(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
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

/** RFC 4180, section 2, with any line ending. The line of a row is the one that it begins on. */
async function* linesOf(
  texts: AsyncIterable<string>,
  options: CsvReadOptions,
): AsyncGenerator<{ line: number; cells: readonly string[] }> {
  let { delimiter } = options
  let text = ''
  let line = 1
  for await (const more of withEnd(texts)) {
    text += more ?? ''
    const isWhole = more === undefined
    delimiter ??= likelyDelimiter(text, isWhole)
    if (delimiter === undefined) continue
    const records = new Records(text, delimiter, isWhole)
    for (let cells = records.next(); cells; cells = records.next()) {
      yield { line, cells }
      line += records.linesRead
    }
    if (records.misplacedQuote) throw unreadable(options, 'Quote', { line })
    text = text.slice(records.position)
    if (text.length > maxRecordCharacters) throw unreadable(options, 'RowTooLong', { line })
  }
}

/** The texts, and undefined behind them. */
async function* withEnd(texts: AsyncIterable<string>): AsyncGenerator<string | undefined> {
  yield* texts
  yield undefined
}

/**
 * The most frequent delimiter of the first line, outside of quotes; undefined until that line is complete.
 */
function likelyDelimiter(text: string, isWhole: boolean): CsvReadOptions['delimiter'] {
  const end = text.search(/[\r\n]/)
  if (end < 0 && !isWhole && text.length < maxRecordCharacters) return undefined
  const first = (end < 0 ? text : text.slice(0, end)).replace(/"[^"]*"/g, '')
  const counted = ([',', ';', '\t', '|'] as const).map((delimiter) => ({
    delimiter,
    times: first.split(delimiter).length,
  }))
  return counted.reduce((best, next) => (next.times > best.times ? next : best)).delimiter
}

/** Takes the whole records off a text. What is left behind `position` needs more text. */
class Records {
  position = 0
  /** Lines that the record read last stood on. */
  linesRead = 0
  misplacedQuote = false
  private at = 0
  private readonly plain: RegExp

  constructor(
    private readonly text: string,
    private readonly delimiter: string,
    private readonly isWhole: boolean,
  ) {
    this.plain = new RegExp(`[^\\r\\n${delimiter === '|' ? '\\|' : delimiter}]*`, 'y')
  }

  /** The cells of the next record; undefined when there is none, or not all of it. */
  next(): readonly string[] | undefined {
    if (this.position === this.text.length) return undefined
    this.at = this.position
    const cells: string[] = []
    for (;;) {
      const cell = this.text[this.at] === '"' ? this.quotedCell() : this.plainCell()
      if (cell === undefined) return undefined
      if (cells.length < maxColumns) cells.push(cell.slice(0, maxCellCharacters))
      if (this.text[this.at] === this.delimiter) this.at += 1
      else break
    }
    return this.lineEnds() ? cells : undefined
  }

  private lineEnds(): boolean {
    const { text, at } = this
    const ending = text[at]
    if (ending !== undefined && ending !== '\r' && ending !== '\n') {
      this.misplacedQuote = true
      return false
    }
    // A line feed may follow.
    if (!this.isWhole && (ending === undefined || (ending === '\r' && at + 1 === text.length))) return false
    const end = at + (ending === '\r' && text[at + 1] === '\n' ? 2 : ending === undefined ? 0 : 1)
    this.linesRead =
      text.slice(this.position, end).split(/\r\n|\r|\n/).length - (ending === undefined ? 0 : 1)
    this.position = end
    return true
  }

  private plainCell(): string {
    this.plain.lastIndex = this.at
    const [cell = ''] = this.plain.exec(this.text) ?? []
    this.at += cell.length
    return cell
  }

  private quotedCell(): string | undefined {
    const begin = this.at + 1
    let end = this.text.indexOf('"', begin)
    while (end >= 0 && this.text[end + 1] === '"') end = this.text.indexOf('"', end + 2)
    if (end < 0) {
      this.misplacedQuote = this.isWhole
      return undefined
    }
    this.at = end + 1
    return this.text.slice(begin, end).replaceAll('""', '"')
  }
}
