import { AutoApiController, Clock } from '@keel/framework'
import type { ImplementationOf } from '@keel/framework/contracts'
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
import { Iso3166AppService, Iso3166Row, ReferenceDataPermissions } from '../contracts/index.js'
import { Country } from '../domain/country.js'
import { publishedLines } from './published-lines.js'

type Row = ImportedRow<Country, Iso3166Row>

const options = { key: 'code' }
const sheet = new ListSheet(entityMeta(Country), Iso3166Row, { fileName: 'iso-3166' })
const writtenMembers = ['alpha3Code', 'numericCode', 'name', 'officialName'] as const

const iso3166Lines = publishedLines<keyof Iso3166Row>({
  headers: {
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
  },
  fewestHeaders: 3,
})

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
