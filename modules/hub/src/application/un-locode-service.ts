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
  ReferenceSets,
  RowRules,
  Store,
  writeDifferingRows,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { PortDto, ReferenceDataPermissions, UnLocodeAppService, UnLocodeRow } from '../contracts/index.js'
import { Country } from '../domain/country.js'
import { Port } from '../domain/port.js'
import { portOfList, writtenMembers } from '../domain/un-locode.js'
import { unLocodeLines } from './un-locode-files.js'

type Row = ImportedRow<Port, UnLocodeRow>

const options = { key: 'unLocode' }
const sheet = new ListSheet(entityMeta(Port), PortDto, { fileName: 'un-locode' })

@AutoApiController(UnLocodeAppService)
@RequiresPermission(ReferenceDataPermissions.Import)
export class UnLocodeService extends ImportingService implements ImplementationOf<typeof UnLocodeAppService> {
  private readonly ports: Store<Port>

  constructor(
    databases: Databases,
    rules: RowRules,
    private readonly references: ReferenceSets,
    private readonly clock: Clock,
    imports: Imports,
  ) {
    super(imports)
    this.ports = new Store(Port, databases, rules)
  }

  override get importTarget(): ImportTarget<Port, UnLocodeRow> {
    return {
      contract: UnLocodeAppService,
      rows: { input: UnLocodeRow, shown: PortDto },
      sheet,
      store: this.ports,
      options,
      linesOf: unLocodeLines,
      prepare: (rows) => this.prepare(rows),
      // The time of the last import says when one changed the port.
      write: (rows) =>
        writeDifferingRows({ store: this.ports, options }, rows, {
          members: writtenMembers,
          beside: { lastImportTime: this.clock.now },
        }),
    }
  }

  private async prepare(rows: readonly Row[]): Promise<void> {
    const codes = new Set(rows.map(({ input }) => input.unLocode.slice(0, 2)))
    const countries = await this.references.matching(Country, 'code', [...codes])
    for (const row of rows) {
      const { input, before, values } = row
      const countryCode = input.unLocode.slice(0, 2)
      const [countryId] = countries.idsBy('code', countryCode)
      if (!countryId) {
        row.refuse('unLocode', 'Hub:Validation:NoSuchCountry', { countryCode })
        continue
      }
      const timeZone = countries.value(countryId, 'defaultTimeZone') ?? null
      const port = portOfList(input, { countryId, countryCode, timeZone }, before?.get() as Port | undefined)
      row.values = { ...values, ...port }
    }
  }
}
