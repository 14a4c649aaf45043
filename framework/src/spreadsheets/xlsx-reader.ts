import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { type FileContent, KeelError } from '../contracts/index.js'
import { valueOfText } from './cell-texts.js'
import type { CellKind, CellTypes, SheetColumns } from './sheet-columns.js'
import {
  type CellReader,
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

/** How a workbook is read, and what a small file may not grow to. */
export interface XlsxReadOptions extends ReadOptions {
  /** Bytes of the sheet once unpacked; 512 MiB when not given. */
  readonly maxUnpackedBytes?: number
  /** The most characters of shared texts, which are in memory while the sheet is read; 16 Mi by default. */
  readonly maxSharedCharacters?: number
}

const mebi = 1024 * 1024
const defaultUnpackedBytes = 512 * mebi
const defaultSharedCharacters = 16 * mebi
const maxSharedTexts = 2_000_000
/** Of the parts that say where things are. */
const maxDirectoryBytes = 4 * mebi
const maxEntries = 10_000
/** Bytes that are read of a file at a time, at least. */
const windowBytes = 65_536
/** Bytes without a whole tag or text: no honest file has so many. */
const maxTokenBytes = mebi
/** How often its size a part may unpack to, when that is more than a little; the measure of Apache POI (`ZipSecureFile`). */
const maxInflation = 100
const littleBytes = 4 * mebi
/** Rows of a sheet, and texts that its cells share. */
const units = new Set(['row', 'si'])
/** Elements in front of a unit or inside of one: a row has at most 16,384 cells. */
const maxElements = 100_000
const maxDepth = 64
const safeDigits = 15

/**
 * Reads the first sheet of a workbook (XLSX) row by row: the texts that cells share are in memory, within
 * bounds, and nothing else. Cells with a value of another type than their column are faults with their row; a file
 * that is no workbook, lacks a column or unpacks to more than it may throws a `ValidationError`.
 * @param file whose parts can be read alone, as an upload's or a web `File`'s can
 */
export function readXlsx<C extends SheetColumns>(
  columns: C,
  file: FileContent,
  options: XlsxReadOptions = {},
): AsyncGenerator<ReadRow<C>> {
  return withWorkbook(file, options, (workbook) =>
    readTable(columns, workbook.rows(), workbook.cells, options),
  )
}

/** The rows of the first sheet of a workbook as they stand in it, without those that have no content. Throws like {@link readXlsx}, but not for columns. */
export function xlsxLines(file: FileContent, options: XlsxReadOptions = {}): AsyncGenerator<SheetLine> {
  return withWorkbook(file, options, async function* (workbook) {
    const read = workbook.cells.read.bind(workbook.cells)
    for await (const { line, cells } of workbook.rows()) yield { line, sheet: workbook.name, cells, read }
  })
}

async function* withWorkbook<R>(
  file: FileContent,
  options: XlsxReadOptions,
  rowsOf: (workbook: Workbook) => AsyncGenerator<R>,
): AsyncGenerator<R> {
  const zip = await open(file, options)
  try {
    yield* rowsOf(await Workbook.open(zip, options))
  } catch (error) {
    if (error instanceof KeelError || !isAboutContent(error)) throw error
    throw unreadable(options, 'NoWorkbook', {}, error)
  } finally {
    zip.close()
  }
}

class NotAWorkbook extends Error {}

/** True for errors of zlib, the zip reader and the XML parser about the content of a file. */
function isAboutContent(error: unknown): boolean {
  if (error instanceof NotAWorkbook) return true
  const { code, syscall } = error as NodeJS.ErrnoException
  const isPlain = Object.getPrototypeOf(error) === Error.prototype
  return isPlain && syscall === undefined && (code === undefined || code.startsWith('Z_'))
}

async function open(file: FileContent, options: XlsxReadOptions): Promise<ZipFile> {
  const { size } = file
  if (size === undefined || !file.slice)
    throw new Error(`${file.name || 'The file'} can't be read in parts: readXlsx needs its size and slice`)
  try {
    const reader = new PartsOf(file as Required<Pick<FileContent, 'slice' | 'size'>>)
    return await fromRandomAccessReaderPromise(reader, size, { autoClose: false, lazyEntries: true })
  } catch (error) {
    if (!isAboutContent(error)) throw error
    throw unreadable(options, 'NoWorkbook', {}, error)
  }
}

class PartsOf extends RandomAccessReader {
  /** The piece that was read last: the directory has two places to read for each entry, of some bytes. */
  private window = { start: 0, bytes: new Uint8Array() }

  constructor(private readonly file: Required<Pick<FileContent, 'slice' | 'size'>>) {
    super()
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.bytesAt(position, length).then((bytes) => {
      buffer.set(bytes, offset)
      callback(null)
    }, callback)
  }

  private async bytesAt(position: number, length: number): Promise<Uint8Array> {
    const { start, bytes } = this.window
    if (position < start || position + length > start + bytes.length) {
      const end = Math.min(position + Math.max(length, windowBytes), this.file.size)
      const piece = position < end ? this.file.slice(position, end).stream() : null
      this.window = { start: position, bytes: new Uint8Array(await new Response(piece).arrayBuffer()) }
    }
    const from = position - this.window.start
    if (from + length > this.window.bytes.length) throw new NotAWorkbook('It ends too early.')
    return this.window.bytes.subarray(from, from + length)
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.fromWeb(this.file.slice(start, end).stream() as never)
  }
}

/** A relationship of the workbook: where a part is, by its id. */
type Targets = ReadonlyMap<string, { readonly type: string; readonly path: string }>

/** The first sheet of a workbook with what its cells need. */
class Workbook {
  private constructor(
    private readonly zip: ZipFile,
    /** Of the sheet. */
    readonly name: string,
    private readonly sheet: Entry,
    private readonly shared: readonly string[],
    readonly cells: CellReader,
    private readonly options: XlsxReadOptions,
  ) {}

  static async open(zip: ZipFile, options: XlsxReadOptions): Promise<Workbook> {
    const entries = new Map<string, Entry>()
    if (zip.entryCount > maxEntries) throw new NotAWorkbook('It has too many parts.')
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase()
      // Programs differ in which of two they read: who checks the file may have seen the other one.
      if (entries.has(name)) throw new NotAWorkbook(`It has ${entry.fileName} twice.`)
      entries.set(name, entry)
    }
    const part = (path: string) => entries.get(path.toLowerCase())
    const needed = (path: string): Entry => {
      const found = part(path)
      if (!found) throw new NotAWorkbook(`It has no ${path}.`)
      return found
    }
    const limits = { ...options, maxUnpackedBytes: maxDirectoryBytes }
    const { sheetId, name, countsFrom1904 } = await readDirectory(zip, needed('xl/workbook.xml'), limits)
    const targets = await readTargets(zip, needed('xl/_rels/workbook.xml.rels'), limits)
    const sheet = needed(targets.get(sheetId)?.path ?? 'xl/worksheets/sheet1.xml')
    const sharedPath = [...targets.values()].find(({ type }) => type.endsWith('/sharedStrings'))?.path
    const sharedPart = sharedPath === undefined ? undefined : part(sharedPath)
    const shared = sharedPart ? await readSharedTexts(zip, sharedPart, options) : []
    return new Workbook(zip, name, sheet, shared, new CellsOf(countsFrom1904), options)
  }

  async *rows(): AsyncGenerator<{ line: number; cells: readonly (RawCell | undefined)[] }> {
    const rows = new SheetRows(this.shared)
    const empty = new EmptyRows(this.options)
    for await (const _ of tokens(this.zip, this.sheet, rows, this.options)) {
      for (const row of rows.take()) if (!empty.take(row.cells)) yield row
      // What stands behind the rows is not looked at: merged cells, links, pictures.
      if (rows.areOver) return
    }
  }
}

