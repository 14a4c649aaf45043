import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { CellKind, CellTypes, SheetColumn, SheetColumns, SheetRow, SheetRows } from './sheet-columns.js'
import { maxCellCharacters } from './table-reading.js'
import { ZoneTimes } from './zone-times.js'

/** How a workbook is written. */
export interface XlsxOptions {
  /** The text on the sheet's tab: 31 characters at most; `Sheet1` when not given. */
  readonly sheetName?: string
  /** IANA name of the zone whose clock time points in time are shown in; UTC when not given. */
  readonly timeZone?: string
}

/** Rows of a sheet, its header included, as Excel has it; further ones go on a sheet of their own. */
const maxSheetRows = 1_048_576
const chunkCharacters = 32 * 1024
const dayMs = 86_400_000
/** Day 0 of spreadsheets' calendar, which has a 29 February 1900: right from 1 March 1900 on. */
const dayZeroMs = Date.UTC(1899, 11, 30)
const firstRightDayMs = Date.UTC(1900, 2, 1)

/** Indexes into `cellXfs` of the styles below. */
const styles = { header: 1, date: 2, instant: 3 }

/**
 * A workbook (XLSX) as a stream: rows are asked for as the reader takes them, and none is kept. Texts are
 * texts, never formulas. A text beyond what a cell holds ends the stream
 * with an error.
 */
export function writeXlsx<C extends SheetColumns>(
  columns: C,
  rows: SheetRows<C>,
  { sheetName = 'Sheet1', timeZone = 'UTC' }: XlsxOptions = {},
): ReadableStream<Uint8Array> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const fail = (error: unknown) => output.destroy(error as Error)
  zip.on('error', fail)
  writeWorkbook(
    zip,
    output,
    columns,
    { rows: new RowsLeft(rows), times: new ZoneTimes(timeZone) },
    nameOfTab(sheetName),
  ).catch(fail)
  return Readable.toWeb(output) as ReadableStream<Uint8Array>
}

/** The rows of a workbook, and the clock that their points in time are shown by. */
interface Content<C extends SheetColumns> {
  readonly rows: RowsLeft<SheetRow<C>>
  readonly times: ZoneTimes
}

async function writeWorkbook<C extends SheetColumns>(
  zip: ZipFile,
  output: Readable,
  columns: C,
  content: Content<C>,
  sheetName: string,
): Promise<void> {
  const names: string[] = []
  do {
    names.push(names.length ? `${sheetName.slice(0, 25)} (${names.length + 1})` : sheetName)
    const sheet = Readable.from(sheetXml(columns, content), { objectMode: false })
    const stop = () => sheet.destroy()
    output.once('close', stop)
    const written = new Promise<void>((resolve, reject) => {
      sheet.once('error', reject)
      sheet.once('close', resolve)
    })
    zip.addReadStream(sheet, `xl/worksheets/sheet${names.length}.xml`, { compressionLevel: 1 })
    await written
    output.off('close', stop)
  } while (!content.rows.isEnd && !output.destroyed)
  for (const [path, xml] of Object.entries(partsOf(names)))
    zip.addBuffer(Buffer.from(declaration + xml), path)
  zip.end()
}

/** Rows that several sheets take their share of. */
class RowsLeft<Row> {
  isEnd = false
  private readonly iterator: AsyncIterator<Row> | Iterator<Row>
  private ahead: Promise<IteratorResult<Row>> | undefined

