import type { FileContent } from '@keel/framework/contracts'
import {
  type CsvReadOptions,
  isEmpty,
  type RawCell,
  readLines,
  type SheetLine,
  type XlsxReadOptions,
} from '@keel/framework/spreadsheets'

/** The columns of a row of a file, by the members of a row, in the order of the official list. Those without a member are passed over. */
const members = [
  ...['change', undefined, undefined, 'name', 'nameWoDiacritics', 'subdivisionCode'],
  ...['functionCodes', 'entryStatus', undefined, 'iataCode', 'coordinates', undefined],
] as const
/** The headers of these columns, in lower case. */
const headers = [
  ...['change', 'country', 'location', 'name', 'namewodiacritics', 'subdivision'],
  ...['function', 'status', 'date', 'iata', 'coordinates', 'remarks'],
]
const [change, country, location] = [0, 1, 2]
const columns = ['unLocode', ...members.filter((member) => member !== undefined)]

/** Places in international waters belong to no country. */
const noCountry = 'XZ'

/**
 * The places in a file of UN/LOCODE, the first row with the names of their members. Files of the official list have twelve columns, with or without a header; in
 * others the first row names members, as in a template. Of the official list are left out: names of countries, references from a name to another (`=`),
 * places in international waters, rows whose code came before, and codes with 0 or 1, which the standard does not have: three of the release 2024-2 do.
 */
export async function* unLocodeLines(
  file: FileContent,
  options: CsvReadOptions & XlsxReadOptions = {},
): AsyncGenerator<SheetLine> {
  const seen = new Set<string>()
  let places: readonly number[] | 'own' | undefined
  for await (const line of readLines(file, options)) {
    if (places === undefined) {
      places = placesOf(line.cells)
      if (places !== 'own') yield { ...line, cells: columns }
      if (isHeader(line.cells)) continue
    }
    if (places === 'own') {
      yield line
      continue
    }
    const cells = places.map((place) => line.cells[place])
    const code = textOf(cells[country]) + textOf(cells[location])
    if (isLeftOut(cells, code) || seen.has(code)) continue
    seen.add(code)
    yield { ...line, cells: [code, ...cells.filter((_, index) => members[index] !== undefined)] }
  }
}

/** Where the columns of the official list stand; `own` for a file whose first row names members. */
function placesOf(cells: SheetLine['cells']): readonly number[] | 'own' {
  if (isHeader(cells)) {
    const names = cells.map((cell) => textOf(cell).toLowerCase())
    return headers.map((header) => names.indexOf(header))
  }
  const isOfficial = cells.length >= headers.length - 1 && /^[A-Z]{2}$/.test(textOf(cells[country]))
  return isOfficial ? headers.map((_, index) => index) : 'own'
}

function isHeader(cells: SheetLine['cells']): boolean {
  const names = new Set(cells.map((cell) => textOf(cell).toLowerCase()))
  return names.has('country') && names.has('location')
}

function isLeftOut(cells: SheetLine['cells'], code: string): boolean {
  if (isEmpty(cells[location]) || textOf(cells[change]) === '=' || textOf(cells[country]) === noCountry)
    return true
  return /^[A-Z]{2}(?=.*[01])[A-Z0-9]{3}$/.test(code)
}

function textOf(cell: RawCell | undefined): string {
  return String(cell ?? '').trim()
}