async function readDirectory(
  zip: ZipFile,
  entry: Entry,
  options: XlsxReadOptions,
): Promise<{ sheetId: string; name: string; countsFrom1904: boolean }> {
  let sheetId: string | undefined
  let sheetName = ''
  let countsFrom1904 = false
  await readAll(zip, entry, options, ({ name, attributes }) => {
    if (localName(name) === 'workbookPr') countsFrom1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
    if (localName(name) !== 'sheet' || sheetId !== undefined) return
    sheetId = Object.entries(attributes).find(([attribute]) => /:id$/.test(attribute))?.[1]
    sheetName = attributes.name ?? ''
  })
  if (sheetId === undefined) throw new NotAWorkbook('It has no sheet.')
  return { sheetId, name: sheetName, countsFrom1904 }
}

async function readTargets(zip: ZipFile, entry: Entry, options: XlsxReadOptions): Promise<Targets> {
  const targets = new Map<string, { type: string; path: string }>()
  await readAll(zip, entry, options, ({ name, attributes }) => {
    const { Id: id, Type: type = '', Target: target = '' } = attributes
    if (localName(name) !== 'Relationship' || id === undefined) return
    targets.set(id, { type, path: target.startsWith('/') ? target.slice(1) : posix.join('xl', target) })
  })
  return targets
}

