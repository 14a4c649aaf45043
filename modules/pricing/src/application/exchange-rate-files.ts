import type { FileContent } from '@keel/framework/contracts'
import {
  type CsvReadOptions,
  isEmpty,
  type RawCell,
  readLines,
  type SheetLine,
  type XlsxReadOptions,
} from '@keel/framework/spreadsheets'
import { beginsAsXml, xmlLines } from './xml-files.js'

/** The columns that rates of the European Central Bank have, by their names in the list of rates. */
const columns = ['fromCurrencyCode', 'toCurrencyCode', 'rateDate', 'rate', 'source'] as const
const [euro, source] = ['EUR', 'ECB']

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
    if (isFirst) {
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

/** The rates of an envelope with cubes of days and currencies, one row each. */
function linesOfXml(file: FileContent): AsyncGenerator<SheetLine> {
  let day: string | undefined
  return xmlLines(file, {
    columns,
    root: 'Envelope',
    fault: 'Pricing:Validation:RateFile',
    opened(name, { time, currency, rate }) {
      if (name !== 'Cube') return undefined
      day = time ?? day
      return currency === undefined && rate === undefined ? undefined : [euro, currency, day, rate, source]
    },
  })
}
