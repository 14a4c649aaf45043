import { AutoApiController, Clock } from '@keel/framework'
import type { FileContent, ImplementationOf } from '@keel/framework/contracts'
import {
  Databases,
  entityMeta,
  type ImportedRow,
  ImportingService,
  Imports,
  type ImportTarget,
  ListSheet,
  type NewRow,
  RowRules,
  Store,
  writeDifferingRows,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import {
  type CsvReadOptions,
  isEmpty,
  readLines,
  type SheetLine,
  type XlsxReadOptions,
} from '@keel/framework/spreadsheets'
import { Iso3166AppService, Iso3166Row, ReferenceDataPermissions } from '../contracts/index.js'
import { Country } from '../domain/country.js'

type Row = ImportedRow<Country, Iso3166Row>

const options = { key: 'code' }
const sheet = new ListSheet(entityMeta(Country), Iso3166Row, { fileName: 'iso-3166' })
const writtenMembers = ['alpha3Code', 'numericCode', 'name', 'officialName'] as const

/** The headers that publishers give the columns, without case, signs and spaces. */
const headers: Readonly<Record<string, keyof Iso3166Row>> = {
  code: 'code',
  alpha2: 'code',
  alpha2code: 'code',
  alpha3: 'alpha3Code',
  alpha3code: 'alpha3Code',
  numeric: 'numericCode',
  numericcode: 'numericCode',
  countrycode: 'numericCode',
  name: 'shortName',
  shortname: 'shortName',
  englishshortname: 'shortName',
  fullname: 'fullName',
  officialname: 'fullName',
  englishfullname: 'fullName',
}

/** So many of them say that a file is a publisher's. */
const fewestHeaders = 3

@AutoApiController(Iso3166AppService)
@RequiresPermission(ReferenceDataPermissions.Import)
export class Iso3166Service extends ImportingService implements ImplementationOf<typeof Iso3166AppService> {
  private readonly countries: Store<Country>

  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly clock: Clock,
    imports: Imports,
  ) {
    super(imports)
    this.countries = new Store(Country, databases, rules)
  }

  override get importTarget(): ImportTarget<Country, Iso3166Row> {
    return {
      contract: Iso3166AppService,
      rows: { input: Iso3166Row, shown: Iso3166Row },
      sheet,
      store: this.countries,
      options,
      linesOf: iso3166Lines,
      inputOf: ({ numericCode, ...values }) => ({
        ...values,
        // Spreadsheets take the zeros in front away.
        numericCode: typeof numericCode === 'string' ? numericCode.padStart(3, '0') : numericCode,
      }),
      prepare: async (rows) => {
        for (const row of rows) row.values = { ...row.values, ...countryOf(row) }
      },
      // The time of the last import says when one changed the country.
      write: (rows) =>
        writeDifferingRows({ store: this.countries, options }, rows, {
          members: writtenMembers,
          beside: { lastImportTime: this.clock.now },
        }),
    }
  }
}

function countryOf({ input, before }: Row): NewRow<Country> {
  const { code, alpha3Code, numericCode, shortName, fullName } = input
  const officialName = fullName || shortName
  return { code, alpha3Code, numericCode, name: before?.name ?? shortName, officialName }
}

/**
 * The rows of a file, the first with the names of members. Other columns of the list, such as names in further languages, are left out. A file whose headers are
 * none of a publisher's is read as it is: its headers are those of a template.
 */
async function* iso3166Lines(
  file: FileContent,
  options: CsvReadOptions & XlsxReadOptions = {},
): AsyncGenerator<SheetLine> {
  let places: readonly number[] | 'own' | undefined
  for await (const line of readLines(file, options)) {
    if (places === undefined && !line.cells.every(isEmpty)) {
      const names = line.cells.map(
        (cell) =>
          headers[
            String(cell ?? '')
              .toLowerCase()
              .replace(/[^a-z0-9]/g, '')
          ],
      )
      const found = names.flatMap((name, place) => (name && names.indexOf(name) === place ? [place] : []))
      places = found.length < fewestHeaders ? 'own' : found
      yield places === 'own' ? line : { ...line, cells: places.map((place) => names[place]) }
    } else
      yield places === undefined || places === 'own'
        ? line
        : { ...line, cells: places.map((place) => line.cells[place]) }
  }
}
