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
  type ManyWritten,
  type NewRow,
  ReferenceSets,
  RowRules,
  Store,
} from '@keel/framework/data'
import { RequiresPermission } from '@keel/framework/security'
import { PortDto, ReferenceDataPermissions, UnLocodeAppService, UnLocodeRow } from '../contracts/index.js'
import { Country } from '../domain/country.js'
import { Port } from '../domain/port.js'
import { portOfList, type UnLocodeValues, writtenMembers } from '../domain/un-locode.js'
import { unLocodeLines } from './un-locode-files.js'

type Row = ImportedRow<Port, UnLocodeRow>

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
      options: { key: 'unLocode' },
      linesOf: unLocodeLines,
      prepare: (rows) => this.prepare(rows),
      write: (rows) => this.write(rows),
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

  /** Writes the rows that are new or differ, so that the time of the last import says when one did. */
  private write(rows: readonly Row[]): Promise<ManyWritten> {
    const lastImportTime = this.clock.now
    const given = rows
      .filter(({ before, values }) => !before || differs(before.get() as Port, values as UnLocodeValues))
      .map(({ values }): NewRow<Port> => ({ ...values, lastImportTime }) as NewRow<Port>)
    return this.ports.upsertMany(given, { audit: 'count', events: 'batch', by: ['unLocode'] })
  }
}

function differs(before: UnLocodeValues, after: UnLocodeValues): boolean {
  return writtenMembers.some((member) => (before[member] ?? null) !== (after[member] ?? null))
}