  constructor(rows: Iterable<Row> | AsyncIterable<Row>) {
    this.iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  /** True when there is a further row; does not consume it. */
  async hasNext(): Promise<boolean> {
    this.ahead ??= Promise.resolve(this.iterator.next())
    this.isEnd = (await this.ahead).done === true
    return !this.isEnd
  }

  async next(): Promise<Row> {
    this.ahead ??= Promise.resolve(this.iterator.next())
    const { value } = await this.ahead
    this.ahead = undefined
    return value
  }

  async stop(): Promise<void> {
    this.isEnd = true
    await this.iterator.return?.()
  }
}

async function* sheetXml<C extends SheetColumns>(
  columns: C,
  { rows, times }: Content<C>,
): AsyncGenerator<Buffer> {
  const named = Object.entries(columns)
  const places = named.map((_, index) => columnLetters(index))
  let isDone = false
  try {
    let text = `${declaration}${sheetHead(named.map(([, column]) => column))}<sheetData>`
    text += `<row r="1">${named.map(([, { header }], index) => textCell(`${places[index]}1`, header, styles.header)).join('')}</row>`
    let line = 1
    while (line < maxSheetRows && (await rows.hasNext())) {
      line += 1
      const row = await rows.next()
      text += `<row r="${line}">`
      for (const [index, [name, { kind }]] of named.entries())
        text += cellXml(`${places[index]}${line}`, kind, row[name], times)
      text += '</row>'
      if (text.length < chunkCharacters) continue
      yield Buffer.from(text)
      text = ''
    }
    // Asked for once more, so that a full sheet knows whether another one follows.
    await rows.hasNext()
    isDone = true
    yield Buffer.from(`${text}</sheetData></worksheet>`)
  } finally {
    if (!isDone) await rows.stop()
  }
}

function sheetHead(columns: readonly SheetColumn[]): string {
  const widths = columns.map(({ header, kind, width }, index) => {
    const characters = width ?? Math.max(header.length + 2, kind === 'instant' ? 20 : 11)
    return `<col min="${index + 1}" max="${index + 1}" width="${characters}" customWidth="1"/>`
  })
  const frozen = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  return `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">${frozen}</sheetView></sheetViews>${widths.length ? `<cols>${widths.join('')}</cols>` : ''}`
}

function cellXml(
  place: string,
  kind: CellKind,
  value: CellTypes[CellKind] | null | undefined,
  times: ZoneTimes,
): string {
  if (value === null || value === undefined) return ''
  switch (kind) {
    case 'text':
      return textCell(place, value as string)
    case 'number':
      return Number.isFinite(value) ? `<c r="${place}"><v>${value}</v></c>` : textCell(place, String(value))
    case 'decimal':
      return `<c r="${place}"><v>${value}</v></c>`
    case 'boolean':
      return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`
    case 'date':
      return dayCell(place, new Date(`${value}T00:00:00Z`), styles.date, value as string)
    case 'instant':
      return dayCell(place, times.clockTime(value as Date), styles.instant, times.text(value as Date))
  }
}

/** Writes instants before the calendar of spreadsheets as text. */
function dayCell(place: string, instant: Date, style: number, text: string): string {
  const ms = instant.getTime()
  if (!(ms >= firstRightDayMs)) return textCell(place, text)
  return `<c r="${place}" s="${style}"><v>${(ms - dayZeroMs) / dayMs}</v></c>`
}

function textCell(place: string, text: string, style?: number): string {
  if (text.length > maxCellCharacters)
    throw new RangeError(
      `The text of cell ${place} has ${text.length} characters: a cell holds ${maxCellCharacters}`,
    )
  const space = /^\s|\s$|[\r\n\t]/.test(text) ? ' xml:space="preserve"' : ''
  const styled = style === undefined ? '' : ` s="${style}"`
  return `<c r="${place}" t="inlineStr"${styled}><is><t${space}>${escaped(text)}</t></is></c>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * XML has no characters below the space but three, and a carriage return is lost: `_x000D_` stands for one
 * (ECMA-376, ST_Xstring).
 */
function escaped(text: string): string {
  if (!/[&<>"_\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/.test(text)) return text
  return text
    .replace(
      /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g,
      '\ufffd',
    )
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[\x00-\x08\x0b-\x1f]/g, (character) => `_x${hex4(character)}_`)
    .replace(/[&<>"]/g, (character) => entities[character] as string)
}

function hex4(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}

/** A, B, … Z, AA, … */
function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

/** A name that Excel allows on a tab. */
function nameOfTab(name: string): string {
  return (
    name
      .replace(/[\\/?*[\]:\x00-\x1f]/g, ' ')
      .replace(/^'+|'+$/g, '')
      .trim()
      .slice(0, 31) || 'Sheet1'
  )
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const documents = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts of a workbook beside its sheets. */
function partsOf(sheetNames: readonly string[]): Readonly<Record<string, string>> {
  const sheets = sheetNames.map((name, index) => ({ name: escaped(name), number: index + 1 }))
  const stylesId = sheets.length + 1
  return {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentType}.styles+xml"/>${sheets.map(({ number }) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${contentType}.worksheet+xml"/>`).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${documents}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${documents}"><sheets>${sheets.map(({ name, number }) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">${sheets.map(({ number }) => `<Relationship Id="rId${number}" Type="${documents}/worksheet" Target="worksheets/sheet${number}.xml"/>`).join('')}<Relationship Id="rId${stylesId}" Type="${documents}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  }
}
