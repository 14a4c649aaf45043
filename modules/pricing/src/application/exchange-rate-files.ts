import { type FileContent, faultOf, ValidationError } from '@keel/framework/contracts'
import {
  type CsvReadOptions,
  isEmpty,
  type RawCell,
  readLines,
  type SheetLine,
  valueOfText,
  type XlsxReadOptions,
} from '@keel/framework/spreadsheets'
import { SaxesParser } from 'saxes'

/** The columns that rates of the European Central Bank have, by their names in the list of rates. */
const columns = ['fromCurrencyCode', 'toCurrencyCode', 'rateDate', 'rate', 'source'] as const
const [euro, source] = ['EUR', 'ECB']
/** Elements nest four deep. */
const maxDepth = 16
/** Characters without a tag. */
const maxTokenCharacters = 64 * 1024

/**
 * The rows of a file of exchange rates: of CSV and XLSX with the columns of the list, and of the daily or historical reference rates of the European
 * Central Bank, as XML (`eurofxref-daily.xml`) or CSV (`eurofxref.csv`). Throws a `ValidationError` for a file that cannot be read.
 */
export async function* exchangeRateLines(
  file: FileContent,
  options: CsvReadOptions & XlsxReadOptions = {},
): AsyncGenerator<SheetLine> {
  if (await beginsAsXml(file)) {
    yield* linesOfXml(file)
    return
  }
  let isFirst = true
  let currencies: readonly string[] | undefined
  for await (const line of readLines(file, options)) {
    if (isFirst && !line.cells.every(isEmpty)) {
      isFirst = false
      currencies = currenciesOf(line.cells)
      yield currencies ? { ...line, cells: columns } : line
    } else if (currencies) yield* linesOfDay(line, currencies)
    else yield line
  }
}

/** The currencies of the columns behind the date, where a header is that of the bank: `Date, USD, JPY, …`. */
function currenciesOf([date, ...cells]: SheetLine['cells']): readonly string[] | undefined {
  const codes = cells.map((cell) => String(cell ?? '').trim())
  const isBank =
    String(date).trim() === 'Date' &&
    codes.some(Boolean) &&
    codes.every((code) => !code || /^[A-Z]{3}$/.test(code))
  return isBank ? codes : undefined
}

/** The rates of a day. A currency without a rate is not among them. */
function* linesOfDay(line: SheetLine, currencies: readonly string[]): Generator<SheetLine> {
  const [date, ...rates] = line.cells
  for (const [at, currency] of currencies.entries()) {
    const rate = rates[at]
    if (!currency || isEmpty(rate) || String(rate).trim() === 'N/A') continue
    yield { ...line, cells: [euro, currency, isoDay(date), rate, source] }
  }
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** `20 November 2026` as `2026-11-20`; other cells as they are. */
function isoDay(cell: RawCell | undefined): RawCell | undefined {
  const [, day = '', month = '', year] = /^\s*(\d{1,2}) ([A-Z][a-z]+) (\d{4})\s*$/.exec(String(cell)) ?? []
  const number = months.indexOf(month) + 1
  return number ? `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}` : cell
}

async function beginsAsXml(file: FileContent): Promise<boolean> {
  if (!file.slice) return /\.xml$/i.test(file.name)
  const begin = file.slice(0, Math.min(file.size ?? 0, 64)).stream() as unknown as AsyncIterable<Uint8Array>
  let text = ''
  for await (const chunk of begin) text += Buffer.from(chunk).toString('latin1')
  return /^(ï»¿)?\s*</.test(text)
}

/**
 * The rates of an envelope with cubes of days and currencies, one row each. Nothing of the document is kept. Document types are refused, and with them all
 * entities beside those of XML itself.
 */
async function* linesOfXml(file: FileContent): AsyncGenerator<SheetLine> {
  const read: SheetLine['read'] = (kind, cell) => valueOfText(kind, String(cell))
  const parser = new SaxesParser()
  let found: SheetLine[] = [{ line: 1, cells: columns, read }]
  let [depth, sinceTag, isEnvelope] = [0, 0, false]
  let day: string | undefined
  const refuse = (cause?: unknown): never => {
    throw new ValidationError([faultOf('file', 'Pricing:Validation:RateFile', { line: parser.line })], {
      cause,
    })
  }
  parser.on('error', refuse)
  parser.on('doctype', () => refuse())
  parser.on('closetag', () => {
    sinceTag = 0
    depth -= 1
  })
  parser.on('opentag', ({ name, attributes: { time, currency, rate } }) => {
    sinceTag = 0
    depth += 1
    const local = name.slice(name.indexOf(':') + 1)
    isEnvelope ||= local === 'Envelope'
    if (!isEnvelope || depth > maxDepth) refuse()
    if (local !== 'Cube') return
    day = time ?? day
    if (currency !== undefined || rate !== undefined)
      found.push({ line: parser.line, cells: [euro, currency, day, rate, source], read })
  })
  for await (const text of textsOf(file, refuse)) {
    sinceTag += text.length
    parser.write(text)
    if (sinceTag > maxTokenCharacters) refuse()
    yield* found
    found = []
  }
  parser.close()
  yield* found
}

/** The text of a file in UTF-8. */
async function* textsOf(file: FileContent, refuse: (cause: unknown) => never): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (error) {
      return refuse(error)
    }
  }
  for await (const chunk of file.stream() as unknown as AsyncIterable<Uint8Array>) yield decoded(chunk)
  yield decoded()
}
