import type { FileContent } from '@keel/framework/contracts'
import {
  type CsvReadOptions,
  readLines,
  type SheetLine,
  type XlsxReadOptions,
} from '@keel/framework/spreadsheets'
import { beginsAsXml, xmlLines } from './xml-files.js'

/** The columns that the list of ISO 4217 has, by their names in the list of currencies. */
const columns = ['code', 'numericCode', 'name', 'minorUnits'] as const
/** Their elements inside of an entry. */
const elements = ['Ccy', 'CcyNbr', 'CcyNm', 'CcyMnrUnts'] as const

/**
 * The rows of a file of currencies: of CSV and XLSX with the columns of the list, and of list one of ISO 4217 as its maintenance agency publishes it
 * (`list-one.xml`). That has an entry for each country: of a currency the first one counts. Left out are codes without minor units, such as those of
 * precious metals, in which nobody pays. Throws a `ValidationError` for a file that cannot be read.
 */
export async function* currencyLines(
  file: FileContent,
  options: CsvReadOptions & XlsxReadOptions = {},
): AsyncGenerator<SheetLine> {
  yield* (await beginsAsXml(file)) ? linesOfXml(file) : readLines(file, options)
}

function linesOfXml(file: FileContent): AsyncGenerator<SheetLine> {
  const seen = new Set<string>()
  let entry = new Map<string, string>()
  return xmlLines(file, {
    columns,
    root: 'ISO_4217',
    fault: 'Pricing:Validation:CurrencyFile',
    opened(name) {
      if (name === 'CcyNtry') entry = new Map()
      return undefined
    },
    closed(name, text) {
      if (name !== 'CcyNtry') {
        entry.set(name, text.trim())
        return undefined
      }
      const code = entry.get('Ccy')
      if (!code || seen.has(code) || entry.get('CcyMnrUnts') === 'N.A.') return undefined
      seen.add(code)
      return elements.map((element) => entry.get(element))
    },
  })
}