async function readSharedTexts(zip: ZipFile, entry: Entry, options: XlsxReadOptions): Promise<string[]> {
  const { maxSharedCharacters: most = defaultSharedCharacters } = options
  const texts: string[] = []
  let characters = 0
  const handler = new Texts('si', (text) => {
    characters += text.length
    if (characters > most || texts.length === maxSharedTexts)
      throw unreadable(options, 'TooMuchText', { most })
    texts.push(text)
  })
  for await (const _ of tokens(zip, entry, handler, options));
  return texts
}

async function readAll(
  zip: ZipFile,
  entry: Entry,
  options: XlsxReadOptions,
  opened: (tag: SaxesTagPlain) => void,
): Promise<void> {
  for await (const _ of tokens(zip, entry, { opened, closed: ignore, text: ignore }, options));
}

function ignore(): void {}

/** Receives the parts of an XML document. */
interface XmlHandler {
  opened(tag: SaxesTagPlain): void
  closed(name: string): void
  text(text: string): void
}

/**
 * Parses a part and yields after each of its chunks, when the handler was told what is in it. Holds the part
 * to its limits.
 */
async function* tokens(
  zip: ZipFile,
  entry: Entry,
  handler: XmlHandler,
  options: XlsxReadOptions,
): AsyncGenerator<void> {
  if (entry.isEncrypted()) throw new NotAWorkbook('It is encrypted.')
  const { maxUnpackedBytes = defaultUnpackedBytes } = options
  const most = Math.min(maxUnpackedBytes, Math.max(littleBytes, entry.compressedSize * maxInflation))
  if (entry.uncompressedSize > most) throw unreadable(options, 'TooBig', { most })
  const parser = new SaxesParser()
  let sinceToken = 0
  let sinceUnit = 0
  let depth = 0
  parser.on('error', (error) => {
    throw new NotAWorkbook(error.message)
  })
  parser.on('opentag', (tag) => {
    sinceToken = 0
    sinceUnit += 1
    depth += 1
    if (depth > maxDepth) throw new NotAWorkbook('Its elements nest too deep.')
    if (sinceUnit > maxElements) throw new NotAWorkbook('It has too many elements beside its rows.')
    handler.opened(tag)
  })
  parser.on('closetag', ({ name }) => {
    sinceToken = 0
    depth -= 1
    if (units.has(localName(name))) sinceUnit = 0
    handler.closed(name)
  })
  parser.on('text', (text) => {
    sinceToken = 0
    handler.text(text)
  })
  const decoder = new StringDecoder('utf8')
  // The zip reader sees to it that no more comes than the entry says.
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    sinceToken += (chunk as Buffer).length
    parser.write(decoder.write(chunk as Buffer))
    if (sinceToken > maxTokenBytes) throw new NotAWorkbook('It has a text without an end.')
    yield
  }
  parser.write(decoder.end()).close()
  yield
}

/** Collects the text of the `t` elements in each element of a name, without phonetic hints (`rPh`). */
class Texts implements XmlHandler {
  private collected = ''
  private isText = false
  private isHint = false

  constructor(
    private readonly element: string,
    private readonly found: (text: string) => void,
  ) {}

  opened({ name }: SaxesTagPlain): void {
    const local = localName(name)
    if (local === this.element) this.collected = ''
    else if (local === 'rPh') this.isHint = true
    else if (local === 't') this.isText = !this.isHint
  }

  text(text: string): void {
    if (this.isText && this.collected.length < maxCellCharacters) this.collected += text
  }

  closed(name: string): void {
    const local = localName(name)
    if (local === 't') this.isText = false
    else if (local === 'rPh') this.isHint = false
    else if (local === this.element) this.found(unescaped(copyOf(this.collected.slice(0, maxCellCharacters))))
  }
}

/** The text in memory of its own: else it would keep all that it was cut from, however much that is. */
function copyOf(text: string): string {
  return Buffer.from(text).toString()
}

/** Collects the rows of a sheet. */
class SheetRows implements XmlHandler {
  /** True behind the last row. */
  areOver = false
  private done: { line: number; cells: (RawCell | undefined)[] }[] = []
  private cells: (RawCell | undefined)[] = []
  private line = 0
  private column = -1
  private type = 'n'
  private value = ''
  private isValue = false
  private readonly inline = new Texts('is', (text) => {
    this.value = text
  })

  constructor(private readonly shared: readonly string[]) {}

  /** The rows that are whole; each is given once. */
  take(): { line: number; cells: readonly (RawCell | undefined)[] }[] {
    const taken = this.done
    this.done = []
    return taken
  }

  opened(tag: SaxesTagPlain): void {
    const local = localName(tag.name)
    if (local === 'row') {
      this.line = Number(tag.attributes.r) || this.line + 1
      this.cells = []
      this.column = -1
    } else if (local === 'c') {
      this.column = columnOf(tag.attributes.r) ?? this.column + 1
      this.type = tag.attributes.t ?? 'n'
      this.value = ''
    } else if (local === 'v') this.isValue = true
    else this.inline.opened(tag)
  }

  text(text: string): void {
    if (!this.isValue) this.inline.text(text)
    else if (this.value.length < maxCellCharacters) this.value += text
  }

  closed(name: string): void {
    const local = localName(name)
    if (local === 'v') this.isValue = false
    else if (local === 'c') this.addCell()
    else if (local === 'row') this.done.push({ line: this.line, cells: this.cells })
    else if (local === 'sheetData') this.areOver = true
    else this.inline.closed(name)
  }

  private addCell(): void {
    if (this.column >= maxColumns) return
    while (this.cells.length < this.column) this.cells.push(undefined)
    this.cells[this.column] = this.cell()
  }

  /** ECMA-376, ST_CellType. */
  private cell(): RawCell | undefined {
    const { type, value } = this
    if (type === 's') return this.shared[Number(value)]
    if (type === 'b') return value === '1' || value === 'true'
    if (value === '') return undefined
    if (type === 'str') return unescaped(value)
    if (type === 'n') return Number.isNaN(Number(value)) || isTooExact(value) ? value : Number(value)
    return value
  }
}

/** True for a number with more digits than one of JavaScript holds for sure: decimals are exact. */
function isTooExact(value: string): boolean {
  return value.length > safeDigits && value.replace(/^-?0*\.?0*/, '').replace('.', '').length > safeDigits
}

/** Days are numbers in a sheet: which day is 0 depends on the workbook. */
class CellsOf implements CellReader {
  private readonly dayZeroMs: number

  constructor(countsFrom1904: boolean) {
    this.dayZeroMs = countsFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  }

  read(kind: CellKind, cell: RawCell): CellTypes[CellKind] | undefined {
    if (typeof cell === 'string') {
      const isDay = (kind === 'date' || kind === 'instant') && /^\d{1,7}\.\d+$/.test(cell)
      return isDay ? this.read(kind, Number(cell)) : valueOfText(kind, cell)
    }
    if (kind === 'boolean') return typeof cell === 'boolean' ? cell : valueOfText(kind, String(cell))
    if (kind === 'text') return String(cell)
    if (typeof cell === 'boolean') return undefined
    if (kind === 'date') return this.instantOf(Math.floor(cell))?.toISOString().slice(0, 10)
    return kind === 'instant' ? this.instantOf(cell) : valueOfText(kind, String(cell))
  }

  /** In whole milliseconds; undefined for what is no day of the years up to 9999. */
  private instantOf(days: number): Date | undefined {
    const instant = new Date(this.dayZeroMs + Math.round(days * 86_400_000))
    return days >= 0 && instant.getTime() < Date.UTC(10_000, 0, 1) ? instant : undefined
  }
}

function columnOf(place: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(place ?? '') ?? []
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** `_x000D_` stands for a character that XML does not have (ECMA-376, ST_Xstring). */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
